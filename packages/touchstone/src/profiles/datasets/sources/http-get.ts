import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { isHostError } from '@touchstone/protocol';
import { GuardRefusal } from '../../../net/index.js';
import { datasetError, datasetUnavailable } from '../errors.js';
import { tooLarge } from './jail.js';
import type { Lifetime } from './lifetime.js';
import type { OpenedDataset } from './opened.js';

/** Whether a connection may be made; throws when not. `from` is where a redirect came from. */
export type Admit = (url: URL, from?: URL) => { readonly lookup?: LookupFunction };

export type GetRequest = {
  readonly scheme: string;
  readonly url: URL;
  readonly headers?: { readonly [name: string]: string };
  readonly admit: Admit;
  /** Requests that carry a signature go where they were meant to go and nowhere else. */
  readonly followRedirects: boolean;
  readonly maxBytes: number;
  readonly life: Lifetime;
};

const MAX_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Fetches a dataset. What is resolved is the head of the answer; the body comes at the pace of its reader. */
export async function httpGet(request: GetRequest): Promise<OpenedDataset> {
  const { life } = request;
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
        life.end();
      },
    };
  } catch (error) {
    life.end();
    throw fetchError(error, request);
  }
}

async function follow(request: GetRequest): Promise<{ response: http.IncomingMessage; url: URL }> {
  let { url } = request;
  let from: URL | undefined;
  for (let redirects = 0; ; redirects += 1) {
    const response = await send(url, request.admit(url, from), request);
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

function send(
  url: URL,
  { lookup }: ReturnType<Admit>,
  { headers, life: { signal } }: GetRequest,
): Promise<http.IncomingMessage> {
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const outgoing = request(url, {
      // A connection of its own: whoever it leads to was checked for this request only.
      agent: false,
      headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'touchstone', ...headers },
      ...(lookup && { lookup }),
    });
    const giveUp = (): void => {
      outgoing.destroy();
      reject(signal.reason);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    outgoing.on('close', () => signal.removeEventListener('abort', giveUp));
    outgoing.on('response', resolve);
    outgoing.on('error', reject);
    outgoing.end();
  });
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
  let bytes = 0;
  try {
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length;
      if (bytes > request.maxBytes) throw tooLarge(request.scheme, request.maxBytes);
      yield chunk as Buffer;
    }
  } catch (error) {
    throw fetchError(error, request);
  } finally {
    response.destroy();
    request.life.end();
  }
}

const refused = ({ scheme }: GetRequest, reason: string): Error =>
  datasetError('dataset_refused', `The dataset cannot be fetched by ${scheme}:. ${reason}`, { scheme });

/** Errors of the platform may name hosts and addresses; what is told is their code. */
function fetchError(error: unknown, request: GetRequest): unknown {
  const { scheme, life } = request;
  if (life.isTimedOut)
    return datasetUnavailable('dataset_timeout', `Fetching the dataset by ${scheme}: took too long.`, scheme);
  if (life.signal.aborted) return life.signal.reason;
  if (isHostError(error)) return error;
  if (error instanceof GuardRefusal) return refused(request, error.message);
  const code = (error as { readonly code?: string }).code ?? 'unknown';
  const message = `The connection for fetching the dataset by ${scheme}: failed or ended too early (${code}).`;
  return datasetUnavailable('dataset_unavailable', message, scheme);
}

/** The last part of the path, which tells the format; nothing that a query may hold. */
const nameOf = (url: URL): string => url.pathname.split('/').at(-1) ?? '';
