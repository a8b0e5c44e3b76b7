import {
  type AgentId,
  type AgentPin,
  type AgentPlan,
  asId,
  type ChannelName,
  type EvalPlan,
  HostError,
  type Issue,
  type JsonObject,
  type Owner,
  type Version,
  validationError,
} from '@touchstone/protocol';
import {
  type AgentSpec,
  agentDigest,
  agentFacts,
  handoffIssues,
  type ModelDecision,
  type ModelRequest,
  needsVariables,
  parseAgentSpec,
  tenantReferenceIssues,
  type UserDecision,
} from '../../agents/index.js';
import type { Guard } from '../../net/index.js';
import type { Agent, AgentFacts, Checker, Clock, Store } from '../../ports/index.js';
import { parseAgentReference } from '../../suites/index.js';
import { noActiveDeployment, type OnChannel } from '../deployments/channel.js';
import {
  type AgentEntries,
  createAgentEntries,
  degraded,
  type EntryParts,
  isIn,
  isOfModels,
} from './agent-entries.js';
import { type AgentPool, changedAgent } from './agent-pool.js';
import type { AgentEntry, AgentVisible, FindAgent } from './entries.js';
import { refuseSlow } from './schema-budget.js';

export type AgentCatalogue = {
  /** Registers an agent of the operator's (configuration or command line). The newest of the same version counts. */
  add(spec: AgentSpec, baseDir: string): Promise<AgentFacts>;
  bind(
    owner: Owner,
    agentId: string,
    value: unknown,
  ): Promise<{ outcome: 'created' | 'same'; facts: AgentFacts }>;
  list(owner: Owner): Promise<readonly AgentVisible[]>;
  /** Every version of an agent that is here for this owner, revoked ones included. */
  versions(owner: Owner, agentId: AgentId): Promise<readonly Version[]>;
  /** Those of them that came in a pack which is revoked. */
  revoked(owner: Owner, agentId: AgentId): Promise<readonly Version[]>;
  /** Agents that belong to the host and are visible to this owner. */
  hostAgents(owner: Owner): Promise<readonly AgentFacts[]>;
  readonly find: FindAgent;
  /** Which model a run of this agent asks; no model for agents that bring their own. */
  chooseModel(owner: Owner, pin: AgentPin, asked: ModelRequest): Promise<ModelDecision>;
  /** Who plays the user in a run of this agent; nobody for agents that have no conversations. */
  chooseUser(owner: Owner, pin: AgentPin): Promise<UserDecision>;
  /** Opens a planned agent. Runs that use the same one share it; it closes with the last of them. */
  open(owner: Owner, plan: EvalPlan | AgentPlan): Promise<Agent>;
};

type RegistryParts = EntryParts & {
  readonly clock: Clock;
  readonly pool: AgentPool;
  /** Which version serves on a channel. */
  readonly onChannel: OnChannel;
  /** Makes the checks of one request. */
  readonly checkerFor: (owner: Owner) => Checker;
};

export function createAgentCatalogue(parts: RegistryParts): AgentCatalogue {
  const { pool } = parts;
  const entries = createAgentEntries(parts);
  const visible = (
    owner: Owner,
    { facts, spec, hostOwned, unset, unusable, inner }: AgentEntry,
    isRevoked: boolean,
  ): AgentVisible => ({
    facts: withModelIssue(
      isRevoked ? degraded(facts, ['pack.revoked']) : facts,
      spec,
      unset ? {} : pool.chooseModel(owner, inner?.spec ?? spec, {}),
    ),
    hostOwned,
    ...(unset && { unset }),
    ...(unusable && { unusable }),
    ...(isRevoked && { revoked: true }),
  });
  return {
    add: entries.add,
    versions: entries.versions,
    revoked: entries.revoked,
    bind: (owner, agentId, value) => bind(parts, entries, owner, agentId, value),
    async list(owner) {
      const revoked = await entries.revokedPacks(owner);
      const all = (await entries.all(owner)).map((entry) => visible(owner, entry, isIn(revoked, entry)));
      return all.sort(
        ({ facts: a }, { facts: b }) =>
          compareText(a.agentId, b.agentId) || compareText(a.version, b.version),
      );
    },
    hostAgents: async (owner) => (await entries.ofHost(owner)).map(({ facts }) => facts),
    async find(owner, reference) {
      const parsed = parseAgentReference(reference);
      const { agentId, channel } = parsed;
      const revoked = await entries.revokedPacks(owner);
      if (channel === undefined) {
        const found = await entries.current(owner, parsed);
        return found && visible(owner, found, isIn(revoked, found));
      }
      const { version, digest } = await parts.onChannel(owner, agentId, channel);
      const found = await entries.current(owner, { agentId, version });
      if (!found)
        throw noActiveDeployment(agentId, `Version ${version} serves there and is gone.`, 'agent_gone');
      if (digest !== found.facts.digest)
        throw noActiveDeployment(
          agentId,
          `Version ${version} has changed since it was promoted.`,
          'agent_changed',
        );
      if (isIn(revoked, found))
        throw noActiveDeployment(agentId, `Version ${version} serves there and is revoked.`, 'agent_revoked');
      return { ...visible(owner, found, false), channel: asId<ChannelName>(channel) };
    },
    async chooseModel(owner, pin, asked) {
      const found = await entries.find(owner, pin);
      return found && !found.unset ? pool.chooseModel(owner, (found.inner ?? found).spec, asked) : {};
    },
    async chooseUser(owner, pin) {
      const found = await entries.find(owner, pin);
      return found && !found.unset ? pool.chooseUser(found.spec) : {};
    },
    async open(owner, plan) {
      const { agentId, version } = plan.agent;
      const found = await entries.find(owner, plan.agent);
      if (found?.unset)
        throw new HostError('conflict', needsVariables(`Agent ${agentId}@${version}`, found.unset));
      if (found) return pool.open(owner, found, plan);
      throw new HostError('not_found', `Agent ${agentId}@${version} is no longer known to this host.`);
    },
  };
}

