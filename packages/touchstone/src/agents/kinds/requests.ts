import type { Pace, PostResult } from '../../net/index.js';
import type { Answer, Clock, Random } from '../../ports/index.js';
import type { Bound } from './bounds.js';
import { nextTry, type RetryLimits } from './retry.js';

export type RequestParts = {
  readonly clock: Clock;
  readonly random: Random;
  readonly retries: RetryLimits;
  /** The subject of every sentence about a failure; "The agent" when nothing is said. */
  readonly who?: string;
};

/** As much of an invocation's bounds as asking somebody takes. */
export type AskBound = Pick<Bound, 'signal' | 'effort' | 'waiting'>;

/**
 * Sends one request until it is settled: again after connection loss, 429 and 5xx, at the pace of its provider. Of all
 * the waiting only our own backing off counts as time spent trying; queues and asked-for waits are excused.
 */
export async function persist(
  parts: RequestParts,
  pace: Pace,
  bound: AskBound,
  send: () => Promise<PostResult>,
): Promise<{ readonly kind: 'text'; readonly text: string } | Answer> {
  const { clock, random, retries, who } = parts;
  const { effort, signal } = bound;
  const startedAt = clock.elapsed();
  const waitedBefore = effort.waitedMs;
  let backedOffMs = 0;
  // A further turn is not a further try.
  effort.attempts = Math.max(1, effort.attempts);
  for (let made = 1; ; ) {
    const result = await sendOnce(pace, bound, send);
    const atWorkMs = clock.elapsed() - startedAt - (effort.waitedMs - waitedBefore);
    const tries = { made, spentMs: atWorkMs + backedOffMs };
    const next = nextTry(result, tries, retries, random, clock.now(), who);
    if (next.kind === 'give') return next.reply;
    if (next.asked) {
      pace.holdFor(next.ms);
    } else {
      await bound.waiting(() => clock.sleep(next.ms, signal));
      backedOffMs += next.ms;
      made += 1;
    }
    effort.attempts += 1;
  }
}

/** The place in the provider's queue is held for this request only, not while the agent's tools are at work. */
async function sendOnce(pace: Pace, bound: AskBound, send: () => Promise<PostResult>): Promise<PostResult> {
  const ticket = await bound.waiting(() => pace.enter(bound.signal));
  let result: PostResult | undefined;
  try {
    result = await send();
    return result;
  } finally {
    ticket.leave(verdictOf(result));
  }
}

function verdictOf(result: PostResult | undefined): 'success' | 'limited' | 'other' {
  if (result?.kind !== 'response') return 'other';
  if (result.status === 429) return 'limited';
  return result.status < 500 ? 'success' : 'other';
}
