import { useEffect } from 'preact/hooks';

/** Calls again and again while somebody looks. */
export function useInterval(call: () => void, everyMs: number): void {
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && call(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
