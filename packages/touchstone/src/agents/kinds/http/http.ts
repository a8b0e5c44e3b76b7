import { asId, type ModelName } from '@touchstone/protocol';
import {
  createJsonClient,
  type Guard,
  type PaceOf,
  type RequestParts,
  sendWithRetries,
} from '../../../net/index.js';
import type { Agent, AgentFacts } from '../../../ports/index.js';
import { DEFAULT_TIMEOUT_MS, type HttpRun } from '../../spec/run-spec.js';
import { createBounds } from '../bounds.js';
import { takeTurns } from '../turns.js';

export type HttpParts = Omit<RequestParts, 'who'> & {
  readonly facts: AgentFacts;
  readonly paceOf: PaceOf;
  readonly maxOutputBytes: number;
  readonly guard?: Guard;
};

export function createHttpAgent(run: HttpRun, parts: HttpParts): Agent {
  const client = createJsonClient(run.headers, parts.guard);
  const url = new URL(run.url);
  const pace = parts.paceOf(url.origin);
  // Headers may hold a key, but no member of the configuration says which variable it came from.
  const access = { provider: asId<ModelName>(parts.facts.agentId), notFound: 'denied-at-first' } as const;
  const bounds = createBounds(parts.clock, run.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  return {
    facts: parts.facts,
    invoke: (invocation, host) =>
      bounds.run(host, (bound) => {
        const { signal } = bound;
        const post = (body: string) => client.send({ url, body, signal, maxBytes: parts.maxOutputBytes });
        return takeTurns(invocation, bound.host, (body) =>
          sendWithRetries({ ...parts, access }, pace, bound, () => post(body)),
        );
      }),
    async close() {
      bounds.close();
      client.close();
    },
  };
}
