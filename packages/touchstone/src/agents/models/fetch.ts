import http from 'node:http';
import https from 'node:https';
import { type Guard, GuardRefusal, onAbort } from '../../net/index.js';

/** The answer was longer than anybody wants to read. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';
  constructor(maxBytes: number) {
    super(`is larger than ${maxBytes} bytes`);
  }
}

export type OwnFetch = { readonly fetch: typeof globalThis.fetch; close(): void };
type FetchParts = { readonly maxBytes: number; readonly guard?: Guard };

/**
 * `fetch` as the provider packages use it, and with what theirs lacks: connections go only where the guard allows, no
 * redirect is followed, an answer has an end, and the body of a failure is never read, so that it can be quoted nowhere.
 */
export function createFetch({ maxBytes, guard }: FetchParts): OwnFetch {
  const agents = {
    'http:': new http.Agent({ keepAlive: true }),
    'https:': new https.Agent({ keepAlive: true }),
  };

  function send(url: URL, init: RequestInit): Promise<Response> {
    const protocol = url.protocol === 'https:' ? 'https:' : 'http:';
    const { request } = protocol === 'https:' ? https : http;
    const body = typeof init.body === 'string' ? init.body : '';
    return new Promise((resolve, reject) => {
      const outgoing = request(url, {
        agent: agents[protocol],
        method: init.method ?? 'GET',
        headers: { ...headersOf(init), 'content-length': Buffer.byteLength(body) },
        ...(guard && { lookup: guard.lookup(url) }),
      });
      const stopListening = init.signal ? endOnAbort(outgoing, init.signal, reject) : () => undefined;
      outgoing.on('response', (response) => {
        response.on('close', stopListening);
        // Whoever reads it hears of its end; if nobody does, nobody needs to.
        response.on('error', () => undefined);
        try {
          resolve(toResponse(response, maxBytes));
        } catch (error) {
          response.destroy();
          reject(error);
        }
      });
      outgoing.on('error', (error) => {
        stopListening();
        reject(error);
      });
      outgoing.end(body);
    });
  }

  return {
    async fetch(input, init = {}) {
      init.signal?.throwIfAborted();
      const url = new URL(input instanceof Request ? input.url : input);
      const [issue] = guard?.checkUrl(url.href) ?? [];
      if (issue) throw new GuardRefusal(issue.message);
      return send(url, init);
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/**
 * Ends a request when its signal says so, and stops listening when its answer is over. The library's own `signal` option
 * goes on listening on the connection, which by then may belong to nobody: an abort is then an error that nobody hears,
 * and the end of the process.
 */
function endOnAbort(
  outgoing: http.ClientRequest,
  signal: AbortSignal,
  reject: (reason: unknown) => void,
): () => void {
  return onAbort(signal, () => {
    reject(signal.reason);
    outgoing.destroy();
  });
}

const headersOf = (init: RequestInit): { [name: string]: string } =>
  Object.fromEntries(new Headers(init.headers));

const DRAIN_BYTES = 64 * 1024;

function toResponse(response: http.IncomingMessage, maxBytes: number): Response {
  const status = response.statusCode ?? 0;
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined) headers.set(name, String(value));
  }
  const isSuccess = status >= 200 && status < 300 && status !== 204;
  if (isSuccess) return new Response(streamOf(response, maxBytes), { status, headers });
  drain(response);
  return new Response(null, { status, headers });
}

const streamOf = (response: http.IncomingMessage, maxBytes: number): ReadableStream<Uint8Array> =>
  ReadableStream.from<Uint8Array>(bounded(response, maxBytes));

async function* bounded(response: http.IncomingMessage, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length;
    if (bytes > maxBytes) throw new AnswerTooLarge(maxBytes);
    yield chunk as Buffer;
  }
}

/** A connection is only reusable once its answer has been read to the end; one without end is not worth it. */
function drain(response: http.IncomingMessage): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > DRAIN_BYTES) response.destroy();
  });
  response.on('error', () => undefined);
}
