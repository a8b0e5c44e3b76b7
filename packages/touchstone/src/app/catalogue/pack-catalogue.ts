import {
  type AgentId,
  asId,
  type Digest,
  defined,
  HOST_OWNER,
  HostError,
  type JsonObject,
  type Owner,
} from '@touchstone/protocol';
import { agentDigest, parseAgentSpec } from '../../agents/index.js';
import {
  checkPackIdentity,
  checkPackIntegrity,
  checkPackName,
  checkPackVersion,
  openPack,
  openPackFiles,
  type PackAgent,
  type PackOptions,
  type PackReading,
  type Trust,
  verifyPack,
} from '../../packs/index.js';
import type {
  AgentFacts,
  BoundAgent,
  Clock,
  PackContents,
  PackHead,
  Page,
  Store,
  StoredJudge,
  Suite,
} from '../../ports/index.js';
import { checkHostJudges, packJudges } from '../judges/judge-catalogue.js';
import { checkNotTaken } from './agent-catalogue.js';
import { hostsFirst } from './entries.js';
import type { PackContract } from './pack-profiles.js';

/** What the sender of a pack says about it, to be held against what it is. */
export type PackClaim = { readonly name?: string; readonly version?: string; readonly integrity?: string };

export type InstalledPack = {
  readonly head: PackHead;
  readonly agents: readonly BoundAgent[];
  readonly suites: readonly Suite[];
  readonly judges: readonly StoredJudge[];
  readonly contracts: NonNullable<PackContents['contracts']>;
  /** Those of the suites that were compiled from profiles, with their contracts. */
  readonly profiles: readonly PackContract[];
  readonly warnings: readonly string[];
};

/** Where packs come in: opened, held against the trust policy, taken apart, and kept whole or not at all. */
export type PackCatalogue = {
  install(
    owner: Owner,
    archive: Buffer,
    claim?: PackClaim,
  ): Promise<InstalledPack & { readonly outcome: 'created' | 'same' }>;
  /** Opens and verifies, and keeps nothing. */
  inspect(owner: Owner, pack: Buffer | ReadonlyMap<string, Buffer>): Promise<InstalledPack>;
  /**
   * A pack in the making, as it is now: it may change from run to run under one version, and gives way to the first that
   * is installed. One that is installed stays as it is.
   */
  draft(owner: Owner, pack: Buffer | ReadonlyMap<string, Buffer>): Promise<InstalledPack>;
  /** Without the rule that versions do not change: for the folders of a configuration. */
  replace(owner: Owner, pack: Buffer | ReadonlyMap<string, Buffer>): Promise<InstalledPack>;
  list(owner: Owner, limit: number, cursor?: string): Promise<Page<PackEntry>>;
};

/** A pack as a list shows it. */
export type PackEntry = PackHead & { readonly revoked?: true };

type PackCatalogueParts = {
  readonly store: Store;
  readonly clock: Clock;
  readonly trust: Trust;
  /** What a pack is held against that this owner brings. */
  readonly optionsFor: (owner: Owner) => PackOptions;
  readonly compileProfiles: (pack: PackReading, owner: Owner) => Promise<readonly PackContract[]>;
  /** Agents that belong to the host, which no pack of a tenant may replace. */
  readonly hostAgents: (owner: Owner) => Promise<readonly AgentFacts[]>;
};

