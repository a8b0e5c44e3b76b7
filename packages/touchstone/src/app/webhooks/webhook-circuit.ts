import type { Webhook } from '../../ports/index.js';

/**
 * Closed, a webhook is sent everything it asks for. The fourth failure in a row opens the circuit: for an hour nothing is
 * sent. The first event after that is a trial: if it arrives the circuit closes, if not it is open for another hour.
 */
export type Health = Pick<Webhook, 'failures' | 'openUntil'>;

const FAILURES_TO_OPEN = 4;
const OPEN_MS = 3_600_000;

export const isOpen = ({ openUntil }: Health, now: number): boolean =>
  openUntil !== undefined && now < openUntil;

/** A trial needs no state of its own: the failures that opened the circuit still count until something arrives. */
export function healthAfter({ failures }: Health, delivered: boolean, now: number): Health {
  if (delivered) return { failures: 0 };
  const inARow = failures + 1;
  return { failures: inARow, ...(inARow >= FAILURES_TO_OPEN && { openUntil: now + OPEN_MS }) };
}
