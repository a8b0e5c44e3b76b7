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
import { type Bound, createBounds } from '../bounds.js';
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

export type TakeAnswer = (characters: number, signal: AbortSignal) => Promise<void>;

/** Reading less takes no time that is worth waiting for. */
const LONG_ANSWER = 16_384;

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
        return converse(invocation, bound.host, async (body) => {
          const reply = await sendWithRetries({ ...parts, access }, pace, bound, () =>
            client.send({ ...request, body, signal }),
          );
          await waitForTurn(reply, bound, parts);
          return reply;
        });
      }),
    async close() {
      bounds.close();
      client.close();
    },
  };
}

/** The wait is the host's, and not the agent's time. */
async function waitForTurn(
  reply: Awaited<ReturnType<Ask>>,
  { waiting, signal }: Bound,
  { takeAnswer }: HttpParts,
): Promise<void> {
  if (!takeAnswer || reply.kind !== 'text' || reply.text.length < LONG_ANSWER) return;
  await waiting(() => takeAnswer(reply.text.length, signal));
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
