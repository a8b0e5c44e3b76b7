import { promises as dns, type LookupAddress } from 'node:dns';
import type { Clock } from '../ports/index.js';
import { TIMED_OUT, unlessAborted, withinTime } from './concurrency.js';
import { type AskDns, createDns, lookupError, type NameAnswer } from './dns.js';
import { createHostsFile } from './hosts-file.js';
import { createSlots } from './slots.js';

/** The addresses of a name. Rejects with the codes of `dns.lookup`, or with the reason of the signal. */
export type Resolve = (host: string, signal?: AbortSignal) => Promise<readonly LookupAddress[]>;

/**
 * How names of other machines are looked up. Names that a tenant gives are asked of DNS servers, so many at a time for
 * each tenant; names that the operator gives are looked up by the system, as any program of the machine does it. Both are
 * asked once at a time, and remembered for a little while.
 */
export type Names = { of(tenant: string): Resolve; readonly system: Resolve };

type NameParts = {
  readonly clock: Clock;
  readonly perTenant: number;
  readonly onWait?: () => void;
  /** DNS servers for the names of tenants; those of the machine when absent. */
  readonly servers?: readonly string[];
  readonly hostsPath?: string;
  readonly askDns?: AskDns;
};

/** Lookups of all tenants together: each holds a socket. */
const MOST_LOOKUPS = 128;
const never = new AbortController().signal;

export function createNames(parts: NameParts): Names {
  const { clock, perTenant, onWait = () => undefined, askDns = createDns(parts) } = parts;
  const hosts = createHostsFile(clock, parts.hostsPath);
  const slots = createSlots({ perTenant, total: MOST_LOOKUPS, onWait });
  const ofTenants = new Map<string, Resolve>();

  const asTenant =
    (tenant: string): AskDns =>
    async (host) => {
      const leave = await slots.enter(tenant, host, never);
      try {
        return await askDns(host);
      } finally {
        leave?.();
      }
    };
  const hostsFirst =
    (resolve: Resolve): Resolve =>
    async (host, signal) =>
      (await hosts.find(host)) ?? resolve(host, signal);

  return {
    of(tenant) {
      const known = ofTenants.get(tenant) ?? hostsFirst(remembering(clock, asTenant(tenant)));
      ofTenants.set(tenant, known);
      return known;
    },
    system: hostsFirst(withinLimit(clock, remembering(clock, askSystem))),
  };
}

const remembering = (clock: Clock, ask: AskDns): Resolve => {
  const remembered = createMemory(clock, ask);
  return async (host, signal) => (await unlessAborted(remembered(host), signal)).addresses;
};

/** The caller is not kept waiting; the lookup goes on, and no second one for the name begins meanwhile. */
const withinLimit =
  (clock: Clock, resolve: Resolve): Resolve =>
  async (host, signal) => {
    const addresses = await withinTime(clock, SYSTEM_MS, () => resolve(host), signal);
    if (addresses === TIMED_OUT) throw lookupError('EAI_AGAIN');
    return addresses;
  };

const SYSTEM_MS = 10_000;
const SYSTEM_TTL_MS = 5_000;

/** The system does not say for how long an answer holds. */
async function askSystem(host: string): Promise<NameAnswer> {
  return { addresses: await dns.lookup(host, { all: true }), ttlMs: SYSTEM_TTL_MS };
}

const MOST_NAMES = 256;
const LONGEST_MS = 30_000;
/** So long an answer counts at least: tasks that begin together ask once. A failure counts no longer than that. */
const SHORTEST_MS = 1_000;

type Entry = { readonly answer: Promise<NameAnswer>; until: number };

/** Asks for a name once at a time, and remembers what came of it. */
function createMemory(clock: Clock, ask: AskDns): AskDns {
  const entries = new Map<string, Entry>();

  function start(host: string): Entry {
    const answer = ask(host);
    const entry: Entry = { answer, until: Number.POSITIVE_INFINITY };
    const keepFor = (ms: number): void => {
      entry.until = clock.elapsed() + Math.min(Math.max(ms, SHORTEST_MS), LONGEST_MS);
    };
    answer.then(
      ({ ttlMs }) => keepFor(ttlMs),
      () => keepFor(0),
    );
    return entry;
  }

  return (host) => {
    const known = entries.get(host);
    if (known && known.until > clock.elapsed()) return known.answer;
    const entry = start(host);
    entries.delete(host);
    entries.set(host, entry);
    const [oldest] = entries.keys();
    if (entries.size > MOST_NAMES && oldest !== undefined) entries.delete(oldest);
    return entry.answer;
  };
}
