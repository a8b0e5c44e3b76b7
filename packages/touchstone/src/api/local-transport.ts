import { isHostError, type Principal } from '@touchstone/protocol';
import { HostResponseError, type Transport, type TransportCall } from '@touchstone/sdk';
import { checkScope } from '../app/index.js';
import { type AccessAudit, noteRefusal } from './access-audit.js';
import type { Answer, Call, Endpoint, LargeReply, Reply, TextReply } from './endpoint.js';
import { errorResponse } from './error-response.js';
import { parameterNames, templatePattern } from './paths.js';
import type { SseConnection } from './streams/sse.js';

/** What changes what others run is in the audit log also when the operator does it at the machine. */
const AUDITED: ReadonlySet<string> = new Set(['packs:publish']);

type LocalTransportOptions = {
  readonly audit?: AccessAudit;
  /** Where this host can be reached, for absolute URLs in answers. */
  readonly origin?: string;
};

/**
 * The operations of a host in this process, for the client of the sdk. A call goes straight to its row of the table: bodies
 * and answers are passed as values, no JSON is made, and a refusal arrives as it does over HTTP.
 */
export function createLocalTransport(
  endpoints: readonly Endpoint[],
  principal: Principal,
  options: LocalTransportOptions = {},
): Transport {
  const find = finderOf(endpoints);

  async function answerTo(call: TransportCall): Promise<Exclude<Answer, LargeReply>> {
    try {
      const { endpoint, params } = find(call);
      if (endpoint.auth !== 'none' && endpoint.auth !== 'key')
        checkScope(principal, endpoint.auth, endpoint.orScopes);
      const work = async () => {
        const answer = await endpoint.handle(callOf(call, params, principal, options.origin));
        return 'large' in answer ? answer.large() : answer;
      };
      if (!AUDITED.has(endpoint.auth)) return await work();
      const decided = { scope: endpoint.auth, resource: `${call.method} ${call.path}` };
      await options.audit?.(principal, { ...decided, allowed: true });
      return await noteRefusal(options.audit, principal, decided, work);
    } catch (error) {
      throw refusalOf(error);
    }
  }

  const replyTo = async (call: TransportCall): Promise<Reply | TextReply> => {
    const answer = await answerTo(call);
    if ('stream' in answer) throw new TypeError(`${call.path} answers with a stream.`);
    return answer;
  };

  return {
    async open(call) {
      const answer = await answerTo(call);
      if ('stream' in answer) return streamResponse(answer.stream, call.signal);
      return new Response('text' in answer ? answer.text : JSON.stringify(answer.body));
    },
    json: async <T>(call: TransportCall) => bodyOf(await replyTo(call)) as T,
    async reply<T>(call: TransportCall) {
      const answer = await replyTo(call);
      // The first `Headers` of a process loads all of fetch, so the usual answer goes without.
      return { body: bodyOf(answer) as T, headers: new Headers(answer.headers) };
    },
    remove: async (call) => void (await answerTo(call)),
  };
}

const bodyOf = (answer: Reply | TextReply): unknown =>
  'text' in answer ? JSON.parse(answer.text) : answer.body;

/** The row of a method and a path, with what stands in the places of its template. A command calls few of many rows. */
function finderOf(endpoints: readonly Endpoint[]) {
  const patterns = new Map<Endpoint, RegExp>();
  const patternOf = (endpoint: Endpoint): RegExp => {
    const pattern = patterns.get(endpoint) ?? templatePattern(endpoint.path);
    patterns.set(endpoint, pattern);
    return pattern;
  };
  return ({ method, path }: TransportCall) => {
    const parts = partCount(path);
    for (const endpoint of endpoints) {
      if (endpoint.method !== method || partCount(endpoint.path) !== parts) continue;
      const match = patternOf(endpoint).exec(path);
      if (match) return { endpoint, params: paramsOf(endpoint.path, match) };
    }
    throw new TypeError(`No operation answers ${method} ${path}.`);
  };
}

const partCount = (path: string): number => path.split('/').length;

const paramsOf = (template: string, [, ...values]: RegExpExecArray): Call['params'] =>
  Object.fromEntries(
    parameterNames(template).map((name, at) => [name, decodeURIComponent(values[at] ?? '')]),
  );

const callOf = (
  { query = {}, body, bytes, headers = {}, signal }: TransportCall,
  params: Call['params'],
  principal: Principal,
  origin = '',
): Call => ({
  principal,
  params,
  query: Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ),
  body: bytes === undefined ? body : Buffer.from(bytes.data),
  headers,
  origin,
  untilGone: () => signal ?? new AbortController().signal,
});

/** What the client throws for a refusal over HTTP. Anything else is a fault of ours and stays as it is. */
function refusalOf(error: unknown): unknown {
  if (!isHostError(error)) return error;
  const { status, body } = errorResponse(error);
  return new HostResponseError(status, body);
}

function streamResponse(
  stream: (connection: SseConnection) => Promise<void>,
  signal: AbortSignal | undefined,
): Response {
  const gone = new AbortController();
  signal?.addEventListener('abort', () => gone.abort(), { once: true });
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  writer.closed.catch(() => gone.abort());
  const write: SseConnection['write'] = async (chunk) => {
    gone.signal.throwIfAborted();
    await writer.write(Buffer.from(chunk));
  };
  const connection: SseConnection = {
    signal: gone.signal,
    write,
    async writeNext(make) {
      const chunk = await make();
      if (chunk !== undefined) await write(chunk);
    },
    keepAlive: async () => undefined,
    end: () => void writer.close().catch(() => undefined),
  };
  void stream(connection).then(connection.end, (error) => void writer.abort(error).catch(() => undefined));
  return new Response(readable, { headers: { 'content-type': 'text/event-stream' } });
}
