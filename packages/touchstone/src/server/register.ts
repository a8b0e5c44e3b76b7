import { HostError } from '@touchstone/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AccessAudit, Answer, Call, Endpoint, KeySpace, Reply } from '../api/index.js';
import { bodyBytes, noteRefusal, pathOf, routerPath } from '../api/index.js';
import { ANONYMOUS, checkScope, unauthenticated } from '../app/index.js';
import type { Admission, Caller } from './admission.js';
import type { Once } from './idempotency.js';
import {
  createWaitingRequest,
  type OpenParts,
  runStream,
  tenantOf,
  type WaitingRequest,
} from './open-request.js';
import { sessionOf } from './page/page-requests.js';
import { headerValues, type Remote } from './remote.js';
import { refuseWhenFull, sendAnswer } from './send-answer.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is calling, once that is known. */
    caller: Caller | null;
    /** Who sent it, and under which address of this host. */
    remote: Remote;
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint;
  }
}

export type ServerParts = OpenParts & {
  readonly admission: Admission;
  readonly once: Once;
  readonly audit: AccessAudit;
  /** Refuses what a browser sends on behalf of another page, or under a name that is not this host's. */
  readonly checkPage: (request: FastifyRequest) => void;
  /** Where callers reach this host; the address each of them used when absent. */
  readonly publicUrl?: string | undefined;
};

/** Puts the table behind the router: each request is let in, executed (once, if its caller wants that) and answered. */
export function registerEndpoints(
  app: FastifyInstance,
  endpoints: readonly Endpoint[],
  parts: ServerParts,
): void {
  app.decorateRequest('caller', null);
  app.decorateRequest('remote');
  for (const endpoint of endpoints) {
    app.route({
      method: endpoint.method,
      url: routerPath(endpoint.path),
      config: { endpoint },
      // A stream has no head worth asking for.
      exposeHeadRoute:
        endpoint.method === 'GET' && endpoint.responses[200]?.mediaType !== 'text/event-stream',
      onRequest: async (request, reply) => {
        await letIn(endpoint, request, parts);
        await parts.turns.holdBody(
          tenantOf(request),
          bodyBytes(request.headers, app.initialConfig.bodyLimit ?? 0),
          reply.raw,
        );
      },
      handler: (request, reply) => serve(endpoint, request, reply, parts),
    });
  }
}

async function letIn(endpoint: Endpoint, request: FastifyRequest, parts: ServerParts): Promise<void> {
  const { address } = request.remote;
  if (endpoint.auth === 'none') return parts.admission.admitAnyone({ address });
  const authorization = headerValues(request.raw, 'authorization');
  const session = authorization.length > 0 ? undefined : sessionOf(request.headers);
  const { signsIn } = endpoint;
  if (session || signsIn) parts.checkPage(request);
  request.caller = await parts.admission.admit({ address, authorization, session, signsIn });
  refuseForcedVersion(request);
  if (endpoint.auth === 'key') return;
  const { principal } = request.caller;
  const decided = decisionOn(endpoint, request);
  try {
    checkScope(principal, endpoint.auth, endpoint.orScopes);
  } catch (error) {
    await parts.audit(principal, { ...decided, allowed: false });
    throw error;
  }
  if (WATCHED.has(endpoint.auth)) await parts.audit(principal, { ...decided, allowed: true });
}

/** A host is made to act as another version of itself with test keys only, and this one has none. */
function refuseForcedVersion({ headers }: FastifyRequest): void {
  if (headers['x-force-engine-version'] === undefined) return;
  throw new HostError(
    'force_engine_version_forbidden',
    'X-Force-Engine-Version needs a test key, and this host has none. Leave the header out.',
  );
}

const decisionOn = (endpoint: Endpoint, request: FastifyRequest) => ({
  scope: endpoint.auth,
  resource: `${endpoint.method} ${pathOf(request.url)}`,
});

/** What changes what others run or believe is in the audit log when it is allowed, too. */
const WATCHED: ReadonlySet<string> = new Set([
  'suites:write',
  'agents:write',
  'packs:publish',
  'webhooks:manage',
]);

async function serve(
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: ServerParts,
): Promise<FastifyReply> {
  const tenant = tenantOf(request);
  const leave = await parts.turns.begin(tenant, reply.raw, endpoint.method === 'GET' ? 'read' : 'request');
  try {
    return await answerTo(endpoint, request, reply, { ...parts, leave });
  } finally {
    leave();
  }
}

async function answerTo(
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: ServerParts & { readonly leave: () => void },
): Promise<FastifyReply> {
  const tenant = tenantOf(request);
  const waiting = createWaitingRequest(request, reply, parts);
  const call = callOf(request, waiting, parts);
  const work = async (): Promise<Answer> => {
    checkBody(endpoint, call);
    if (request.caller) refuseWhenFull(tenant, parts);
    return parts.turns.spend(tenant, () => execute(endpoint, request, call, parts));
  };
  const answer = await (WATCHED.has(endpoint.auth)
    ? noteRefusal(parts.audit, call.principal, decisionOn(endpoint, request), work)
    : work());
  if (waiting.loss !== undefined) throw unauthenticated(waiting.loss);
  if (!('stream' in answer)) return sendAnswer(reply, answer, tenant, parts);
  parts.leave();
  await runStream(answer.stream, request, reply, parts);
  return reply;
}

/** An endpoint that takes bytes looks at them itself. */
function checkBody({ body }: Endpoint, call: Call): void {
  if (!body?.required || body.mediaType !== undefined || call.body !== undefined) return;
  throw new HostError('validation_error', 'This request needs a JSON body.', { field: 'body' });
}

async function execute(
  endpoint: Endpoint,
  request: FastifyRequest,
  call: Call,
  parts: ServerParts,
): Promise<Answer> {
  const key = request.headers['idempotency-key'];
  if (endpoint.method === 'GET' || key === undefined || endpoint.signsIn) return endpoint.handle(call);
  const { owner, principal, link = '' } = (await endpoint.actsFor?.(call)) ?? keySpaceOf(call);
  const operation = `${endpoint.method} ${endpoint.path}${link}`;
  const once = { owner, principal, operation, path: pathOf(request.url), key, body: call.body };
  return parts.once(once, (creationId) => endpoint.handle({ ...call, creationId }) as Promise<Reply>);
}

const keySpaceOf = ({ principal: { owner, id } }: Call): KeySpace => ({ owner, principal: id });

// What is not plainly a host and a port is not repeated in an answer.
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i;

const originOf = ({ protocol, host }: Remote): string => (HOST.test(host) ? `${protocol}://${host}` : '');

const credentialOf = ({ keyHash, session }: Caller) => ({ keyHash, ...(session && { session }) });

const callOf = (request: FastifyRequest, waiting: WaitingRequest, { publicUrl }: ServerParts): Call => ({
  principal: request.caller?.principal ?? ANONYMOUS,
  params: request.params as Call['params'],
  query: request.query,
  body: request.body,
  headers: request.headers,
  origin: publicUrl ?? originOf(request.remote),
  ...(request.caller && { credential: credentialOf(request.caller) }),
  untilGone: waiting.untilGone,
});
