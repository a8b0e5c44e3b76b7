import type { AgentId, AuditEntry, Digest, JsonObject, Owner, Version } from '@touchstone/protocol';
import type { PinnedContract } from '@touchstone/protocol/bodies';
import type { StoredJudge } from './judges.js';
import type { Page } from './runs.js';
import type { Suite } from './suite-store.js';

/** An installed pack, without what is in it. */
export type PackHead = {
  readonly name: string;
  readonly version: Version;
  /** SHA-256 of the whole archive, as `sha256-<base64>`. */
  readonly integrity: string;
  /** Of the manifest and of everything it refers to: what makes two packs the same. */
  readonly digest: Digest;
  /** The trusted key that signed it; absent when none did. */
  readonly signedBy?: string;
  /** Whether the signature covers every file, not only the manifest. */
  readonly filesSigned: boolean;
  /** In the making: run from its files, never installed. */
  readonly draft?: true;
  /** Its agents, each with the suite it brings. */
  readonly agents: readonly {
    readonly agentId: AgentId;
    readonly suiteRef?: string;
    /** The suite of its contract, where that is another one. */
    readonly contractRef?: string;
  }[];
};

/** A version that is not to come back as another one, or not at all. */
export type Withdrawal = {
  readonly name: string;
  readonly version: Version;
  /** Of what was installed; absent when it never was. */
  readonly digest?: Digest;
  /** Whether it may no longer be installed or run. */
  readonly revoked: boolean;
};

/** Everything that a removal takes away, and on which picture it was decided. */
export type PackRemoval = {
  readonly head: PackHead;
  /** What serves, by the revision it was seen in; 0 when no version of the agent was ever moved. */
  readonly seen: readonly { readonly agentId: AgentId; readonly revision: number }[];
  readonly at: number;
  /** Written together with the removal. */
  readonly audit: AuditEntry;
};

/** Everything one pack brings, installed together or not at all. */
export type PackContents = {
  readonly head: PackHead;
  readonly agents: readonly BoundAgent[];
  readonly suites: readonly Suite[];
  /** Portable judges; none when absent. */
  readonly judges?: readonly StoredJudge[];
  /** The contracts of those of its suites that have one. */
  readonly contracts?: readonly { readonly suite: Digest; readonly contract: PinnedContract }[];
};

export type Packs = {
  /**
   * `conflict` when this name and version, or one of its agents or suites, is there with other content, or a suite has
   * another contract. Nothing of the pack is kept then.
   */
  install(
    owner: Owner,
    contents: PackContents,
    installedAt: number,
  ): Promise<'created' | 'same' | 'conflict'>;
  /** Without the rule that versions do not change: for packs that are edited between runs. */
  replace(owner: Owner, contents: PackContents, installedAt: number): Promise<void>;
  get(owner: Owner, name: string, version: Version): Promise<PackHead | undefined>;
  versions(owner: Owner, name: string): Promise<readonly Version[]>;
  list(owner: Owner, limit: number, cursor?: string): Promise<Page<PackHead>>;
  /**
   * Takes back the names of a pack, its agents, and those of its suites that nothing else has brought. Suites stay readable
   * by digest, runs as they are. `moved` when the pack or what serves has changed since it was seen; nothing is done then.
   */
  remove(owner: Owner, removal: PackRemoval): Promise<'removed' | 'moved'>;
  /** Once and for all; the pack stays in its place. `same` when it was revoked before. */
  revoke(
    owner: Owner,
    version: Pick<Withdrawal, 'name' | 'version' | 'digest'>,
    at: number,
    audit: AuditEntry,
  ): Promise<'revoked' | 'same'>;
  /** What became of a version; undefined when it was neither removed nor revoked. */
  withdrawn(owner: Owner, name: string, version: Version): Promise<Withdrawal | undefined>;
  /** Every version that is revoked. */
  revoked(owner: Owner): Promise<readonly Pick<Withdrawal, 'name' | 'version'>[]>;
};

/** A tenant's own agent as it was bound, `spec` being the `agents[]` object. */
export type BoundAgent = {
  readonly agentId: AgentId;
  readonly version: Version;
  readonly digest: Digest;
  readonly spec: JsonObject;
};
export type BoundAgents = {
  put(owner: Owner, agent: BoundAgent, installedAt: number): Promise<'created' | 'same' | 'conflict'>;
  get(owner: Owner, agentId: AgentId, version: Version): Promise<BoundAgent | undefined>;
  versions(owner: Owner, agentId: AgentId): Promise<readonly Version[]>;
  /** For the inventory: the specs come without `run.systemPrompt`, which may be large and must not be shown there. */
  list(owner: Owner): Promise<readonly BoundAgent[]>;
};
