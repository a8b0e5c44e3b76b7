import type { Agent, AgentFacts, Clock, Random } from '@touchstone/contract/ports';
import { type Bound, createBounds } from './bounds.js';
import type { Guard } from './guard.js';
import { createPoster, type Poster, type PostResult } from './http-post.js';
import type { Pace, PaceOf } from './pace.js';
import { nextTry, type RetryLimits } from './retry.js';
import { DEFAULT_TIMEOUT_MS, type HttpRun } from './run-spec.js';
import { type Ask, takeTurns } from './turns.js';

export type HttpParts = {
  readonly facts: AgentFacts;
  readonly clock: Clock;
  readonly random: Random;
  readonly paceOf: PaceOf;
  readonly maxOutputBytes: number;
  readonly retries: RetryLimits;
  readonly guard?: Guard;
};

export function createHttpAgent(run: HttpRun, parts: HttpParts): Agent {
  const poster = createPoster(run, parts.guard);
  const pace = parts.paceOf(new URL(run.url).origin);
  const bounds = createBounds(parts.clock, run.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  return {
    facts: parts.facts,
    invoke: (invocation, host) =>
      bounds.run(host, (bound) => takeTurns(invocation, bound.host, askWith(parts, poster, pace, bound))),
    async close() {
      bounds.close();
      poster.close();
    },
  };
}

/** Of all the waiting only our own backing off counts as time spent trying; queues and asked-for waits are excused. */
const askWith =
  (parts: HttpParts, poster: Poster, pace: Pace, bound: Bound): Ask =>
  async (body) => {
    const { clock, random, retries } = parts;
    const { effort, signal } = bound;
    const startedAt = clock.elapsed();
    const waitedBefore = effort.waitedMs;
    let backedOffMs = 0;
    // A further turn is not a further try.
    effort.attempts = Math.max(1, effort.attempts);
    for (let made = 1; ; ) {
      const result = await postOnce(parts, poster, pace, bound, body);
      const atWorkMs = clock.elapsed() - startedAt - (effort.waitedMs - waitedBefore);
      const next = nextTry(result, { made, spentMs: atWorkMs + backedOffMs }, retries, random, clock.now());
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
  };

/** The place in the provider's queue is held for this request only, not while the agent's tools are at work. */
async function postOnce(
  parts: HttpParts,
  poster: Poster,
  pace: Pace,
  bound: Bound,
  body: string,
): Promise<PostResult> {
  const ticket = await bound.waiting(() => pace.enter(bound.signal));
  let result: PostResult | undefined;
  try {
    result = await poster.post({ body, signal: bound.signal, maxBytes: parts.maxOutputBytes });
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
