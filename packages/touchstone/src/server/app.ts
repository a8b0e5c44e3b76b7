import { setMaxListeners } from 'node:events';
import { asId, HostError, type Id } from '@touchstone/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  createAccessAudit,
  createServices,
  type Endpoint,
  endpointsOf,
  isVersioned,
  pathOf,
  type ServiceOptions,
  type Services,
  templatePattern,
  toHostError,
} from '../api/index.js';
import {
  createKeyRing,
  createOneTimeTokens,
  createSessions,
  createTrustedProxies,
  type OneTimeTokens,
  shareOpenFiles,
  systemIds,
} from '../app/index.js';
import { createAdmission } from './admission.js';
import { boundConnections } from './bounded-connections.js';
import { createOpenStreams } from './close-app.js';
import { answerProbe, createReadiness, type Readiness } from './health.js';
import { createOnce } from './idempotency.js';
import { findPage, sendPage } from './page/page.js';
import { readPageFiles } from './page/page-files.js';
import { createPageCheck } from './page/page-requests.js';
import { registerEndpoints } from './register.js';
import { remoteOf } from './remote.js';
import { createRequestTurns } from './request-turns.js';
import { answerError, answerTooLarge, createServer } from './server.js';

export type AppOptions = Omit<ServiceOptions, 'keys' | 'openStreams' | 'closing' | 'sessions'> & {
  /** Keys beside those of the configuration and the store, e.g. the one made at the first start. */
  readonly extraKeys?: NonNullable<ServiceOptions['keys']>;
  /** Links that sign a person in, made by who starts the host. */
  readonly tokens?: OneTimeTokens;
  /** Whether it can do its work; made here when absent. */
  readonly readiness?: Readiness;
};

/** The whole HTTP side, not listening yet. */
export function createApp(options: AppOptions): FastifyInstance {
  const { config, log, clock } = options;
  const counts = options.touchstone.limitCounts;
  const openStreams = createOpenStreams(config.limits.perTenant.openStreams, counts);
  const keys = keyRingOf(options);
  const files = config.page === false ? undefined : readPageFiles();
  const sessions = createSessions(options.touchstone.store, clock);
  const { tokens = createOneTimeTokens(clock) } = options;
  const { readiness = createReadiness(options.touchstone.store, clock, log) } = options;
  const checkPage = createPageCheck(config);
  const closing = new AbortController();
  // Every open stream and every followed run listens for the end.
  setMaxListeners(0, closing.signal);
  const host = createServices({
    ...options,
    keys: fixedKeys(options),
    openStreams: () => openStreams.size,
    closing: closing.signal,
    ...(config.page !== false && { sessions }),
  });
  host.webhooks.start();
  const endpoints = endpointsOf(host, { testSeams: options.testSeams === true });

  const { shares, store } = options.touchstone;
  const turns = createRequestTurns({ limits: config.limits, shares, counts, clock });
  const app = createServer(config.limits, turns);
  const { maxConnections = shareOpenFiles().callers } = config.limits;
  boundConnections(app.server, maxConnections, () => counts.reached('connections'));
  app.server.on('connection', shares.arrived);
  const admission = createAdmission({
    ...{ keys, sessions, tokens, clock },
    requestsPerMinute: config.limits.requestsPerMinute,
    shared: store.isShared ? store.paces : undefined,
  });
  const isTrusted = createTrustedProxies(config.trustedProxies);
  const once = createOnce({ kept: options.touchstone.store.idempotency, clock, log, ids: systemIds });

  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-content-type-options': 'nosniff', ...traceHeaders(request) });
    const probe = request.is404 && (await answerProbe(request.method, pathOf(request.url), readiness));
    if (probe) return reply.code(probe.status).header('cache-control', 'no-store').send(probe.body);
    if (closing.signal.aborted) throw shuttingDown(reply);
    request.remote = remoteOf(request.raw, isTrusted);
    if (!request.is404) return;
    admission.admitAnyone(request.remote);
    const answer = files && findPage(files, request);
    if (!answer) throw unknownPath(request, endpoints);
    checkPage(request);
    return sendPage(request, reply, answer);
  });
  registerEndpoints(app, endpoints, {
    admission,
    once,
    openStreams,
    checkPage,
    output: host.output,
    counts,
    turns,
    clock,
    log,
    audit: createAccessAudit(options.touchstone, clock),
    publicUrl: config.publicUrl,
  });
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, options));
  app.addHook('onResponse', (request, reply) => noteAnswer(request, reply, host));
  app.addHook('preClose', async () => {
    closing.abort();
    await host.webhooks.stop();
    await openStreams.close();
  });
  return app;
}

