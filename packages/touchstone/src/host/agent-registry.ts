import {
  type AgentPin,
  type Digest,
  HostError,
  type JsonObject,
  type Owner,
  type Version,
  validationError,
} from '@touchstone/contract';
import type { Agent, AgentFacts, Clock, Random, Store } from '@touchstone/contract/ports';
import {
  type AgentSpec,
  agentDigest,
  agentFacts,
  createPaces,
  type Guard,
  openAgent,
  parseAgentSpec,
} from '../agents/index.js';
import { type AgentReference, highestVersion, parseAgentReference } from '../suites/index.js';
import type { AgentVisible } from './touchstone.js';

/** An agent this host can open. Tenants' agents come with a guard on where they may connect to. */
type Known = {
  readonly spec: AgentSpec;
  readonly facts: AgentFacts;
  readonly baseDir: string;
  readonly guard?: Guard;
};

export type AgentRegistry = {
  /** Registers an agent of the operator's (configuration or command line). The newest of the same version counts. */
  add(spec: AgentSpec, baseDir: string): Promise<AgentFacts>;
  bind(
    owner: Owner,
    agentId: string,
    value: unknown,
  ): Promise<{ outcome: 'created' | 'same'; facts: AgentFacts }>;
  list(owner: Owner): Promise<readonly AgentVisible[]>;
  find(owner: Owner, reference: string): Promise<AgentVisible | undefined>;
  /** Opens a pinned agent. Runs that use the same one share it; it closes with the last of them. */
  open(owner: Owner, pin: AgentPin): Promise<Agent>;
};

type RegistryParts = {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly guard: Guard;
};

export function createAgentRegistry(parts: RegistryParts): AgentRegistry {
  const operators = new Map<string, Known>();
  const pool = createPool(parts);

  const visibleTo = (owner: Owner): Known[] =>
    [...operators.values()].filter(({ spec }) => spec.tenant === undefined || spec.tenant === owner.tenant);

  const bound = async (owner: Owner): Promise<Known[]> =>
    (await parts.store.agents.list(owner)).map(({ spec, digest }) =>
      known(parseAgentSpec(spec, 'tenant'), digest, '.', parts.guard),
    );

  const findKnown = async (
    owner: Owner,
    wanted: AgentReference,
  ): Promise<{ known: Known; hostOwned: boolean } | undefined> => {
    const all = [
      ...(await bound(owner)).map((one) => ({ known: one, hostOwned: false })),
      ...visibleTo(owner).map((one) => ({ known: one, hostOwned: true })),
    ].filter(({ known: { facts } }) => facts.agentId === wanted.agentId);
    const version = wanted.version ?? highestVersion(all.map(({ known: { facts } }) => facts.version));
    return all.find(({ known: { facts } }) => facts.version === version);
  };

  const add = async (spec: AgentSpec, baseDir: string): Promise<AgentFacts> => {
    const one = known(spec, await agentDigest(spec, baseDir), baseDir);
    operators.set(`${spec.tenant ?? ''} ${spec.agentId}@${spec.version}`, one);
    return one.facts;
  };

  return {
    add,
    async bind(owner, agentId, value) {
      const spec = parseAgentSpec(value, 'tenant');
      checkBinding(spec, agentId, visibleTo(owner), parts.guard);
      const digest = await agentDigest(spec, '.');
      const row = {
        agentId: spec.agentId,
        version: spec.version,
        digest,
        spec: spec as unknown as JsonObject,
      };
      const outcome = await parts.store.agents.put(owner, row, parts.clock.now());
      if (outcome === 'conflict') throw changed(spec.agentId, spec.version);
      return { outcome, facts: agentFacts(spec, digest) };
    },
    async list(owner) {
      const all = [
        ...(await bound(owner)).map(({ facts }) => ({ facts, hostOwned: false })),
        ...visibleTo(owner).map(({ facts }) => ({ facts, hostOwned: true })),
      ];
      return all.sort(
        (a, b) =>
          compareText(a.facts.agentId, b.facts.agentId) || compareText(a.facts.version, b.facts.version),
      );
    },
    async find(owner, reference) {
      const found = await findKnown(owner, withoutChannel(reference));
      if (!found?.hostOwned) return found && { facts: found.known.facts, hostOwned: false };
      // Its files may have been edited since it was registered; a new run is pinned to what they are now.
      const { spec, baseDir } = found.known;
      return { facts: await add(spec, baseDir), hostOwned: true };
    },
    async open(owner, pin) {
      const found = await findKnown(owner, pin);
      if (!found)
        throw new HostError(
          'not_found',
          `Agent ${pin.agentId}@${pin.version} is no longer known to this host.`,
        );
      return pool(found.known, pin.digest);
    },
  };
}

