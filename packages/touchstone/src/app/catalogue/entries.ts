import { type ChannelName, HOST_OWNER, type Owner } from '@touchstone/protocol';
import type { AgentSpec } from '../../agents/index.js';
import type { Guard } from '../../net/index.js';
import type { AgentFacts, Page, SuiteHead } from '../../ports/index.js';

/** A suite that an owner may run: its own, or one of the host's. */
export type SuiteVisible = { readonly head: SuiteHead; readonly owner: Owner };
/** An agent that an owner may run. */
export type AgentVisible = {
  readonly facts: AgentFacts;
  readonly hostOwned: boolean;
  /** The channel that led to this version. */
  readonly channel?: ChannelName;
  /** Variables of the environment that it names and that are not set: no run of it begins. */
  readonly unset?: readonly string[];
  /** Why no run of it begins, whoever asks. */
  readonly unusable?: string;
  /** Its pack is revoked: no new run of it begins. */
  readonly revoked?: true;
};

/** Looks an agent up by `id`, `id@version` or `id@channel`; a foreign agent looks like an absent one. */
export type FindAgent = (owner: Owner, reference: string) => Promise<AgentVisible | undefined>;

/** An agent that this host can open. Tenants' agents come with a guard on where they may connect to. */
export type AgentEntry = {
  readonly spec: AgentSpec;
  /** As the operator wrote it, with the names of variables in place of what they hold. */
  readonly written?: AgentSpec;
  /** Variables that it names and that are not set. */
  readonly unset?: readonly string[];
  /** Of a conversation: the agent that it is with. */
  readonly inner?: AgentEntry;
  /** Of a conversation: why there is no agent that it could be with. */
  readonly unusable?: string;
  readonly facts: AgentFacts;
  readonly baseDir: string;
  readonly hostOwned: boolean;
  readonly guard?: Guard;
};

/** A cursor tells which of the two lists it is about. */
const HOST_PAGE = 'host.';
const OWN_PAGE = 'own.';

/** Two lists as one, in pages: what belongs to the host first, then what is the owner's own. */
export async function hostsFirst<T>(
  list: (owner: Owner, limit: number, cursor?: string) => Promise<Page<T>>,
  owner: Owner,
  limit: number,
  cursor?: string,
): Promise<Page<T>> {
  const ofHost = cursor === undefined || cursor.startsWith(HOST_PAGE);
  if (!ofHost) return list(owner, limit, cursor === OWN_PAGE ? undefined : cursor);
  const hosts = await list(HOST_OWNER, limit, cursor?.slice(HOST_PAGE.length));
  if (hosts.nextCursor !== undefined) return { ...hosts, nextCursor: HOST_PAGE + hosts.nextCursor };
  const left = limit - hosts.items.length;
  if (left === 0) return { ...hosts, nextCursor: OWN_PAGE };
  const own = await list(owner, left);
  return { ...own, items: [...hosts.items, ...own.items] };
}
