import { HostResponseError, HostUnreachable, refusalOf } from './errors.js';
import { pauseOrThrow, type Retry } from './retry.js';

/** What sends a request: the platform's `fetch`, or a stand-in. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** One request to a host. */
export type TransportCall = {
  /** The HTTP method. All but POST can be sent twice without harm. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** From the root of the host, e.g. `/v1/runs`, with names already escaped. */
  readonly path: string;
  /** An undefined member is left out. */
  readonly query?: { readonly [name: string]: string | number | undefined };
  /** Any JSON value, sent as `application/json`; no body when absent. */
  readonly body?: unknown;
  /** Bytes with their media type, sent as they are instead of a JSON body. */
  readonly bytes?: { readonly data: Uint8Array; readonly mediaType: string };
  /** Makes a repetition harmless; every POST of the client has one. */
  readonly idempotencyKey?: string;
  /** Changes nothing on the host, although it is a POST: it can be sent again without a key. */
  readonly readOnly?: true;
  /** Besides those that the transport sets itself. */
  readonly headers?: { readonly [name: string]: string };
  /** Gives the request up. */
  readonly signal?: AbortSignal;
};

/** An answer, and what stands beside it. */
type TransportReply<T> = { readonly body: T; readonly headers: Headers };

/** How a client reaches its host: over HTTP, or in the same process. */
export type Transport = {
  /** Sends once, without retries. Throws a refusal; otherwise the body of the answer has not been read yet. */
  open(call: TransportCall): Promise<Response>;
  /** The JSON answer. Sent again after a transient failure when sending twice is harmless. */
  json<T>(call: TransportCall): Promise<T>;
  /** The JSON answer with its headers. */
  reply<T>(call: TransportCall): Promise<TransportReply<T>>;
  /** For operations without an answer. A 404 after a lost answer counts as done. */
  remove(call: TransportCall): Promise<void>;
};

/**
 * The transport over HTTP.
 * @param baseUrl Throws `TypeError` when it is no http(s) address, or holds a user name or password.
 * @param key Sent as a bearer token; no header when undefined.
 */
export function createTransport(
  baseUrl: string,
  key: string | undefined,
  fetch: Fetch,
  retry: Retry,
): Transport {
  const origin = checkedOrigin(baseUrl);

  async function open(call: TransportCall): Promise<Response> {
    const response = await send(call);
    if (!response.ok) throw await refusalOf(response);
    return response;
  }

  async function send(call: TransportCall): Promise<Response> {
    try {
      return await fetch(origin + call.path + queryOf(call), initOf(call, key));
    } catch (error) {
      throw brokenConnection(call, error);
    }
  }

  const brokenConnection = (call: TransportCall, error: unknown): unknown =>
    call.signal?.aborted ? call.signal.reason : new HostUnreachable(shownOrigin(origin), error);

  async function readJson<T>(call: TransportCall): Promise<TransportReply<T>> {
    const response = await open(call);
    const text = await response.text().catch((error: unknown) => {
      throw brokenConnection(call, error);
    });
    try {
      return { body: JSON.parse(text) as T, headers: response.headers };
    } catch {
      const message = `${call.method} ${call.path} answered ${response.status} with a body that is not JSON.`;
      throw new HostResponseError(response.status, { error: 'unexpected_response', message });
    }
  }

  async function repeated<T>(call: TransportCall, once: (failures: number) => Promise<T>): Promise<T> {
    for (let failures = 0; ; ) {
      try {
        return await once(failures);
      } catch (error) {
        failures += 1;
        if (!mayRepeat(call)) throw error;
        await pauseOrThrow(retry, error, failures, call.signal);
      }
    }
  }

  return {
    open,
    json: async <T>(call: TransportCall) => (await repeated(call, () => readJson<T>(call))).body,
    reply: <T>(call: TransportCall) => repeated(call, () => readJson<T>(call)),
    remove: (call) =>
      repeated(call, async (failures) => {
        try {
          await open(call);
        } catch (error) {
          // The first request was not answered, and the second finds nothing: the first one has worked.
          if (failures === 0 || !(error instanceof HostResponseError) || error.status !== 404) throw error;
        }
      }),
  };
}

/** A POST whose answer was lost may have worked; only its idempotency key makes sending it again harmless. */
const mayRepeat = (call: TransportCall): boolean =>
  call.method !== 'POST' || call.readOnly === true || call.idempotencyKey !== undefined;

function checkedOrigin(baseUrl: string): string {
  if (!/^https?:\/\/[^/]/i.test(baseUrl)) {
    throw new TypeError('baseUrl must begin with http:// or https://, e.g. http://127.0.0.1:8787.');
  }
  // No request can be sent to such an address, and an address is shown in messages.
  if (/^https?:\/\/[^/?#]*@/i.test(baseUrl)) {
    throw new TypeError('baseUrl must hold no user name and no password. Pass an API key as `key`.');
  }
  return baseUrl.replace(/\/+$/, '');
}

/** A path or a query of an address may hold a token. */
const shownOrigin = (address: string): string =>
  URL.canParse(address) ? new URL(address).origin : 'the host';

function initOf(call: TransportCall, key: string | undefined): RequestInit {
  const headers: Record<string, string> = { accept: 'application/json', ...call.headers };
  if (key !== undefined) headers.authorization = `Bearer ${key}`;
  if (call.idempotencyKey !== undefined) headers['idempotency-key'] = call.idempotencyKey;
  const content = contentOf(call);
  if (content) headers['content-type'] = content.mediaType;
  return {
    method: call.method,
    headers,
    ...(content && { body: content.body }),
    ...(call.signal && { signal: call.signal }),
  };
}

type Content = { readonly mediaType: string; readonly body: NonNullable<RequestInit['body']> };

function contentOf({ body, bytes }: TransportCall): Content | undefined {
  // A view of shared memory is the one kind of bytes that cannot be sent, and no archive is in one.
  if (bytes) return { mediaType: bytes.mediaType, body: bytes.data as Uint8Array<ArrayBuffer> };
  return body === undefined ? undefined : { mediaType: 'application/json', body: JSON.stringify(body) };
}

function queryOf(call: TransportCall): string {
  const pairs = Object.entries(call.query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}