async function bind(
  { store, pool, guard, clock, checkerFor }: RegistryParts,
  entries: AgentEntries,
  owner: Owner,
  agentId: string,
  value: unknown,
): ReturnType<AgentCatalogue['bind']> {
  const spec = parseAgentSpec(value, 'tenant');
  const references = tenantReferenceIssues(spec.run, '/run');
  if (references.length > 0) throw validationError(references);
  const unusable = await refuseSlow(SLOW_SCHEMAS, handoffIssues)(spec, checkerFor(owner));
  if (unusable.length > 0) throw validationError(unusable);
  checkBinding(spec, agentId, await entries.ofHost(owner), guard);
  await refusePacked(store, owner, spec);
  const model = 'provider' in spec.run && spec.run.provider ? pool.chooseModel(owner, spec, {}) : {};
  if ('issue' in model) throw validationError([{ pointer: '/run/provider', message: model.issue }]);
  const digest = await agentDigest(spec, '.');
  const { version } = spec;
  const row = { agentId: spec.agentId, version, digest, spec: spec as unknown as JsonObject };
  const outcome = await store.agents.put(owner, row, clock.now());
  if (outcome === 'conflict') throw changedAgent(spec.agentId, version);
  return { outcome, facts: agentFacts(spec, digest) };
}

const SLOW_SCHEMAS: Issue = {
  pointer: '/handoff',
  message: 'The schemas of this agent take too long to compile. Simplify them.',
};

/** A pack's agent is what its publisher signed; nothing else may answer to its name. */
async function refusePacked({ agents }: Store, owner: Owner, { agentId }: AgentSpec): Promise<void> {
  for (const version of await agents.versions(owner, agentId)) {
    const row = await agents.get(owner, agentId, version);
    const packed = (row?.spec as unknown as AgentSpec | undefined)?.pack;
    if (packed)
      throw new HostError(
        'conflict',
        `Agent ${agentId} comes from pack ${packed.name}@${packed.version} and cannot be bound otherwise. Choose another agentId.`,
      );
  }
}

/** An agent without a model is known, and would be refused at its first run: its entry says so beforehand. */
const withModelIssue = (
  facts: AgentFacts,
  { requires = [] }: AgentSpec,
  decision: ModelDecision,
): AgentFacts =>
  'issue' in decision
    ? degraded(facts, [...requires.filter(isOfModels), `modelClasses.${facts.modelClass ?? 'general'}`])
    : facts;

const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

function checkBinding(spec: AgentSpec, agentId: string, hosts: readonly AgentEntry[], guard: Guard): void {
  if (spec.agentId !== agentId) {
    throw validationError([{ pointer: '/agentId', message: 'Expected the same agentId as in the path.' }]);
  }
  checkNotTaken(
    [spec.agentId],
    hosts.map(({ facts }) => facts),
  );
  const address = addressOf(spec);
  const issues = address ? guard.checkUrl(address.url, address.pointer) : [];
  if (issues.length > 0) throw validationError(issues);
}

/** Every tenant may use what belongs to the host, and no tenant may replace it. */
export function checkNotTaken(agentIds: readonly string[], hosts: readonly AgentFacts[]): void {
  const taken = agentIds.find((agentId) => hosts.some((facts) => facts.agentId === agentId));
  if (taken === undefined) return;
  throw new HostError(
    'conflict',
    `Agent ${taken} belongs to the host and cannot be overwritten. Choose another agentId.`,
  );
}

function addressOf({ run }: AgentSpec): { readonly url: string; readonly pointer: string } | undefined {
  if (run.kind === 'http') return { url: run.url, pointer: '/run/url' };
  const baseUrl = run.kind === 'openai' || run.kind === 'openwop' ? run.baseUrl : undefined;
  return baseUrl === undefined ? undefined : { url: baseUrl, pointer: '/run/baseUrl' };
}
