import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Issue } from '@touchstone/protocol';
import { isPublicAddress } from './addresses.js';
import type { Resolve } from './names.js';
import { waitingOf } from './waiting.js';

export type GuardOptions = {
  /** When not empty, the only hosts that may be reached: exact names, or `*.suffix` for names below a suffix. */
  readonly allowHosts?: readonly string[];
  /** Admits addresses that are not public, and plain http to those. */
  readonly allowPrivate?: boolean;
  readonly resolve?: Resolve;
};

/** Stands before every connection to a URL that a tenant gave. */
export type Guard = {
  /** What can be told from the text alone. Asked when a URL is bound, and again before it is used. */
  checkUrl(url: string, pointer?: string): Issue[];
  /**
   * Name resolution that yields only addresses that may be reached; the connection goes to exactly those. The signal is
   * that of the request: an invocation is not charged for the time that its agent's name takes.
   */
  lookup(url: URL, signal?: AbortSignal): LookupFunction;
  /** The same rules, with names looked up in another way: on behalf of one tenant. */
  withNames(resolve: Resolve): Guard;
};

/** Names that never leave the machine or its network. What they resolve to is checked anyway; this says so earlier. */
const LOCAL_NAME = /(^|\.)(localhost|local|internal|lan|home\.arpa)\.?$/i;

/** The connection was not tried, and trying again would not help. */
export class GuardRefusal extends Error {
  override readonly name = 'GuardRefusal';
}

export function createGuard(options: GuardOptions = {}): Guard {
  const { allowHosts = [], allowPrivate = false, resolve = resolveAll } = options;
  const isAllowed = hostMatcher(allowHosts);

  function problemOf(url: URL): string | undefined {
    const host = hostOf(url);
    if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
      return 'Only https URLs are allowed.';
    if (url.username !== '' || url.password !== '')
      return 'Credentials in a URL are not allowed. Use headers.';
    if (host === '') return 'The URL has no host.';
    if (!allowPrivate && LOCAL_NAME.test(host))
      return "The URL's host is a name of this machine or its network.";
    if (!isAllowed(host)) return "The URL's host is not on this host's egress allowlist.";
    return isIP(host) ? addressProblem(url, host) : undefined;
  }

  function addressProblem(url: URL, address: string): string | undefined {
    const isPublic = isPublicAddress(address);
    if (!isPublic && !allowPrivate)
      return "The URL's address is not public, and private addresses are not allowed.";
    return isPublic && url.protocol === 'http:'
      ? 'Plain http is allowed to private addresses only.'
      : undefined;
  }

  async function admit(url: URL, host: string, signal?: AbortSignal): Promise<readonly LookupAddress[]> {
    const addresses = await resolve(host, signal);
    // One forbidden address among several is enough: which one is connected to would be chance.
    for (const { address } of addresses) {
      const problem = addressProblem(url, address);
      if (problem !== undefined) throw new GuardRefusal(problem);
    }
    return addresses;
  }

  return {
    checkUrl(text, pointer = '') {
      if (!URL.canParse(text)) return [{ pointer, message: 'Expected an absolute https URL.' }];
      const problem = problemOf(new URL(text));
      return problem === undefined ? [] : [{ pointer, message: problem }];
    },
    lookup: (url, signal) => lookupOf((host) => admit(url, host, signal), signal),
    withNames: (other) => createGuard({ ...options, resolve: other }),
  };
}

/** For URLs of the operator: no rules, and names looked up like others. */
export const openGuard = (resolve: Resolve): Guard => ({
  checkUrl: () => [],
  lookup: (_url, signal) => lookupOf((host) => resolve(host, signal), signal),
  withNames: openGuard,
});

const lookupOf =
  (resolve: Resolve, signal: AbortSignal | undefined): LookupFunction =>
  (host, { all = false }, callback) => {
    waitingOf(signal)(() => resolve(host)).then(
      (addresses) => answerLookup(addresses, all, callback),
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };

const resolveAll = (host: string): Promise<LookupAddress[]> => dns.lookup(host, { all: true });

function answerLookup(
  addresses: readonly LookupAddress[],
  all: boolean,
  callback: Parameters<LookupFunction>[2],
): void {
  const first = addresses[0];
  if (!first) callback(Object.assign(new Error('The name has no address.'), { code: 'ENOTFOUND' }), '');
  else if (all) callback(null, [...addresses]);
  else callback(null, first.address, first.family);
}

/** Without brackets and without the dot that ends a fully qualified name. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

function hostMatcher(allowHosts: readonly string[]): (host: string) => boolean {
  if (allowHosts.length === 0) return () => true;
  const rules = allowHosts.map((rule) => rule.toLowerCase().replace(/\.$/, ''));
  return (host) =>
    rules.some((rule) => (rule.startsWith('*.') ? host.endsWith(rule.slice(1)) : host === rule));
}