const known = (spec: AgentSpec, digest: Digest, baseDir: string, guard?: Guard): Known => ({
  spec,
  facts: agentFacts(spec, digest),
  baseDir,
  ...(guard && { guard }),
});

const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Channels belong to deployments, which this host does not offer. */
function withoutChannel(reference: string): AgentReference {
  const parsed = parseAgentReference(reference);
  if (parsed.channel === undefined) return parsed;
  const message = `This host offers no deployment channels, so "@${parsed.channel}" cannot be resolved. Name a version or none.`;
  throw validationError([{ pointer: '/agentId', message }], { field: 'agentId' });
}

function checkBinding(spec: AgentSpec, agentId: string, hosts: readonly Known[], guard: Guard): void {
  if (spec.agentId !== agentId) {
    throw validationError([{ pointer: '/agentId', message: 'Expected the same agentId as in the path.' }]);
  }
  if (hosts.some(({ facts }) => facts.agentId === spec.agentId)) {
    throw new HostError(
      'conflict',
      `Agent ${spec.agentId} belongs to the host and cannot be overwritten. Choose another agentId.`,
    );
  }
  if (spec.run.kind === 'http') {
    const issues = guard.checkUrl(spec.run.url, '/run/url');
    if (issues.length > 0) throw validationError(issues);
  }
}

const changed = (agentId: string, version: Version): HostError =>
  new HostError(
    'conflict',
    `Agent ${agentId}@${version} is installed with other content. Versions do not change: raise the version.`,
  );

/** Shares one opened agent among the runs that use it, and closes it when the last one lets go. */
function createPool(parts: RegistryParts): (known: Known, digest: Digest) => Promise<Agent> {
  const paceOf = createPaces(parts.clock);
  const opened = new Map<Digest, { readonly agent: Promise<Agent>; users: number }>();

  const openFresh = async (one: Known, digest: Digest): Promise<Agent> => {
    // The files may have changed since the run was planned; an answer of other code would be evidence of nothing.
    if ((await agentDigest(one.spec, one.baseDir)) !== digest) {
      throw new HostError(
        'conflict',
        `Agent ${one.facts.agentId}@${one.facts.version} has changed since this run was created. Start a new run.`,
      );
    }
    const agent = openAgent(one.spec, {
      facts: one.facts,
      baseDir: one.baseDir,
      clock: parts.clock,
      random: parts.random,
      paceOf,
      ...(one.guard && { fetchGuard: one.guard }),
    });
    const trouble = await agent.trouble?.();
    if (trouble === undefined) return agent;
    await agent.close();
    throw new HostError(
      'conflict',
      `Agent ${one.facts.agentId}@${one.facts.version} cannot be used. ${trouble}`,
    );
  };

  return async (one, digest) => {
    const entry = opened.get(digest) ?? { agent: openFresh(one, digest), users: 0 };
    opened.set(digest, entry);
    entry.users += 1;
    const leave = async (): Promise<void> => {
      entry.users -= 1;
      if (entry.users > 0) return;
      if (opened.get(digest) === entry) opened.delete(digest);
      await entry.agent.then((agent) => agent.close()).catch(() => undefined);
    };
    try {
      const agent = await entry.agent;
      return {
        facts: agent.facts,
        invoke: (invocation, host) => agent.invoke(invocation, host),
        close: leave,
      };
    } catch (error) {
      await leave();
      throw error;
    }
  };
}
