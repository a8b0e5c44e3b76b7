import { asId, defined, type ModelName } from '@touchstone/protocol';
import {
  createJsonClient,
  type Guard,
  type PaceOf,
  type RequestParts,
  sendWithRetries,
} from '../../../net/index.js';
import type { Agent, AgentFacts, AgentHost, Answer, Invocation } from '../../../ports/index.js';
import { isMapped } from '../../spec/mapping.js';
import { DEFAULT_TIMEOUT_MS, type HttpRun } from '../../spec/run-spec.js';
import { createBounds } from '../bounds.js';
import { type Ask, takeTurns } from '../turns.js';
import { askMapped, requestTemplate } from './mapped.js';
import { endsStream } from './stream.js';

export type HttpParts = Omit<RequestParts, 'who'> & {
  readonly facts: AgentFacts;
  readonly paceOf: PaceOf;
  readonly maxOutputBytes: number;
  readonly guard?: Guard;
};

export function createHttpAgent(run: HttpRun, parts: HttpParts): Agent {
  const { method, stream } = run;
  const client = createJsonClient(
    { ...(stream && { accept: ACCEPTED[stream] }), ...run.headers },
    parts.guard,
  );
  const url = new URL(run.url);
  const pace = parts.paceOf(url.origin);
  // Headers may hold a key, but no member of the configuration says which variable it came from.
  const access = { provider: asId<ModelName>(parts.facts.agentId), notFound: 'denied-at-first' } as const;
  const bounds = createBounds(parts.clock, run.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const request = defined({
    url,
    method,
    maxBytes: parts.maxOutputBytes,
    isLast: stream ? endsStream : undefined,
  });
  const converse = conversationOf(run, parts);
  return {
    facts: parts.facts,
    invoke: (invocation, host) =>
      bounds.run(host, (bound) => {
        const { signal } = bound;
        return converse(invocation, bound.host, (body) =>
          sendWithRetries({ ...parts, access }, pace, bound, () => client.send({ ...request, body, signal })),
        );
      }),
    async close() {
      bounds.close();
      client.close();
    },
  };
}

const ACCEPTED = { sse: 'text/event-stream', jsonl: 'application/x-ndjson, application/json' };

type Converse = (invocation: Invocation, host: AgentHost, ask: Ask) => Promise<Answer>;

/** In the words of the service where the configuration maps them, and in the turn protocol otherwise. */
function conversationOf(run: HttpRun, { facts }: HttpParts): Converse {
  if (!isMapped(run)) return takeTurns;
  const template = requestTemplate(run);
  const reading = defined({ response: run.response ?? {}, stream: run.stream, provider: facts.agentId });
  return (invocation, host, ask) => askMapped(template, reading, invocation, host, ask);
}
