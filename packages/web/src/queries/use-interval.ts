import { useEffect, useRef, useState } from 'preact/hooks';

/** Calls again and again while somebody looks. */
export function useInterval(call: () => void, everyMs: number): void {
  const latest = useRef(call);
  latest.current = call;
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && latest.current(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}

const SECOND_MS = 1_000;

/** The time, which goes on. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useInterval(() => setNow(Date.now()), SECOND_MS);
  return now;
}