export function createPackCatalogue(parts: PackCatalogueParts): PackCatalogue {
  const { store, clock, optionsFor } = parts;

  const open: PackCatalogue['inspect'] = async (owner, pack) => {
    const options = optionsFor(owner);
    const opened = Buffer.isBuffer(pack) ? await openPack(pack, options) : await openPackFiles(pack, options);
    return contentsOf(parts, opened, owner);
  };

  return {
    inspect: open,
    async install(owner, archive, claim = {}) {
      if (claim.name !== undefined) checkPackName(claim.name);
      if (claim.version !== undefined) checkPackVersion(claim.version);
      const opened = await openPack(archive, optionsFor(owner));
      checkPackIdentity(opened, claim.name ?? opened.name, claim.version ?? opened.version);
      if (claim.integrity !== undefined) checkPackIntegrity(opened, claim.integrity);
      await checkWithdrawn(parts, owner, opened);
      const contents = await contentsOf(parts, opened, owner);
      await checkHosts(parts, owner, contents);
      await checkBound(parts, owner, contents);
      const standing = await store.packs.get(owner, opened.name, opened.version);
      if (standing?.draft) {
        await store.packs.replace(owner, contents, clock.now());
        return { ...contents, outcome: 'created' };
      }
      if (standing) await checkContracts(parts, owner, contents);
      const outcome = await store.packs.install(owner, contents, clock.now());
      if (outcome === 'conflict') throw changedPack(opened);
      return { ...contents, outcome };
    },
    async draft(owner, pack) {
      const contents = await open(owner, pack);
      const { name, version, digest } = contents.head;
      await checkNotRevoked(store, owner, contents.head);
      const standing = await store.packs.get(owner, name, version);
      if (standing && !standing.draft) {
        if (standing.digest !== digest) throw changedPack(contents.head);
        return contents;
      }
      const draft = { ...contents, head: { ...contents.head, draft: true as const } };
      await store.packs.replace(owner, draft, clock.now());
      return draft;
    },
    async replace(owner, pack) {
      const contents = await open(owner, pack);
      await store.packs.replace(owner, contents, clock.now());
      return contents;
    },
    async list(owner, limit, cursor) {
      const page = await hostsFirst(store.packs.list, owner, limit, cursor);
      const revoked = new Set((await store.packs.revoked(owner)).map(nameOf));
      const items = page.items.map((head) => ({
        ...head,
        ...(revoked.has(nameOf(head)) && { revoked: true as const }),
      }));
      return { ...page, items };
    },
  };
}

type Pinned = { readonly digest: Digest };
type UsePackParts = {
  readonly store: Pick<Store, 'packs'>;
  readonly packs: Pick<PackCatalogue, 'inspect' | 'draft'>;
  readonly findAgent: (owner: Owner, reference: string) => Promise<{ readonly facts: Pinned } | undefined>;
  readonly findSuite: (owner: Owner, reference: string) => Promise<{ readonly head: Pinned } | undefined>;
};

/** The same as `draft`, unless the configuration brings this very state of the pack. */
export const usePack =
  ({ store, packs, findAgent, findSuite }: UsePackParts): PackCatalogue['draft'] =>
  async (owner, bytes) => {
    const pack = await packs.inspect(owner, bytes);
    const { name, version, digest } = pack.head;
    const own = await store.packs.get(owner, name, version);
    const known = own ?? (await store.packs.get(HOST_OWNER, name, version));
    if (known?.digest !== digest) return packs.draft(owner, bytes);
    const agents = pack.agents.map(async ({ agentId, version, digest }) => {
      const found = await findAgent(owner, `${agentId}@${version}`);
      return found?.facts.digest === digest;
    });
    const suites = pack.suites.map(async ({ head: { suiteId, version, digest } }) => {
      const found = await findSuite(owner, `${suiteId}@${version}`);
      return found?.head.digest === digest;
    });
    const isHere = (await Promise.all([...agents, ...suites])).every(Boolean);
    return isHere ? pack : packs.draft(owner, bytes);
  };

type PackVersion = Pick<PackReading, 'name' | 'version'>;
const nameOf = ({ name, version }: PackVersion): string => `${name}@${version}`;

/** A removed version may come back as it was, and a revoked one not at all. */
async function checkWithdrawn(
  { store }: PackCatalogueParts,
  owner: Owner,
  pack: PackVersion & { readonly digest: Digest },
): Promise<void> {
  await checkNotRevoked(store, owner, pack);
  const before = await store.packs.withdrawn(owner, pack.name, pack.version);
  if (before?.digest !== undefined && before.digest !== pack.digest) throw changedPack(pack);
}

async function checkNotRevoked(
  { packs }: Pick<Store, 'packs'>,
  owner: Owner,
  { name, version }: PackVersion,
): Promise<void> {
  if (!(await packs.withdrawn(owner, name, version))?.revoked) return;
  throw new HostError(
    'pack_revoked',
    `Pack ${name}@${version} is revoked here. Install another version of it.`,
  );
}

/** A name that a tenant has bound cannot become a pack's: a caller who asks for it would get the wrong agent. */
async function checkBound({ store }: PackCatalogueParts, owner: Owner, pack: PackContents): Promise<void> {
  for (const { agentId } of pack.agents) {
    for (const version of await store.agents.versions(owner, agentId)) {
      const row = await store.agents.get(owner, agentId, version);
      if (!row || 'pack' in row.spec) continue;
      throw new HostError(
        'conflict',
        `Agent ${agentId} is bound already, and not by a pack. A pack cannot take its name.`,
      );
    }
  }
}

