import { promises as dns, type LookupAddress } from 'node:dns';
import { readFile } from 'node:fs/promises';
import type { Clock } from '../ports/index.js';
import { TIMED_OUT, withinTime } from './concurrency.js';

/** The addresses of a name, and for how long they may be remembered. */
export type NameAnswer = { readonly addresses: readonly LookupAddress[]; readonly ttlMs: number };
export type AskDns = (host: string) => Promise<NameAnswer>;

type DnsParts = {
  readonly clock: Clock;
  /** Asked instead of the machine's own servers: addresses, with a port where it is not 53. */
  readonly servers?: readonly string[];
  readonly resolvConf?: string;
};

/** What may be spent on one name, whatever the servers do. */
const NAME_MS = 5_000;
/** The first try for a question; the second one is given twice as long. */
const FIRST_TRY_MS = 1_500;

/**
 * Asks DNS servers over sockets. Node's `dns.lookup` has two threads for the whole process, and a name whose server is
 * silent keeps one for many seconds. A resolver for each name: it can be ended alone, and has read the current settings.
 */
export function createDns({ clock, servers = [], resolvConf = '/etc/resolv.conf' }: DnsParts): AskDns {
  return async (host) => {
    const resolver = new dns.Resolver({ timeout: FIRST_TRY_MS, tries: 2 });
    if (servers.length > 0) resolver.setServers(servers);
    const names = candidatesOf(host, await readSearch(resolvConf));
    try {
      const answer = await withinTime(clock, NAME_MS, () => firstAnswer(resolver, names));
      if (answer === TIMED_OUT) throw lookupError('EAI_AGAIN');
      return answer;
    } finally {
      resolver.cancel();
    }
  };
}

async function firstAnswer(resolver: dns.Resolver, names: readonly string[]): Promise<NameAnswer> {
  let failure = lookupError('ENOTFOUND');
  for (const name of names) {
    const answer = await bothFamilies(resolver, name);
    if (!(answer instanceof Error)) return answer;
    failure = answer;
  }
  throw failure;
}

type Family = readonly { readonly address: string; readonly ttl: number }[];

/** IPv4 goes first. A family without an answer does not matter when the other has one. */
async function bothFamilies(resolver: dns.Resolver, name: string): Promise<NameAnswer | Error> {
  const ask = { ttl: true } as const;
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name, ask), resolver.resolve6(name, ask)]);
  const recordsOf = (found: PromiseSettledResult<Family>): Family =>
    found.status === 'fulfilled' ? found.value : [];
  const records = [
    ...recordsOf(v4).map((record) => ({ ...record, family: 4 })),
    ...recordsOf(v6).map((record) => ({ ...record, family: 6 })),
  ];
  if (records.length === 0) return failureOf(v4, v6);
  return {
    addresses: records.map(({ address, family }) => ({ address, family })),
    ttlMs: Math.min(...records.map(({ ttl }) => ttl)) * 1_000,
  };
}

const ABSENT = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/** With the codes that `dns.lookup` has for it: the name does not exist, or it is not known whether it does. */
function failureOf(...found: readonly PromiseSettledResult<unknown>[]): Error {
  const isAbsent = found.every((one) => one.status === 'fulfilled' || ABSENT.has(one.reason.code));
  return lookupError(isAbsent ? 'ENOTFOUND' : 'EAI_AGAIN');
}

/** The message names no name: it can be a tenant's. */
export const lookupError = (code: 'ENOTFOUND' | 'EAI_AGAIN'): Error =>
  Object.assign(new Error('The name has no address, or its servers did not answer.'), { code });

// ------------------------------------------------------------------------------------------------------ search list

type Search = { readonly domains: readonly string[]; readonly ndots: number };

const readSearch = (path: string): Promise<Search> =>
  readFile(path, 'utf8').then(parseSearch, () => NO_SEARCH);
const NO_SEARCH: Search = { domains: [], ndots: 1 };

/** Short names of a cluster are completed with the domains of `search`. The last line counts. */
export function parseSearch(text: string): Search {
  const lines = text.split('\n').map((line) =>
    line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/),
  );
  const domains =
    lines
      .filter(([key]) => key === 'search' || key === 'domain')
      .at(-1)
      ?.slice(1) ?? [];
  const options = lines.filter(([key]) => key === 'options').flat();
  const [ndots = '1'] = options.flatMap((option) => /^ndots:(\d+)$/.exec(option)?.[1] ?? []).slice(-1);
  return { domains: domains.map((domain) => domain.replace(/\.$/, '')), ndots: Number(ndots) };
}

/** The names to ask for, in the order of resolv.conf(5). */
export function candidatesOf(host: string, { domains, ndots }: Search): readonly string[] {
  if (host.endsWith('.')) return [host];
  const completed = domains.filter((domain) => domain !== '').map((domain) => `${host}.${domain}`);
  const dots = host.split('.').length - 1;
  return dots >= ndots ? [host, ...completed] : [...completed, host];
}
