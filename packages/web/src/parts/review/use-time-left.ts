import { useRef } from 'preact/hooks';

const ENOUGH = 2;
const MINUTE_MS = 60_000;

/** How long the rest takes at the pace so far; undefined until there is a pace. */
export function useTimeLeft(saved: number, left: number): string | undefined {
  const began = useRef(Date.now());
  if (saved === 0) began.current = Date.now();
  if (saved < ENOUGH || left <= 0) return undefined;
  const minutes = Math.ceil((((Date.now() - began.current) / saved) * left) / MINUTE_MS);
  return `about ${minutes} min left`;
}
