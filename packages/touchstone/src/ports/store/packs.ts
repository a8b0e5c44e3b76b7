import type { AgentId, Digest, JsonObject, Owner, Version } from '@touchstone/protocol';
import type { PinnedContract } from '@touchstone/protocol/bodies';
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
  readonly agents: readonly { readonly agentId: AgentId; readonly suiteRef?: string }[];
};

/** Everything one pack brings, installed together or not at all. */
export type PackContents = {
  readonly head: PackHead;
  readonly agents: readonly BoundAgent[];
  readonly suites: readonly Suite[];
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
