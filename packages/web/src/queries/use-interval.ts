import { useEffect, useState } from 'preact/hooks';

/** Calls again and again while somebody looks. */
export function useInterval(call: () => void, everyMs: number): void {
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && call(), everyMs);
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
