import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorCode, Owner, Principal } from '@touchstone/protocol';
import { anyObject, parseAs, type Schema, type Wire } from '@touchstone/protocol/schema';
import { parse, type SchemaName } from '@touchstone/protocol/wire';
import type { SessionHalves } from '../app/index.js';
import type { CreationId, MaybePromise } from '../ports/index.js';
import { type Parameters, type QueryOf, readQuery } from './query.js';
import type { SseConnection } from './streams/sse.js';

/** A key by its hash, and the session that stands for it, if the caller is a page. */
export type Credential = { readonly keyHash: string; readonly session?: SessionHalves };

/** A request that has been let in. */
export type Call<Query = unknown, Body = unknown> = {
  readonly principal: Principal;
  readonly params: { readonly [name: string]: string };
  readonly query: Query;
  readonly body: Body;
  readonly headers: IncomingHttpHeaders;
  /**
   * What absolute URLs in answers begin with: the configured address of this host, or scheme and authority that the caller
   * used. Empty when neither is known.
   */
  readonly origin: string;
  /** What the request creates is named after this; absent for a request without an Idempotency-Key. */
  readonly creationId?: CreationId;
  /** What the caller came with; absent for an operation that asks for no key, and in process. */
  readonly credential?: Credential;
  /** A signal that aborts when the caller is gone or the host is closing. */
  untilGone(): AbortSignal;
};

export type Reply = {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: { readonly [name: string]: string };
};
/** An answer that has been written down already, to be sent byte for byte. */
export type TextReply = {
  readonly status: number;
  readonly text: string;
  readonly headers: { readonly [name: string]: string };
};
/** An answer that goes on: everything that can be refused has been checked before the stream opens. */
type StreamReply = { readonly stream: (connection: SseConnection) => Promise<void> };
/**
 * An answer that may be long. It is made when the caller's tenant has no other one in the making and has room to hold it,
 * after everything that can be waited for.
 */
export type LargeReply = {
  readonly large: () => Promise<Reply | TextReply>;
  /** It takes long, too, because it reads a whole log. Others do not wait for it. */
  readonly slow?: true;
};
export type Answer = Reply | TextReply | StreamReply | LargeReply;

/** Idempotency-Keys in which the same key is the same request. */
export type KeySpace = {
  readonly owner: Owner;
  readonly principal: string;
  /** Names a part of the owner's keys; absent for those of its API keys. */
  readonly link?: string;
};

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A published schema by its name, or a small one of our own. */
export type SchemaDoc = SchemaName | Schema;

/** A body an endpoint takes: its schema, for the document, and its reader, which throws `validation_error`. */
export type BodyRule<T> = {
  readonly schema: SchemaDoc;
  readonly required: boolean;
  /** Anything but JSON arrives as bytes. */
  readonly mediaType?: string;
  /** It may have ten times as many members and items as other bodies: a suite has thousands of tasks. */
  readonly isLong?: true;
  read(value: unknown, call: Call): MaybePromise<T>;
};

/** What a body takes at most: its length where the request says it, and `most` otherwise. */
export function bodyBytes(headers: IncomingHttpHeaders, most: number): number {
  if (headers['transfer-encoding'] !== undefined) return most;
  return Math.min(most, Number(headers['content-length'] ?? 0));
}

/** A body described by a schema of our own; its type follows from it. */
export const bodyOf = <S extends Schema>(schema: S, required = true): BodyRule<Wire<S>> => ({
  schema,
  required,
  read: (value) => (value === undefined && !required ? ({} as Wire<S>) : parseAs(schema, value)),
});

const ANY_OBJECT = anyObject();

/** For bodies that are read further in: what is no object is refused here, as the body that it is. */
export const objectBody = (value: unknown): unknown => parseAs(ANY_OBJECT, value);

/** A body that a published schema describes. */
export const wireBody = <N extends SchemaName>(schema: N): BodyRule<ReturnType<typeof parse<N>>> => ({
  schema,
  required: true,
  read: (value) => parse(schema, value),
});

export type ResponseDoc = {
  readonly description: string;
  readonly schema?: SchemaDoc;
  readonly mediaType?: string;
};

/** The responses of an operation that answers 200 and nothing else when all is well. */
export const ok = (description: string, schema: SchemaDoc): Endpoint['responses'] => ({
  200: { description, schema },
});

/** One operation of the API: everything that the router, the gate and the OpenAPI document need to know about it. */
export type Endpoint = {
  readonly operationId: string;
  readonly method: Method;
  /** OpenAPI template, e.g. `/v1/runs/{runId}:pause`. */
  readonly path: string;
  /** `none`: no key; `key`: any key; otherwise the scope a key must have. */
  readonly auth: string;
  /** Wider scopes that let a key in as well. */
  readonly orScopes?: readonly string[];
  /** It opens a session: a one-time token does as well as a key, and its answer is kept nowhere. */
  readonly signsIn?: true;
  readonly summary: string;
  readonly parameters: Parameters;
  readonly body?: BodyRule<unknown>;
  /** What it answers when all is well. */
  readonly responses: { readonly [status: number]: ResponseDoc };
  /** What else it answers, beyond what every endpoint of its kind does. */
  readonly refusals?: readonly ErrorCode[];
  /** For an endpoint without a key: in whose name its caller acts, and so whose Idempotency-Keys it uses. */
  readonly actsFor?: (call: Call) => Promise<KeySpace>;
  /** `body` and `query` arrive as they came. */
  handle(call: Call): Promise<Answer>;
};

type EndpointSpec<P extends Parameters, B> = Omit<
  Endpoint,
  'method' | 'path' | 'parameters' | 'body' | 'handle'
> & {
  /** Method and path, e.g. `POST /v1/runs/{runId}:pause`. */
  readonly route: `${Method} /${string}`;
  readonly parameters?: P;
  readonly body?: BodyRule<B>;
  readonly handle: (call: Call<QueryOf<P>, B>) => Promise<Answer> | Answer;
};

/** Writes an endpoint down. Its handler sees its query and body already read. */
export function endpoint<P extends Parameters = Record<never, never>, B = undefined>(
  written: EndpointSpec<P, B>,
): Endpoint {
  const { route, parameters = {} as P, body, handle, ...rest } = written;
  const space = route.indexOf(' ');
  return {
    ...rest,
    method: route.slice(0, space) as Method,
    path: route.slice(space + 1),
    parameters,
    ...(body !== undefined && { body }),
    async handle(call) {
      const query = readQuery(parameters, call.query as { readonly [name: string]: unknown });
      const read = body?.read(call.body, call) as MaybePromise<B>;
      return handle({ ...call, query, body: read instanceof Promise ? await read : read });
    },
  };
}
