import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { HostError } from '@touchstone/protocol';
import type { FastifyRequest } from 'fastify';
import type { Config, SessionHalves } from '../../app/index.js';

const COOKIE = /(?:^|;\s*)(?:__Host-)?touchstone=([\w-]{1,128})/;
const HALF = /^[\w-]{1,128}$/;

/** Both halves of a session; undefined unless both came. A cookie alone may have been sent by any page. */
export function sessionOf(headers: IncomingHttpHeaders): SessionHalves | undefined {
  const header = headers['touchstone-session'];
  const cookie = headers.cookie?.match(COOKIE)?.[1];
  if (typeof header !== 'string' || !HALF.test(header) || cookie === undefined) return undefined;
  return { cookie, header };
}

/**
 * What a browser sends counts only when the page itself had it sent, to a name of this host. Otherwise any page could give its
 * own name this host's address, and be let in as the same origin.
 */
export function createPageCheck(config: Pick<Config, 'page' | 'publicUrl'>) {
  const origins = new Set([
    ...(config.page === false ? [] : config.page.origins),
    ...(config.publicUrl === undefined ? [] : [new URL(config.publicUrl).origin]),
  ]);
  return (request: FastifyRequest): void => {
    const { headers, remote } = request;
    const own = `${remote.protocol}://${remote.host}`;
    if (!isOwnAddress(request) && !origins.has(own)) throw misdirected();
    const { origin } = headers;
    const site = headers['sec-fetch-site'] ?? 'none';
    const isForeign = site !== 'same-origin' && site !== 'none';
    if (isForeign || (origin !== undefined && origin !== own && !origins.has(origin))) throw foreignPage();
  };
}

/** Loopback with our port, or the address that the connection was made to. */
function isOwnAddress({ remote: { host }, raw: { socket } }: FastifyRequest): boolean {
  const [, name = '', port] = host.match(/^(\[[\da-f:.]+\]|[^:]+)(?::(\d+))?$/i) ?? [];
  const bare = name.replace(/^\[|\]$/g, '').toLowerCase();
  // A request that was injected has no connection.
  const isOwnPort = socket.localPort === undefined || Number(port ?? 80) === socket.localPort;
  return isOwnPort && (isLoopback(bare) || bare === socket.localAddress?.replace(/^::ffff:/, ''));
}

const isLoopback = (name: string): boolean =>
  name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));

const misdirected = (): HostError =>
  new HostError(
    'misdirected_request',
    'The page is not served under this name. Use the address that "listening" said, or add the name to "page": {"origins": […]} in the configuration.',
  );

const foreignPage = (): HostError =>
  new HostError(
    'forbidden',
    'A browser sent this for another page. A session works on the page of this host.',
  );
