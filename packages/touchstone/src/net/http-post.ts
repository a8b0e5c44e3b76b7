import http from 'node:http';
import https from 'node:https';
import { type Guard, GuardRefusal } from './guard.js';

type PostRequest = {
  readonly body: string;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
};

type HttpRequest = {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  /** JSON text. */
  readonly body?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly signal: AbortSignal;
} & Reading;

/** How much of the answer's text may come; or that only the status matters, whatever comes after it. */
type Reading = { readonly maxBytes: number } | { readonly statusOnly: true };

/** What became of one request. Only an abort is an exception. */
export type PostResult =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly text: string;
      readonly retryAfter?: string;
    }
  | { readonly kind: 'lost'; readonly code: string }
  | { readonly kind: 'unreadable' | 'refused'; readonly reason: string };

export type Poster = { post(request: PostRequest): Promise<PostResult>; close(): void };
type Target = { readonly url: string; readonly headers?: { readonly [name: string]: string } };

/** Posts JSON to one URL. */
export function createPoster(target: Target, guard?: Guard): Poster {
  const url = new URL(target.url);
  const { send, close } = createRequester(target, guard);
  return { post: (request) => send({ ...request, url, method: 'POST' }), close };
}

export type Requester = { send(request: HttpRequest): Promise<PostResult>; close(): void };

/** Sends JSON to one origin over kept-alive connections. Redirects are answers like any other: never followed. */
export function createRequester(target: Target, guard?: Guard): Requester {
  const base = new URL(target.url);
  const { request, Agent } = base.protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: true, ...(guard && { lookup: guard.lookup(base) }) });
  const common = { accept: 'application/json', 'user-agent': 'touchstone', ...target.headers };

  async function send(sent: HttpRequest): Promise<PostResult> {
    const { url, method, body, headers, signal } = sent;
    signal.throwIfAborted();
    const [issue] = guard?.checkUrl(url.href) ?? [];
    if (issue) return { kind: 'refused', reason: issue.message };
    return new Promise((resolve, reject) => {
      const settle = (result: PostResult) => (signal.aborted ? reject(signal.reason) : resolve(result));
      const outgoing = request(url, {
        agent,
        method,
        headers: { ...common, ...headers, ...(body !== undefined && contentHeaders(body)) },
        signal,
      });
      outgoing.on('response', (response) => {
        if ('statusOnly' in sent) readStatus(response, settle);
        else readResponse(response, sent.maxBytes, settle);
      });
      outgoing.on('error', (error) => settle(troubleOf(error)));
      outgoing.end(body);
    });
  }

  return { send, close: () => agent.destroy() };
}

const contentHeaders = (body: string) => ({
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(body),
});

function troubleOf(error: NodeJS.ErrnoException): PostResult {
  if (error instanceof GuardRefusal) return { kind: 'refused', reason: error.message };
  const code = error.code ?? 'unknown';
  // The other side speaks, but not HTTP.
  if (code.startsWith('HPE_')) return { kind: 'unreadable', reason: `It did not answer in HTTP (${code}).` };
  return { kind: 'lost', code };
}

const headOf = ({ statusCode = 0, headers }: http.IncomingMessage) => {
  const retryAfter = headers['retry-after'];
  return { kind: 'response', status: statusCode, ...(retryAfter !== undefined && { retryAfter }) } as const;
};

/**
 * An answer that ends at once leaves a connection to use again, so one turn is given to it. What is still coming then may
 * be endless, and the connection goes with it.
 */
function readStatus(response: http.IncomingMessage, settle: (result: PostResult) => void): void {
  response.on('error', () => undefined);
  response.resume();
  setImmediate(() => {
    settle({ ...headOf(response), text: '' });
    if (!response.complete) response.destroy();
  });
}

const DRAIN_BYTES = 64 * 1024;

function readResponse(
  response: http.IncomingMessage,
  maxBytes: number,
  settle: (result: PostResult) => void,
): void {
  const head = headOf(response);
  const chunks: Buffer[] = [];
  let bytes = 0;
  const isSuccess = head.status >= 200 && head.status < 300;
  // Nobody reads the body of a failure, but the connection is only reusable once it has been drained.
  const limit = isSuccess ? maxBytes : DRAIN_BYTES;
  if (!isSuccess) settle({ ...head, text: '' });
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (isSuccess) chunks.push(chunk);
    if (bytes <= limit) return;
    settle({ kind: 'unreadable', reason: `The answer is larger than ${maxBytes} bytes.` });
    response.destroy();
  });
  response.on('end', () => settle({ ...head, text: Buffer.concat(chunks).toString('utf8') }));
  response.on('close', () => settle({ kind: 'lost', code: 'ECONNRESET' }));
  response.on('error', () => settle({ kind: 'lost', code: 'ECONNRESET' }));
}
