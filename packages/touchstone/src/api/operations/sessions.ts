import { HostError, timestampOf } from '@touchstone/protocol';
import { vendor } from '@touchstone/protocol/wire';
import { type Call, type Endpoint, endpoint, ok, type Reply } from '../endpoint.js';
import type { Services } from '../services.js';

/** Sign-ins of the page: a key, or a one-time token, is exchanged for a session. */
export const sessionEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'openSession',
    route: 'POST /v1/host/touchstone/session',
    auth: 'key',
    signsIn: true,
    summary: 'Sign a browser in: half of the session is a cookie, the other half is in the answer',
    responses: ok('The session.', vendor.pageSession),
    refusals: ['forbidden', 'not_found', 'misdirected_request'],
    handle: (call) => openSession(host, call),
  }),
  endpoint({
    operationId: 'getSession',
    route: 'GET /v1/host/touchstone/session',
    auth: 'key',
    summary: 'Who the caller is, and what it may do',
    responses: ok('The caller.', vendor.sessionFacts),
    handle: (call) => describeSession(host, call),
  }),
  endpoint({
    operationId: 'closeSession',
    route: 'DELETE /v1/host/touchstone/session',
    auth: 'key',
    summary: 'Sign the browser out',
    responses: { 204: { description: 'The session has ended; a caller with a key has none.' } },
    async handle({ credential, origin }) {
      if (credential?.session) await host.sessions?.close(credential.session);
      return { status: 204, headers: { 'set-cookie': cookieOf(origin, '', 0) } };
    },
  }),
];

async function openSession({ sessions, config }: Services, call: Call): Promise<Reply> {
  const { credential, principal, origin } = call;
  if (!sessions || !credential) throw new HostError('not_found', 'There is no page here to sign in to.');
  checkSafe(origin, config.page !== false && config.page.insecure);
  const { cookie, header, expiresAt } = await sessions.open(credential.keyHash);
  const body = {
    session: header,
    principal: principal.id,
    scopes: [...principal.scopes],
    expiresAt: timestampOf(expiresAt),
  };
  const headers = { 'set-cookie': cookieOf(origin, cookie), 'cache-control': 'no-store' };
  return { status: 200, body, headers };
}

async function describeSession(host: Services, { principal, credential }: Call): Promise<Reply> {
  const { owner, id, roles, scopes } = principal;
  const session = credential?.session && (await host.sessions?.find(credential.session));
  const body = {
    ...owner,
    principal: id,
    roles,
    scopes: [...scopes],
    host: { version: host.version },
    ...(session && { until: timestampOf(session.expiresAt) }),
  };
  return { status: 200, body, headers: { 'cache-control': 'no-store' } };
}

const LOOPBACK = /^http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?(\/|$)/;

/** Over plain HTTP everyone on the way can read the cookie. */
function checkSafe(origin: string, isInsecureAllowed: boolean): void {
  if (origin.startsWith('https://') || LOOPBACK.test(origin) || isInsecureAllowed) return;
  throw new HostError(
    'forbidden',
    'Sign in over HTTPS: this connection can be read by others. The operator can allow it with "page": {"insecure": true}.',
  );
}

/** Behind TLS the name of the cookie makes the browser hold it to this host alone. */
function cookieOf(origin: string, half: string, maxAge?: number): string {
  const isSecure = origin.startsWith('https://');
  const attributes = ['HttpOnly', 'SameSite=Strict', 'Path=/', ...(isSecure ? ['Secure'] : [])];
  const age = maxAge === undefined ? [] : [`Max-Age=${maxAge}`];
  return [`${isSecure ? '__Host-' : ''}touchstone=${half}`, ...attributes, ...age].join('; ');
}
