import type { Transport } from '../transport.js';

/** Options of a call that changes something. */
export type Sending = {
  /**
   * Requests with the same key are carried out once: the host answers the second one with the first one's answer. Set
   * it to repeat a request after a restart of the caller; made anew for each call when absent.
   */
  readonly idempotencyKey?: string;
  /** Gives the request up and throws the signal's reason. The host may have carried it out nevertheless. */
  readonly signal?: AbortSignal;
};
/** Options of a call that only reads. */
export type Reading = {
  /** Gives the request up and throws the signal's reason. */
  readonly signal?: AbortSignal;
};
/** Which part of a list to read. */
export type PageQuery = {
  /** The most entries of one page. A host has a default and a maximum; lists here have 50 and 200. */
  readonly limit?: number;
  /** The `nextCursor` of the page before; the first page when absent. */
  readonly cursor?: string;
};
/** Parameters of a query string; an undefined one is left out. */
export type Query = { readonly [name: string]: string | number | undefined };
/** Reads a path of the host as JSON. */
export type Get = <T>(path: string, reading?: Reading, query?: Query) => Promise<T>;

/** Operations that a Touchstone host adds to the protocol are below this path. */
export const VENDOR = '/v1/host/touchstone';
/** A name as one segment of a path. */
export const at = encodeURIComponent;

/** Sends a JSON body and reads the JSON answer. */
export function post<T>(transport: Transport, path: string, body: object, sending: Sending = {}): Promise<T> {
  return transport.json(posting(path, body, sending));
}

/** Every POST carries an idempotency key, so that it can be sent again when its answer is lost. */
export const posting = (path: string, body: object, { idempotencyKey, signal }: Sending = {}) =>
  ({
    method: 'POST',
    path,
    body,
    idempotencyKey: idempotencyKey ?? newIdempotencyKey(),
    ...(signal && { signal }),
  }) as const;

/** `randomUUID` is missing on pages served over plain http, random bytes are not. */
function newIdempotencyKey(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