async function checkHosts(
  { store, hostAgents }: PackCatalogueParts,
  owner: Owner,
  pack: PackContents,
): Promise<void> {
  await checkHostJudges(store, pack.judges ?? []);
  checkNotTaken(
    pack.agents.map(({ agentId }) => agentId),
    await hostAgents(owner),
  );
  for (const { head } of pack.suites) {
    const hosts = await store.suites.get(HOST_OWNER, head.suiteId, head.version);
    if (hosts && hosts.digest !== head.digest)
      throw new HostError(
        'conflict',
        `Suite ${head.suiteId}@${head.version} belongs to the host and is another one.`,
      );
  }
}

const changedPack = ({ name, version }: PackVersion): HostError =>
  new HostError(
    'conflict',
    `Pack ${name}@${version}, or an agent, suite, judge or contract in it, is or was installed with other content. Versions do not change: raise the version.`,
  );

/** An installed version keeps its contract; another one needs another version. */
async function checkContracts(
  { store }: PackCatalogueParts,
  owner: Owner,
  pack: InstalledPack,
): Promise<void> {
  for (const { compiled } of pack.profiles) {
    const known = await store.suites.contractOf(owner, compiled.suite.head.digest);
    if (known && known.digest !== compiled.pinned.digest) throw changedPack(pack.head);
  }
}

async function contentsOf(
  { trust, compileProfiles }: PackCatalogueParts,
  opened: PackReading,
  owner: Owner,
): Promise<InstalledPack> {
  const { signedBy, filesSigned, warnings } = verifyPack(opened, trust);
  const { name, version, integrity, digest } = opened;
  const profiles = await compileProfiles(opened, owner);
  return {
    head: {
      name,
      version,
      integrity,
      digest,
      agents: opened.agents.map((agent) => agentEntry(agent, profiles)),
      filesSigned,
      ...(signedBy !== undefined && { signedBy }),
    },
    agents: await Promise.all(opened.agents.map((agent) => boundAgent(opened, agent))),
    suites: [...opened.suites, ...profiles.map(({ compiled }) => compiled.suite)],
    judges: packJudges(opened.files),
    contracts: profiles.map(({ compiled: { suite, pinned } }) => ({
      suite: suite.head.digest,
      contract: pinned,
    })),
    profiles,
    warnings: [...opened.warnings, ...warnings, ...profiles.flatMap((profile) => profile.warnings)],
  };
}

/** The suite that its manifest names; without one, the suite of its contract. */
function agentEntry(
  { manifest, suite }: PackAgent,
  profiles: readonly PackContract[],
): PackHead['agents'][number] {
  const own = profiles.find(({ agentId }) => agentId === manifest.agentId)?.compiled.suite.head;
  const main = suite ?? own;
  return defined({
    agentId: asId<AgentId>(manifest.agentId),
    suiteRef: main && `${main.suiteId}@${main.version}`,
    contractRef: suite && own && `${own.suiteId}@${own.version}`,
  });
}

/** The manifest and what it refers to, as one spec that can be stored, hashed and opened without the archive. */
async function boundAgent(pack: PackReading, agent: PackAgent): Promise<BoundAgent> {
  const { manifest, systemPrompt, taskSchema, returnSchema } = agent;
  const { agentId, persona, modelClass, label, description, toolAllowlist, confidence, memoryShape } =
    manifest;
  const requires = [...new Set([...(manifest.requiresCapabilities ?? []), ...agent.degraded])];
  const spec = parseAgentSpec(
    {
      agentId,
      version: pack.version,
      persona,
      label,
      description: description === '' ? undefined : description,
      modelClass,
      toolAllowlist,
      confidence,
      memoryShape,
      handoff: { taskSchema, returnSchema },
      pack: { name: pack.name, version: pack.version },
      requires: requires.length > 0 ? requires : undefined,
      run: { kind: 'manifest', systemPrompt },
    },
    'pack',
  );
  const digest = await agentDigest(spec, '.');
  return { agentId: spec.agentId, version: spec.version, digest, spec: spec as unknown as JsonObject };
}
