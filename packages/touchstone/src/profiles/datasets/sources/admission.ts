import { promises as dns, type LookupAddress } from 'node:dns';
import { isIPv4 } from 'node:net';
import { createGuard, type Guard, GuardRefusal } from '../../../net/index.js';
import type { Admit } from './http-get.js';

type Rules = {
  readonly guard: Guard;
  readonly allowHttp: boolean;
  /** Only the machine's owner may mean this machine. */
  readonly allowLoopback: boolean;
};

const LOOPBACK_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;
const isLoopback = (url: URL): boolean => LOOPBACK_NAME.test(url.hostname);

/** What a URL from a definition may reach, and a redirect from there. Asked anew for each hop. */
export function admitAnyone({ guard, allowHttp, allowLoopback }: Rules): Admit {
  return (url, from) => {
    // A server elsewhere must not be able to send us to a service of this machine.
    const mayLoop = allowLoopback && (from === undefined || isLoopback(from));
    if (url.protocol === 'http:' && isLoopback(url) && mayLoop) return { lookup: loopbackGuard.lookup(url) };
    return admitted(guard, url, allowHttp);
  };
}

function admitted(guard: Guard, url: URL, allowHttp: boolean): ReturnType<Admit> {
  const asked = allowHttp ? asHttps(url) : url;
  const [issue] = guard.checkUrl(asked.href);
  if (issue) throw new GuardRefusal(issue.message);
  return { lookup: guard.lookup(asked) };
}

/** Plain http, where it is allowed, may go where https may. */
const asHttps = (url: URL): URL => new URL(url.href.replace(/^http:/, 'https:'));

/** What the operator's own address may reach: itself, unguarded; and where it redirects to, like anyone. */
export const admitOwn =
  (origin: string, anyone: Admit): Admit =>
  (url, from) =>
    url.origin === origin ? {} : anyone(url, from);

/** `localhost` is a name like any other, and has to lead to this machine. */
async function resolveLoopback(host: string): Promise<readonly LookupAddress[]> {
  const addresses = await dns.lookup(host, { all: true });
  const isOwn = ({ address }: LookupAddress): boolean =>
    isIPv4(address) ? address.startsWith('127.') : address === '::1';
  if (!addresses.every(isOwn)) throw new GuardRefusal('The name of this machine leads elsewhere.');
  return addresses;
}

const loopbackGuard = createGuard({ allowPrivate: true, resolve: resolveLoopback });
