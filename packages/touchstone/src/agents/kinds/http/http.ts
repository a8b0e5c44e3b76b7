import { asId, defined, type ModelName, type VariableName } from '@touchstone/protocol';
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
import { createBounds, type TakeAnswer } from '../bounds.js';
import { type Ask, takeTurns } from '../turns.js';
import { askMapped, requestTemplate } from './mapped.js';
import { endsStream } from './stream.js';

export type HttpParts = Omit<RequestParts, 'who'> & {
  readonly facts: AgentFacts;
  readonly paceOf: PaceOf;
  readonly maxOutputBytes: number;
  readonly guard?: Guard;
  readonly takeAnswer?: TakeAnswer;
  /** The variable that the key in its headers came from, as far as it can be told. */
  readonly keyEnv?: VariableName;
};

export function createHttpAgent(run: HttpRun, parts: HttpParts): Agent {
  const { method, stream } = run;
  const client = createJsonClient(
    { ...(stream && { accept: ACCEPTED[stream] }), ...run.headers },
    parts.guard,
  );
  const url = new URL(run.url);
  const pace = parts.paceOf(url.origin);
  const provider = asId<ModelName>(parts.facts.agentId);
  const access = defined({ provider, keyEnv: parts.keyEnv, notFound: 'denied-at-first' } as const);
  const bounds = createBounds(parts.clock, run.timeoutMs ?? DEFAULT_TIMEOUT_MS, parts.takeAnswer);
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
        return converse(invocation, bound.host, async (body) => {
          const reply = await sendWithRetries({ ...parts, access }, pace, bound, () =>
            client.send({ ...request, body, signal }),
          );
          if (reply.kind === 'text') await bound.takeAnswer(reply.text);
          return reply;
        });
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
