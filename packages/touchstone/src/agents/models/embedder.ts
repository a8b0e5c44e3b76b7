import { type EmbedderPin, HostError, type Owner } from '@touchstone/protocol';
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
import type { Embedded, Embedder, Spend } from '../../ports/index.js';
import { readEmbeddings } from './embeddings.js';
import type { Models } from './models.js';
import { createPatience, DEFAULT_TIMEOUT_MS } from './patience.js';

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
  const { credential, baseUrl, headers } = endpoint;
  const authorization = credential === undefined ? {} : { authorization: `Bearer ${credential}` };
  const client = createJsonClient({ ...authorization, ...headers }, parts.guard);
  const patience = createPatience(parts.clock, parts.timeoutMs ?? DEFAULT_TIMEOUT_MS, 'The embedder');
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/embeddings`);
  // The same pace as for the provider's chat models: vendors count by credential.
  const pace = parts.paceOf(`${pin.provider} ${url.origin}`);
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
): Promise<Embedded> {
  const who = `Embedder ${pin.provider}/${pin.model}`;
  const { retries = DEFAULT_RETRIES, maxAnswerBytes: maxBytes = DEFAULT_ANSWER_BYTES } = parts;
  const body = JSON.stringify({ model: pin.model, input: texts });
  const outcome = await sendWithRetries({ ...parts, retries, who }, pace, bounds, async () => {
    const result = await client.send({ url, body, signal: bounds.signal, maxBytes });
    return 'reason' in result ? { ...result, reason: `${who}: ${result.reason}` } : result;
  });
  if (outcome.kind !== 'text') return outcome;
  const { usage, vectors } = readEmbeddings(outcome.text, texts.length, pin);
  // Paid whether or not its vectors can be used.
  if (usage) await spend([usage]);
  return vectors
    ? { kind: 'embedded', vectors }
    : { kind: 'failed', reason: `${who} gave an answer that is not one vector of numbers for each text.` };
}
