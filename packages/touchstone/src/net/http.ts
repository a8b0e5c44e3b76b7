import http from 'node:http';
import https from 'node:https';
import { defined, type ErrorName } from '@touchstone/protocol';
import type { MaybePromise } from '../ports/index.js';
import { errorCodeIn, namesRefusal } from './access.js';
import { onAbort } from './concurrency.js';
import { createConnections } from './connections.js';
import { type Guard, GuardRefusal } from './guard.js';
import { traceHeaders } from './trace-context.js';

type HeaderValues = { readonly [name: string]: string };

export type HttpRequest = {
  readonly url: URL;
  /** POST when there is a body, and GET otherwise. */
  readonly method?: string;
  readonly headers?: HeaderValues;
  readonly body?: string;
  readonly signal?: AbortSignal;
};

/** The answer of a server is larger than the caller allows. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';
  constructor(maxBytes: number) {
    super(`is larger than ${maxBytes} bytes`);
  }
}

/**
 * Sends one request; resolves with the head of the answer, whose body is still to be read. Redirects are answers like any
 * other. Without an agent the request gets a connection of its own. Rejects with a GuardRefusal, with the reason of the
 * signal, or with Node's error.
 */
export function sendRequest(
  { url, method, headers, body, signal }: HttpRequest,
  guard?: Guard,
  agent: http.Agent | false = false,
): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const [issue] = guard?.checkUrl(url.href) ?? [];
    if (issue) throw new GuardRefusal(issue.message);
    const outgoing = (url.protocol === 'https:' ? https : http).request(url, {
      agent,
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...traceHeaders(),
        ...headers,
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      },
      ...(guard && { lookup: guard.lookup(url, signal) }),
    });
    // Node's own `signal` option keeps listening on a kept-alive connection after the answer; an abort is then an error
    // event without a listener, which ends the process.
    const stopListening = onAbort(signal, () => {
      reject(signal?.reason);
      outgoing.destroy();
    });
    outgoing.on('response', (response) => {
      response.on('end', stopListening).on('close', stopListening);
      // Errors reach the reader of the body; without a reader they can be ignored.
      response.on('error', () => undefined);
      outgoing.on('error', (error) => response.destroy(error));
      resolve(response);
    });
    outgoing.on('error', (error) => {
      stopListening();
      reject(error);
    });
    outgoing.end(body);
  });
}

type HttpClient = {
  send(request: HttpRequest): Promise<http.IncomingMessage>;
  close(): void;
};

/** Keeps connections alive. A connection goes to the address that the guard has checked when it was opened. */
export function createHttpClient(guard?: Guard): HttpClient {
  const connections = createConnections();
  return {
    send: (request) => sendRequest(request, guard, connections.to(request.url)),
    close: connections.close,
  };
}

/** The body's bytes; throws AnswerTooLarge past the limit, which also ends the connection. */
export async function* readBytes(
  response: http.IncomingMessage,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length;
    if (bytes > maxBytes) throw new AnswerTooLarge(maxBytes);
    yield chunk as Buffer;
  }
}

const DRAIN_BYTES = 64 * 1024;

/** A connection can be used again only after its answer has been read to the end; a long answer is not worth it. */
export function drain(response: http.IncomingMessage): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > DRAIN_BYTES) response.destroy();
  });
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** The result of one request. The text is empty unless the status is 2xx: failures are never quoted. */
export type HttpResult =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly text: string;
      readonly retryAfter?: string;
      /** What the server calls its refusal, where that is a plain name. */
      readonly errorCode?: ErrorName;
    }
  | { readonly kind: 'lost'; readonly code: string }
  | { readonly kind: 'unreadable' | 'refused'; readonly reason: string };

type JsonRequest = Omit<HttpRequest, 'signal'> & {
  readonly signal: AbortSignal;
} & (
    | {
        readonly maxBytes: number;
        /** Of an answer that comes in pieces: whether it ends here, although the server keeps the connection open. */
        readonly isLast?: (recentText: string) => boolean;
      }
    | { readonly statusOnly: true }
  );

export type JsonClient = {
  /** Rejects only when the signal aborts. */
  send(request: JsonRequest): Promise<HttpResult>;
  close(): void;
};

