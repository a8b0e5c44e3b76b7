import { defined, type EmbedderPin, HostError, isObject, type Owner, parseJson } from '@touchstone/protocol';
import {
  createJsonClient,
  DEFAULT_RETRIES,
  type Guard,
  type JsonClient,
  type Pace,
  type PaceOf,
  type RequestBounds,
  type RequestParts,
  type RetryLimits,
  sendWithRetries,
} from '../../net/index.js';
import type { Embedder, EmbeddingResult, Spend, Usage } from '../../ports/index.js';
import { createPatience, DEFAULT_TIMEOUT_MS } from './ask.js';
import { timeCall } from './call-time.js';
import type { Models } from './models.js';

export type EmbedderParts = Pick<RequestParts, 'clock' | 'random'> & {
  /** The provider has to be granted to this owner. */
  readonly owner: Owner;
  readonly paceOf: PaceOf;
  readonly retries?: RetryLimits;
  readonly maxAnswerBytes?: number;
  readonly timeoutMs?: number;
  readonly guard?: Guard;
};

const DEFAULT_ANSWER_BYTES = 16 * 1024 * 1024;

/** An embeddings endpoint as OpenAI has it, of one of the providers that answer chats. Its opener closes it. */
export function createEmbedder(models: Models, pin: EmbedderPin, parts: EmbedderParts): Embedder {
  const endpoint = models.endpoint(parts.owner, pin.provider);
  if (!endpoint)
    throw new HostError(
      'validation_error',
      `Embedder ${pin.provider}/${pin.model}: there is no provider "${pin.provider}" here that is asked over a network.`,
    );
  const { credential, baseUrl, headers, requestsPerMinute } = endpoint;
  const authorization = credential === undefined ? {} : { authorization: `Bearer ${credential}` };
  const client = createJsonClient({ ...authorization, ...headers }, parts.guard);
  const patience = createPatience(parts.clock, parts.timeoutMs ?? DEFAULT_TIMEOUT_MS, 'The embedder');
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/embeddings`);
  // The same pace as for the provider's chat models: vendors count by credential.
  const pace = parts.paceOf(`${pin.provider} ${url.origin}`, requestsPerMinute);
  const connection = { pin, url, client, pace, parts };
  return {
    pin,
    embed: (texts, signal, spend) =>
      patience.within(signal, (bounds) => embed(connection, texts, bounds, spend)),
    close() {
      patience.close();
      client.close();
    },
  };
}

type EmbedderConnection = {
  readonly pin: EmbedderPin;
  readonly url: URL;
  readonly client: JsonClient;
  readonly pace: Pace;
  readonly parts: EmbedderParts;
};

async function embed(
  { pin, url, client, pace, parts }: EmbedderConnection,
  texts: readonly string[],
  bounds: RequestBounds,
  spend: Spend,
): Promise<EmbeddingResult> {
  const who = `Embedder ${pin.provider}/${pin.model}`;
  const { retries = DEFAULT_RETRIES, maxAnswerBytes: maxBytes = DEFAULT_ANSWER_BYTES } = parts;
  const body = JSON.stringify({ model: pin.model, input: texts });
  const timed = timeCall(parts.clock, bounds);
  const outcome = await sendWithRetries({ ...parts, retries, who }, pace, bounds, async () => {
    const result = await client.send({ url, body, signal: bounds.signal, maxBytes });
    return 'reason' in result ? { ...result, reason: `${who}: ${result.reason}` } : result;
  });
  if (outcome.kind !== 'text') return outcome;
  const { usage, vectors } = readEmbeddings(outcome.text, texts.length, pin);
  // Paid whether or not its vectors can be used.
  if (usage) await spend([{ ...usage, time: { ...timed(), of: 'embedder' } }]);
  return vectors
    ? { kind: 'embedded', vectors }
    : { kind: 'failed', reason: `${who} gave an answer that is not one vector of numbers for each text.` };
}

type Vector = readonly number[];
type Embeddings = { readonly vectors?: readonly Vector[]; readonly usage?: Usage };

/** What an embeddings endpoint answered: vectors in the order of the texts, if they can be used, and what they cost. */
function readEmbeddings(text: string, count: number, pin: EmbedderPin): Embeddings {
  const answer = parseJson(text);
  if (!isObject(answer)) return {};
  const vectors = vectorsOf(answer.data, count);
  return defined({ usage: usageOf(answer.usage, pin), vectors });
}

/** An entry without an index stands for the text at its own place. */
function vectorsOf(data: unknown, count: number): readonly Vector[] | undefined {
  if (!Array.isArray(data) || data.length !== count) return undefined;
  const vectors = new Map<number, Vector>();
  for (const [place, entry] of data.entries()) {
    const { index = place, embedding } = isObject(entry) ? entry : {};
    const isPlace = Number.isInteger(index) && (index as number) >= 0 && (index as number) < count;
    if (!isPlace || vectors.has(index as number) || !isVector(embedding)) return undefined;
    vectors.set(index as number, embedding);
  }
  const inOrder = data.map((_, place) => vectors.get(place) as Vector);
  return inOrder.every(({ length }) => length === inOrder[0]?.length) ? inOrder : undefined;
}

/** A vector of zeros points nowhere. */
const isVector = (value: unknown): value is Vector =>
  Array.isArray(value) && value.every(Number.isFinite) && value.some((number) => number !== 0);

function usageOf(usage: unknown, { provider, model }: EmbedderPin): Usage {
  const { prompt_tokens: prompt, total_tokens: total } = isObject(usage) ? usage : {};
  const inputTokens = [prompt, total].find(isCount);
  const counted = { provider, model, inputTokens: inputTokens ?? 0, outputTokens: 0 };
  return inputTokens === undefined ? { ...counted, uncounted: true } : counted;
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
