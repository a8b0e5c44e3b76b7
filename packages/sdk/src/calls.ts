import type { Transport } from './transport.js';

/** Options of a call that changes something. */
export type Sending = {
  /** The caller's own, to repeat a request across restarts; made anew for each call when absent. */
  readonly idempotencyKey?: string;
  /** Gives the request up; it may have worked all the same. */
  readonly signal?: AbortSignal;
};
/** Options of a call that only reads. */
export type Reading = {
  /** Gives the request up. */
  readonly signal?: AbortSignal;
};
export type Query = { readonly [name: string]: string | number | undefined };
export type Get = <T>(path: string, reading?: Reading, query?: Query) => Promise<T>;

export const VENDOR = '/v1/host/touchstone';
export const at = encodeURIComponent;

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
