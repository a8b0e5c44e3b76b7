import type { McpLibrary } from './library.js';

/** The connection is of no use any more; the message says why and quotes nothing. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** The request has not reached the server, so it may be sent again over another connection. */
export class NotDelivered extends ConnectionLost {}

export const tooLarge = (maxBytes: number): string =>
  `it sent a message that is larger than ${maxBytes} bytes`;

/** Code of the error that answers a request whose stream ended without a word. In the range left to implementations. */
export const STREAM_ENDED = -32_099;

/** `forgotten`: the server does not know this connection any more, and has not looked at what was asked. */
export type ConnectionLoss = { readonly kind: 'lost' | 'forgotten'; readonly reason: string };

export function lossOf(error: unknown, library: McpLibrary, complaint?: string): ConnectionLoss {
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
  const codes = codesOf(error);
  const system = codes.find((code) => SYSTEM_CODE.test(code));
  if (system !== undefined) return `${SYSTEM_WORDS[system] ?? 'the connection ended'} (${system})`;
  return (
    codes.map((code) => LIBRARY_WORDS[code]).find((words) => words !== undefined) ?? 'the connection ended'
  );
}

const SYSTEM_CODE = /^(E[A-Z]+|EAI_[A-Z]+|UND_ERR_[A-Z_]+)$/;
const SYSTEM_WORDS: { readonly [code: string]: string } = {
  ECONNREFUSED: 'nothing listens at its address',
  ENOTFOUND: 'nothing is known under its host name',
  EAI_AGAIN: 'its host name could not be looked up',
  EHOSTUNREACH: 'no way leads to its address',
  ENETUNREACH: 'no way leads to its address',
  ETIMEDOUT: 'it did not answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'it did not answer in time',
};
/** The library's own codes, which other readers do not know. */
const LIBRARY_WORDS: { readonly [code: string]: string } = {
  ERA_NEGOTIATION_FAILED: 'no version of the protocol could be agreed on with it',
  REQUEST_TIMEOUT: 'it did not answer in time',
};

const MAX_CAUSES = 5;

/** Codes of an error and of what caused it: the library wraps what the system said. */
function codesOf(error: unknown): readonly string[] {
  const codes: string[] = [];
  let at = error as { readonly code?: unknown; readonly cause?: unknown } | undefined;
  for (let depth = 0; depth < MAX_CAUSES && typeof at === 'object' && at !== null; depth += 1) {
    if (typeof at.code === 'string') codes.push(at.code);
    at = at.cause as typeof at;
  }
  return codes;
}
