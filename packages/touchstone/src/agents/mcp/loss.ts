import type { McpLibrary } from './library.js';

/** The connection is of no use any more; the message says why and quotes nothing. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** What was asked has not reached anybody who would act on it, so it may be asked again elsewhere. */
export class NotDelivered extends ConnectionLost {}

export const tooLarge = (maxBytes: number): string =>
  `it sent a message that is larger than ${maxBytes} bytes`;

/** Code of the error that answers a request whose stream ended without a word. In the range left to implementations. */
export const STREAM_ENDED = -32_099;

/** `forgotten`: the server does not know this connection any more, and has not looked at what was asked. */
export type Lost = { readonly kind: 'lost' | 'forgotten'; readonly reason: string };

export function lossOf(error: unknown, library: McpLibrary, complaint?: string): Lost {
  const { SdkHttpError, SdkError, SdkErrorCode } = library;
  const isForgotten =
    error instanceof NotDelivered ||
    (SdkHttpError.isInstance(error) && (error.status === 404 || error.status === 400)) ||
    (SdkError.isInstance(error) && error.code === SdkErrorCode.NotConnected);
  return { kind: isForgotten ? 'forgotten' : 'lost', reason: complaint ?? reasonOf(error, library) };
}

/** In words of our own: messages of the library quote what the server said. */
export function reasonOf(error: unknown, library: McpLibrary): string {
  if (error instanceof ConnectionLost) return error.message;
  if (library.SdkHttpError.isInstance(error)) return `it answered with HTTP ${error.status}`;
  if (library.ProtocolError.isInstance(error) && error.code !== STREAM_ENDED)
    return `it refused (MCP error ${error.code})`;
  const code = codeOf(error) ?? codeOf((error as Error | undefined)?.cause);
  return code === undefined ? 'the connection ended' : `the connection ended (${code})`;
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}
