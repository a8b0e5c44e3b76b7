import { type AgentId, type Digest, HOST_OWNER, type Owner, type Version } from '@touchstone/protocol';
import {
  type AgentSpec,
  agentFacts,
  digestOf,
  type Environment,
  fillInSpec,
  inspectAgent,
} from '../../agents/index.js';
import type { Guard } from '../../net/index.js';
import type { AgentFacts, BoundAgent, Store } from '../../ports/index.js';
import { type AgentReference, highestVersion } from '../../suites/index.js';
import { capabilityPath, MODELS_CAPABILITY } from '../capability-names.js';
import { withInner } from './conversation-entry.js';
import type { AgentEntry } from './entries.js';
import type { CapabilityCheck } from './pack-policy.js';

export type EntryParts = {
  readonly store: Store;
  readonly guard: Guard;
  /** What variables in the operator's agents are filled in from. */
  readonly env: Environment;
  /** Whether this host offers a capability that an agent declares to need; of models that is asked of the pool. */
  readonly offers: CapabilityCheck;
};

export type AgentEntries = ReturnType<typeof createAgentEntries>;

/** Every agent that this host can open: the operator's, and those that tenants and packs have stored. */
export function createAgentEntries(parts: EntryParts) {
  const { agents } = parts.store;
  const operators = new Map<string, AgentEntry>();
  const keyOf = ({ tenant = '', agentId, version }: AgentSpec): string => `${tenant} ${agentId}@${version}`;

  const ofOperator = (owner: Owner): AgentEntry[] =>
    [...operators.values()].filter(({ spec }) => spec.tenant === undefined || spec.tenant === owner.tenant);
  const stored = ({ spec, digest }: BoundAgent, hostOwned: boolean): AgentEntry =>
    knownOf(parts, spec as unknown as AgentSpec, digest, { hostOwned });
  const ofHost = async (owner: Owner): Promise<AgentEntry[]> => [
    ...(await agents.list(HOST_OWNER)).map((row) => stored(row, true)),
    ...ofOperator(owner),
  ];

  const versions = async (owner: Owner, agentId: AgentId): Promise<readonly Version[]> => {
    const operated = ofOperator(owner).filter(({ facts }) => facts.agentId === agentId);
    const bound = await Promise.all([owner, HOST_OWNER].map((holder) => agents.versions(holder, agentId)));
    return [...new Set([...bound.flat(), ...operated.map(({ facts }) => facts.version)])];
  };

  /** The packs that this owner, or the host, has revoked, as `name@version`. */
  const revokedPacks = async (owner: Owner): Promise<ReadonlySet<string>> => {
    const rows = await Promise.all([owner, HOST_OWNER].map((holder) => parts.store.packs.revoked(holder)));
    return new Set(rows.flat().map(({ name, version }) => `${name}@${version}`));
  };

  const revoked = async (owner: Owner, agentId: AgentId): Promise<readonly Version[]> => {
    const packs = await revokedPacks(owner);
    if (packs.size === 0) return [];
    const found = await Promise.all(
      (await versions(owner, agentId)).map((version) => find(owner, { agentId, version })),
    );
    return found.flatMap((entry) => (entry && isIn(packs, entry) ? [entry.facts.version] : []));
  };

  /** The highest that may be run; of an agent whose versions are all revoked, the highest one. */
  const defaultVersion = async (owner: Owner, agentId: AgentId): Promise<Version | undefined> => {
    const [all, out] = [await versions(owner, agentId), await revoked(owner, agentId)];
    return highestVersion(all.filter((version) => !out.includes(version))) ?? highestVersion(all);
  };

  const findAlone = async (
    owner: Owner,
    { agentId, version }: Pick<AgentReference, 'agentId' | 'version'>,
  ): Promise<AgentEntry | undefined> => {
    const wanted = version ?? (await defaultVersion(owner, agentId));
    if (wanted === undefined) return undefined;
    // What the operator brings goes before what a tenant has bound under the same name, also when it comes later.
    const operated = ofOperator(owner).find(
      ({ facts }) => facts.agentId === agentId && facts.version === wanted,
    );
    if (operated) return operated;
    for (const holder of [HOST_OWNER, owner]) {
      const row = await agents.get(holder, agentId, wanted);
      if (row) return stored(row, holder === HOST_OWNER);
    }
    return undefined;
  };

  const find = async (
    owner: Owner,
    reference: Pick<AgentReference, 'agentId' | 'version'>,
  ): Promise<AgentEntry | undefined> => {
    const found = await findAlone(owner, reference);
    return found && withInner(found, (inner) => findAlone(owner, inner));
  };

  /** An operator's files may have been edited since it was registered; a new run is pinned to what they are now. */
  const currentAlone = async (owner: Owner, reference: Pick<AgentReference, 'agentId' | 'version'>) => {
    const found = await findAlone(owner, reference);
    const isOperators = found && operators.has(keyOf(found.spec));
    return isOperators ? { ...found, facts: await add(found.written ?? found.spec, found.baseDir) } : found;
  };

  const add = async (written: AgentSpec, baseDir: string): Promise<AgentFacts> => {
    const { value: spec, unset } = fillInOperators(written, parts.env);
    const { digest, notFollowed } =
      unset.length > 0
        ? { digest: digestOf(written, baseDir, NO_FILES) }
        : await inspectAgent(spec, baseDir, written);
    const known = {
      ...knownOf(parts, spec, digest, { hostOwned: true, baseDir }),
      written,
      ...(unset.length > 0 && { unset }),
    };
    const entry = notFollowed
      ? { ...known, facts: { ...known.facts, filesNotFollowed: true as const } }
      : known;
    operators.set(keyOf(spec), entry);
    return entry.facts;
  };

  return {
    add,
    versions,
    find,
    revokedPacks,
    revoked,
    ofHost,
    async all(owner: Owner): Promise<AgentEntry[]> {
      const own = (await agents.list(owner)).map((row) => stored(row, false));
      const found = [...own, ...(await ofHost(owner))];
      return Promise.all(found.map((entry) => withInner(entry, (inner) => findAlone(owner, inner))));
    },
    /** As `find`, with what the files of an operator's agent are now. */
    async current(owner: Owner, reference: Pick<AgentReference, 'agentId' | 'version'>) {
      const found = await currentAlone(owner, reference);
      return found && withInner(found, (inner) => currentAlone(owner, inner));
    },
  };
}

