import { type EmbedderPin, HostError, type Owner } from '@touchstone/protocol';
import type { Guard, Pace, PaceOf, PostResult } from '../../net/index.js';
import type { Embedder, EmbeddingResult, Spend } from '../../ports/index.js';
import { type AskBound, persist, type RequestParts } from '../kinds/requests.js';
import { DEFAULT_RETRIES, type RetryLimits } from '../kinds/retry.js';
import { readEmbeddings } from './embeddings.js';
import { createFetch, type OwnFetch } from './fetch.js';
import type { Models, ProviderEndpoint } from './models.js';
import { createPatience, DEFAULT_TIMEOUT_MS } from './patience.js';
import { troubleOf } from './trouble.js';

export type EmbedderParts = Pick<RequestParts, 'clock' | 'random'> & {
  /** Whoever the provider has to be granted to. */
  readonly owner: Owner;
  readonly paceOf: PaceOf;
  readonly retries?: RetryLimits;
  readonly maxAnswerBytes?: number;
  readonly timeoutMs?: number;
  readonly guard?: Guard;
};

const DEFAULT_ANSWER_BYTES = 16 * 1024 * 1024;

/** An embeddings endpoint as OpenAI has it, of one of the providers that answer chats. Whoever opens it closes it. */
export function createEmbedder(models: Models, pin: EmbedderPin, parts: EmbedderParts): Embedder {
  const endpoint = models.endpoint(parts.owner, pin.provider);
  if (!endpoint)
    throw new HostError(
      'validation_error',
      `Embedder ${pin.provider}/${pin.model}: there is no provider "${pin.provider}" here that is asked over a network.`,
    );
  const {
    guard,
    clock,
    maxAnswerBytes: maxBytes = DEFAULT_ANSWER_BYTES,
    timeoutMs = DEFAULT_TIMEOUT_MS,
  } = parts;
  const own = createFetch({ maxBytes, ...(guard && { guard }) });
  const patience = createPatience(clock, timeoutMs, 'The embedder');
  // The same pace as for the provider's chat models: vendors count by credential.
  const pace = parts.paceOf(`${pin.provider} ${new URL(endpoint.baseUrl).origin}`);
  const asked = { pin, endpoint, own, pace, parts };
  return {
    pin,
    embed: (texts, signal, spend) => patience.within(signal, (bound) => embed(asked, texts, bound, spend)),
    close() {
      patience.close();
      own.close();
    },
  };
}

type Asked = {
  readonly pin: EmbedderPin;
  readonly endpoint: ProviderEndpoint;
  readonly own: OwnFetch;
  readonly pace: Pace;
  readonly parts: EmbedderParts;
};

async function embed(
  { pin, endpoint, own, pace, parts }: Asked,
  texts: readonly string[],
  bound: AskBound,
  spend: Spend,
): Promise<EmbeddingResult> {
  const who = `Embedder ${pin.provider}/${pin.model}`;
  const { retries = DEFAULT_RETRIES } = parts;
  const body = JSON.stringify({ model: pin.model, input: texts });
  const settled = await persist({ ...parts, retries, who }, pace, bound, async () => {
    try {
      return await post(own, endpoint, body, who, bound.signal);
    } catch (error) {
      bound.signal.throwIfAborted();
      return troubleOf(error, who);
    }
  });
  if (settled.kind === 'failed' || settled.kind === 'unreachable') return settled;
  const answer = settled.kind === 'text' ? readEmbeddings(settled.text, texts.length, pin) : undefined;
  // Paid whether or not its vectors can be used.
  if (answer?.usage) await spend([answer.usage]);
  return answer?.vectors
    ? { kind: 'embedded', vectors: answer.vectors }
    : { kind: 'failed', reason: `${who} gave an answer that is not one vector of numbers for each text.` };
}

async function post(
  { fetch }: OwnFetch,
  { baseUrl, credential, headers }: ProviderEndpoint,
  body: string,
  who: string,
  signal: AbortSignal,
): Promise<PostResult> {
  const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/embeddings`, {
    method: 'POST',
    body,
    signal,
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
      ...headers,
    },
  });
  if (response.ok) return { kind: 'response', status: response.status, text: await response.text() };
  return troubleOf(
    { statusCode: response.status, responseHeaders: Object.fromEntries(response.headers) },
    who,
  );
}
