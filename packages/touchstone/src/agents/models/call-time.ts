import type { RequestBounds } from '../../net/index.js';
import type { CallTime, Clock } from '../../ports/index.js';

/** Starts to measure a call; the answer ends it. Waiting for a place at the provider comes first, and does not count. */
export function timeCall(clock: Clock, { effort }: Pick<RequestBounds, 'effort'>): () => CallTime {
  const [startedAt, from, waited] = [clock.now(), clock.elapsed(), effort.waitedMs];
  return () => {
    const waitedMs = Math.round(effort.waitedMs - waited);
    const durationMs = Math.max(0, Math.round(clock.elapsed() - from) - waitedMs);
    return { startedAt: startedAt + waitedMs, durationMs };
  };
}
