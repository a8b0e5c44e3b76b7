import type { FetchLike, Transport } from '@modelcontextprotocol/client';
import { traceHeaders } from '../../../net/index.js';
import type { McpLibrary } from './library.js';
import { ConnectionLost, STREAM_ENDED, tooLarge } from './loss.js';
import type { HttpServerSpec } from './server-spec.js';

type HttpParts = {
  readonly library: McpLibrary;
  readonly maxMessageBytes: number;
  readonly complain: (reason: string) => void;
};

/** Soon or not at all: a caller should learn quickly that the answer is lost. */
const RECONNECTION = {
  initialReconnectionDelay: 250,
  maxReconnectionDelay: 2_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 2,
};

/** The library's Streamable HTTP transport, with bounded answers and without requests that wait for ever. */
export function createHttpTransport(spec: HttpServerSpec, parts: HttpParts) {
  const transport = new parts.library.StreamableHTTPClientTransport(new URL(spec.url), {
    ...(spec.headers && { requestInit: { headers: { ...spec.headers } } }),
    fetch: boundedFetch(parts),
    onInsufficientScope: 'throw',
    reconnectionOptions: RECONNECTION,
  });
  answerEndedStreams(transport);
  return transport;
}

/**
 * When the server goes away in the middle of an answer the transport notices and the request does not. So the request
 * is answered with an error; one that had its answer already is not waiting any more and takes no notice.
 */
function answerEndedStreams(transport: Transport): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (!('method' in message && 'id' in message)) return send(message, options);
    const { id } = message;
    const error = { code: STREAM_ENDED, message: 'The stream ended before the answer.' };
    return send(message, {
      ...options,
      onRequestStreamEnd() {
        options?.onRequestStreamEnd?.();
        transport.onmessage?.({ jsonrpc: '2.0', id, error });
      },
    });
  };
}

/** A POST is one exchange, so its answer has a size; the stream of notifications goes on for as long as it likes. */
const boundedFetch =
  (parts: HttpParts): FetchLike =>
  async (url, init) => {
    const response = await fetch(url, withTrace(init));
    const isRedirect = response.status >= 300 && response.status < 400;
    if (init?.method !== 'POST' || !response.body || isRedirect) return response;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(byteLimit(parts)), { status, statusText, headers });
  };

/** The stream of notifications belongs to no call. */
function withTrace(init: RequestInit | undefined): RequestInit | undefined {
  const { traceparent } = traceHeaders();
  if (traceparent === undefined || init?.method !== 'POST') return init;
  const headers = new Headers(init.headers);
  headers.set('traceparent', traceparent);
  return { ...init, headers };
}

function byteLimit({ maxMessageBytes, complain }: HttpParts): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes <= maxMessageBytes) return controller.enqueue(chunk);
      complain(tooLarge(maxMessageBytes));
      controller.error(new ConnectionLost(tooLarge(maxMessageBytes)));
    },
  });
}
