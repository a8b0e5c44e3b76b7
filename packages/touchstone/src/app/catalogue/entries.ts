import type { ChannelName, Digest, Owner, SuiteId, Version } from '@touchstone/protocol';
import type { AgentSpec } from '../../agents/index.js';
import type { Guard } from '../../net/index.js';
import type { AgentFacts, SuiteHead } from '../../ports/index.js';

/** A suite that an owner may run: its own, or one of the host's. */
export type SuiteVisible = { readonly head: SuiteHead; readonly owner: Owner };
/** An agent that an owner may run. */
export type AgentVisible = {
  readonly facts: AgentFacts;
  readonly hostOwned: boolean;
  /** The channel that led to this version. */
  readonly channel?: ChannelName;
};

/** Looks an agent up by `id`, `id@version` or `id@channel`; a foreign agent looks like an absent one. */
export type FindAgent = (owner: Owner, reference: string) => Promise<AgentVisible | undefined>;

/** An agent that this host can open. Tenants' agents come with a guard on where they may connect to. */
export type AgentEntry = {
  readonly spec: AgentSpec;
  readonly facts: AgentFacts;
  readonly baseDir: string;
  readonly hostOwned: boolean;
  readonly guard?: Guard;
};

/** The answer to an install. */
export type InstalledSuite = {
  readonly suiteRef: string;
  readonly suiteId: SuiteId;
  readonly version: Version;
  readonly digest: Digest;
};