/** Sends and receives JSON text over kept-alive connections. `failureOf` says what an error of the connection means. */
export function createJsonClient(
  headers: HeaderValues = {},
  guard?: Guard,
  failureOf: (error: unknown) => HttpResult = connectionFailure,
): JsonClient {
  const client = createHttpClient(guard);
  const common = { accept: 'application/json', 'user-agent': 'touchstone', ...headers };
  return {
    async send(request) {
      const { signal, body } = request;
      const content = body === undefined ? {} : { 'content-type': 'application/json' };
      try {
        const response = await client.send({
          ...request,
          headers: { ...common, ...request.headers, ...content },
        });
        const { statusCode: status = 0 } = response;
        const retryAfter = retryAfterOf(response.headers);
        if ('statusOnly' in request) return { kind: 'response', status, text: await skip(response) };
        const errorCode = await readErrorCode(response);
        const text = await readText(response, request.maxBytes, request.isLast);
        signal.throwIfAborted();
        return defined({ kind: 'response', status, text, retryAfter, errorCode } as const);
      } catch (error) {
        signal.throwIfAborted();
        return failureOf(error);
      }
    },
    close: client.close,
  };
}

/** Listens rather than iterates: an iterator of a stream costs more than the rest of a short answer. */
function readText(
  response: http.IncomingMessage,
  maxBytes: number,
  isLast?: (recentText: string) => boolean,
): MaybePromise<string> {
  if (!isSuccess(response.statusCode ?? 0)) {
    drain(response);
    return '';
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let recent = '';
    const end = (): void => resolve(Buffer.concat(chunks).toString('utf8'));
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) return void response.destroy(new AnswerTooLarge(maxBytes));
      chunks.push(chunk);
      if (!isLast) return;
      // The mark of the end may lie across two pieces.
      recent = recent.slice(-LONGEST_MARK) + chunk.toString('latin1');
      if (!isLast(recent)) return;
      end();
      response.destroy();
    });
    const fail = (): void => reject(response.errored ?? new Error('The answer broke off.'));
    response.on('end', end).on('error', reject);
    // It may have failed before anybody listened.
    if (response.destroyed) fail();
  });
}

const LONGEST_MARK = 64;

/**
 * An answer that ends at once leaves a connection to use again, so it gets one turn of the event loop. What is still
 * coming then may be endless, so the connection is closed.
 */
function skip(response: http.IncomingMessage): Promise<string> {
  response.resume();
  return new Promise((resolve) => {
    setImmediate(() => {
      if (!response.complete) response.destroy();
      resolve('');
    });
  });
}

function connectionFailure(error: unknown): HttpResult {
  if (error instanceof GuardRefusal) return { kind: 'refused', reason: error.message };
  if (error instanceof AnswerTooLarge) return { kind: 'unreadable', reason: `The answer ${error.message}.` };
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return code.startsWith('HPE_')
    ? { kind: 'unreadable', reason: `It did not answer in HTTP (${code}).` }
    : { kind: 'lost', code };
}

const ERROR_BYTES = 16 * 1024;
const ERROR_WAIT_MS = 2_000;

/**
 * `error.code` or `error.type` of a refusal, which say whether access was denied, or what of the request was refused. Only
 * a plain name is taken: anything else could be content. A body that is long, slow or broken has no code.
 */
export async function readErrorCode(response: http.IncomingMessage): Promise<ErrorName | undefined> {
  if (!namesRefusal(response.statusCode ?? 0)) return undefined;
  const giveUp = setTimeout(() => response.destroy(), ERROR_WAIT_MS);
  try {
    const chunks: Uint8Array[] = [];
    for await (const chunk of readBytes(response, ERROR_BYTES)) chunks.push(chunk);
    return errorCodeIn(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  } finally {
    clearTimeout(giveUp);
  }
}

type AnswerHeaders = { readonly [name: string]: string | readonly string[] | undefined };

/** The wait that a server asks for, in seconds or as a date. `retry-after-ms` is more precise, so it goes first. */
export function retryAfterOf(headers: AnswerHeaders): string | undefined {
  const ms = String(headers['retry-after-ms'] ?? '').trim();
  if (/^\d+(\.\d+)?$/.test(ms)) return String(Number(ms) / 1000);
  const { 'retry-after': retryAfter } = headers;
  return typeof retryAfter === 'string' ? retryAfter : undefined;
}