/** The prompt of a definition is its author's text, in which no variables are meant. */
const fillInOperators = (written: AgentSpec, env: Environment): ReturnType<typeof fillInSpec> =>
  written.run.kind === 'manifest' ? { value: written, unset: [] } : fillInSpec(written, env);

/** Where the files are is not known before every variable is set. */
const NO_FILES = { files: [], stamps: new Map<string, string>() };

export const isIn = (packs: ReadonlySet<string>, { spec: { pack }, inner }: AgentEntry): boolean =>
  (pack !== undefined && packs.has(`${pack.name}@${pack.version}`)) ||
  (inner !== undefined && isIn(packs, inner));

function knownOf(
  { guard, offers }: EntryParts,
  spec: AgentSpec,
  digest: Digest,
  { hostOwned, baseDir = '.' }: { readonly hostOwned: boolean; readonly baseDir?: string },
): AgentEntry {
  const lacking = (spec.requires ?? []).filter((name) => !isOfModels(name) && !offers(name, []));
  if (spec.memoryShape?.conversation) lacking.push('memoryShape.conversation');
  return {
    spec,
    facts: degraded(agentFacts(spec, digest, baseDir), lacking),
    baseDir,
    hostOwned,
    ...(!hostOwned && { guard }),
  };
}

export const degraded = (facts: AgentFacts, lacking: readonly string[]): AgentFacts =>
  lacking.length === 0 ? facts : { ...facts, degraded: [...(facts.degraded ?? []), ...lacking] };

export const isOfModels = (capability: string): boolean => capabilityPath(capability) === MODELS_CAPABILITY;