const fixedKeys = ({ config, extraKeys = [] }: AppOptions): NonNullable<ServiceOptions['keys']> => [
  ...config.keys.map(({ tenant, workspace, ...key }) => ({ ...key, owner: { tenant, workspace } })),
  ...extraKeys,
];

const keyRingOf = (options: AppOptions) =>
  createKeyRing({
    fixed: fixedKeys(options),
    stored: options.touchstone.store.keys,
    roles: options.config.roles,
    clock: options.clock,
  });

function shuttingDown(reply: FastifyReply): HostError {
  reply.header('connection', 'close');
  return new HostError('unavailable', 'This host is shutting down. Try again.', { retryAfter: 1 });
}

/** Reads that the protocol names and leaves to the host: a client learns that they are not served, and asks no further. */
const OPTIONAL_PATHS: ReadonlySet<string> = new Set(['/v1/packs', '/v1/packs/export']);

function unknownPath(request: FastifyRequest, endpoints: readonly Endpoint[]): HostError {
  // The router reads an escaped colon as a colon.
  const path = pathOf(request.url).replace(/%3A/gi, ':');
  if (!isVersioned(path)) return new HostError('bad_path', 'Paths of this API begin with /v1/.');
  const allow = [
    ...new Set(
      endpoints.filter((endpoint) => templatePattern(endpoint.path).test(path)).map(({ method }) => method),
    ),
  ];
  if (OPTIONAL_PATHS.has(path)) return new HostError('not_implemented', 'This host is no registry of packs.');
  if (allow.length === 0 || allow.some((method) => method === request.method))
    return new HostError('not_found', 'There is nothing at this path.');
  return new HostError('method_not_allowed', `This path takes ${allow.join(', ')}.`, { allow });
}

function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { config, log, clock }: AppOptions,
): FastifyReply {
  const known = toHostError(error, config.limits);
  if (known.code === 'payload_too_large') return answerTooLarge(reply, known, clock);
  if (known.status < 500) return answerError(reply, known);
  const facts = {
    correlationId: asId<Id<'request'>>(request.id),
    route: routeOf(request),
    status: known.status,
  };
  if (known.code === 'internal_error') log.error('http.failed', facts, known.cause ?? known);
  else log.warn('http.refused', facts);
  return answerError(reply, known, request.id);
}

type RouteName = Id<'route'>;
const routeOf = (request: FastifyRequest): RouteName =>
  asId<RouteName>(request.routeOptions.config.endpoint?.path ?? 'unknown');

/** One line per authenticated request, for audits, and one count for the scraper. Neither has a path, only its template. */
async function noteAnswer(request: FastifyRequest, reply: FastifyReply, host: Services): Promise<void> {
  const { caller } = request;
  const { endpoint } = request.routeOptions.config;
  if (caller && endpoint) {
    host.log.info('http.request', {
      key: caller.keyId,
      scope: asId<Id<'scope'>>(endpoint.auth),
      method: asId<Id<'method'>>(endpoint.method),
      route: routeOf(request),
      status: reply.raw.statusCode,
      ms: Math.round(reply.elapsedTime),
    });
  }
  const metrics = await host.metrics();
  metrics.requestAnswered(
    endpoint?.method ?? 'other',
    routeOf(request),
    reply.raw.statusCode,
    reply.elapsedTime / 1000,
  );
}

// Version 00 of W3C Trace Context; all-zero ids are invalid by its rules.
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
const TRACESTATE = /^[\x20-\x7e\t]{1,512}$/;

/**
 * The trace headers to send back. `tracestate` means nothing without a valid `traceparent`, so it goes only with one. A
 * caller without one is told the trace that the request is here: its correlation id, without the dashes.
 */
function traceHeaders({ headers, id }: FastifyRequest): { readonly [name: string]: string } {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== 'string' || !TRACEPARENT.test(traceparent)) return { traceparent: ownTrace(id) };
  const state = typeof tracestate === 'string' && TRACESTATE.test(tracestate) ? { tracestate } : {};
  return { traceparent, ...state };
}

/** Not sampled: this host keeps no spans of requests. */
function ownTrace(requestId: string): string {
  const traceId = requestId.replaceAll('-', '');
  return `00-${traceId}-${traceId.slice(16)}-00`;
}
