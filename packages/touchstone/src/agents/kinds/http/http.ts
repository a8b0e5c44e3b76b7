import type { Guard, PaceOf } from '../../../net/index.js';
import { createPoster } from '../../../net/index.js';
import type { Agent, AgentFacts, Clock, Random } from '../../../ports/index.js';
import { DEFAULT_TIMEOUT_MS, type HttpRun } from '../../spec/run-spec.js';
import { createBounds } from '../bounds.js';
import { persist } from '../requests.js';
import type { RetryLimits } from '../retry.js';
import { takeTurns } from '../turns.js';

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
      bounds.run(host, (bound) => {
        const post = (body: string) =>
          poster.post({ body, signal: bound.signal, maxBytes: parts.maxOutputBytes });
        return takeTurns(invocation, bound.host, (body) => persist(parts, pace, bound, () => post(body)));
      }),
    async close() {
      bounds.close();
      poster.close();
    },
  };
}
