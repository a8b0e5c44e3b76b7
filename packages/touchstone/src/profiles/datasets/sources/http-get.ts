import type http from 'node:http';
import { isHostError } from '@touchstone/protocol';
import {
  AnswerTooLarge,
  type Guard,
  GuardRefusal,
  onAbort,
  readBytes,
  sendRequest,
} from '../../../net/index.js';
import type { Clock } from '../../../ports/index.js';
import { datasetError, datasetUnavailable } from '../errors.js';
import { type DatasetFile, tooLarge } from './jail.js';

/** The guard of a connection to `url`; none for an address that the operator trusts. A redirect comes `from` a URL. */
export type GuardFor = (url: URL, from?: URL) => Guard | undefined;

export type GetRequest = {
  readonly scheme: string;
  readonly url: URL;
  readonly headers?: { readonly [name: string]: string };
  readonly guardFor: GuardFor;
  /** Requests that carry a signature go where they were meant to go and nowhere else. */
  readonly followRedirects: boolean;
  readonly maxBytes: number;
  readonly lifetime: Lifetime;
};

/** How long a fetch may continue: until it is done, its time is over, or its caller aborts. */
type Lifetime = { readonly signal: AbortSignal; end(): void };

const TIMED_OUT = Symbol('timed out');

export function startLifetime(clock: Clock, timeoutMs: number, outer?: AbortSignal): Lifetime {
  const over = new AbortController();
  const timer = new AbortController();
  if (outer?.aborted) over.abort(outer.reason);
  const stopListening = onAbort(outer, () => over.abort(outer?.reason));
  clock.sleep(timeoutMs, timer.signal).then(
    () => over.abort(TIMED_OUT),
    () => undefined,
  );
  return {
    signal: over.signal,
    end() {
      timer.abort();
      stopListening();
    },
  };
}

const MAX_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Fetches a dataset. Resolves with the head of the answer; the body comes at the pace of its reader. */
export async function httpGet(request: GetRequest): Promise<DatasetFile> {
  const { lifetime } = request;
  try {
    const { response, url } = await follow(request);
    checkHead(response, request);
    const mediaType = response.headers['content-type'];
    return {
      name: nameOf(url),
      ...(mediaType !== undefined && { mediaType }),
      bytes: readBody(response, request),
      close() {
        response.destroy();
        lifetime.end();
      },
    };
  } catch (error) {
    lifetime.end();
    throw fetchError(error, request);
  }
}

async function follow(request: GetRequest): Promise<{ response: http.IncomingMessage; url: URL }> {
  const headers = {
    accept: '*/*',
    'accept-encoding': 'identity',
    'user-agent': 'touchstone',
    ...request.headers,
  };
  const { signal } = request.lifetime;
  let { url } = request;
  let from: URL | undefined;
  for (let redirects = 0; ; redirects += 1) {
    const response = await sendRequest({ url, headers, signal }, request.guardFor(url, from));
    if (!REDIRECTS.has(response.statusCode ?? 0) || !request.followRedirects) return { response, url };
    const location = response.headers.location ?? '';
    response.destroy();
    if (redirects === MAX_REDIRECTS)
      throw refused(request, `It was redirected more than ${MAX_REDIRECTS} times.`);
    if (!URL.canParse(location, url.href))
      throw refused(request, 'It was redirected to something that is no URL.');
    from = url;
    url = new URL(location, url);
    if (url.username !== '' || url.password !== '')
      throw refused(request, 'It was redirected to a URL with credentials.');
  }
}

function checkHead(response: http.IncomingMessage, request: GetRequest): void {
  try {
    checkStatus(response.statusCode ?? 0, request);
    const encoding = response.headers['content-encoding'] ?? 'identity';
    if (encoding.toLowerCase() !== 'identity')
      throw refused(request, 'It was sent compressed, which is not read.');
    if (Number(response.headers['content-length'] ?? 0) > request.maxBytes)
      throw tooLarge(request.scheme, request.maxBytes);
  } catch (error) {
    response.destroy();
    throw error;
  }
}

function checkStatus(status: number, { scheme }: GetRequest): void {
  if (status === 200) return;
  if (status === 401 || status === 403)
    throw datasetError(
      'dataset_denied',
      `Fetching the dataset by ${scheme}: was denied (status ${status}).`,
      { scheme },
    );
  if (status === 404 || status === 410)
    throw datasetError(
      'dataset_not_found',
      `There is no such dataset to fetch by ${scheme}: (status ${status}).`,
      { scheme },
    );
  const isPassing = status === 408 || status === 429 || status >= 500;
  const message = `Fetching the dataset by ${scheme}: failed with status ${status}.`;
  if (isPassing) throw datasetUnavailable('dataset_unavailable', message, scheme);
  throw datasetError('dataset_refused', message, { scheme });
}

async function* readBody(response: http.IncomingMessage, request: GetRequest): AsyncGenerator<Uint8Array> {
  try {
    yield* readBytes(response, request.maxBytes);
  } catch (error) {
    throw fetchError(error, request);
  } finally {
    response.destroy();
    request.lifetime.end();
  }
}

const refused = ({ scheme }: GetRequest, reason: string): Error =>
  datasetError('dataset_refused', `The dataset cannot be fetched by ${scheme}:. ${reason}`, { scheme });

/** Errors of the platform may name hosts and addresses; only their code is quoted. */
function fetchError(error: unknown, request: GetRequest): unknown {
  const { scheme, maxBytes, lifetime } = request;
  const { signal } = lifetime;
  if (signal.reason === TIMED_OUT)
    return datasetUnavailable('dataset_timeout', `Fetching the dataset by ${scheme}: took too long.`, scheme);
  if (signal.aborted) return signal.reason;
  if (isHostError(error)) return error;
  if (error instanceof AnswerTooLarge) return tooLarge(scheme, maxBytes);
  if (error instanceof GuardRefusal) return refused(request, error.message);
  const code = (error as { readonly code?: string }).code ?? 'unknown';
  const message = `The connection for fetching the dataset by ${scheme}: failed or ended too early (${code}).`;
  return datasetUnavailable('dataset_unavailable', message, scheme);
}

/** The last part of the path, which tells the format; nothing that a query may hold. */
const nameOf = (url: URL): string => url.pathname.split('/').at(-1) ?? '';
