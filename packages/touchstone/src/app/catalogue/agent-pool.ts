import {
  type AgentPlan,
  defined,
  type EvalPlan,
  HostError,
  isHostError,
  type ModelPin,
  type Owner,
  type Version,
} from '@touchstone/protocol';
import {
  type AgentSpec,
  agentDigest,
  type ModelDecision,
  type ModelRequest,
  type Models,
  openAgent,
  pinModel,
} from '../../agents/index.js';
import { type Names, openGuard, type PaceOf } from '../../net/index.js';
import type { Agent, Clock, Random, Store } from '../../ports/index.js';
import type { AgentEntry } from './entries.js';

type Plan = EvalPlan | AgentPlan;

/** Opens agents, and keeps one open for all the runs that use it. */
export type AgentPool = {
  chooseModel(owner: Owner, spec: AgentSpec, asked: ModelRequest): ModelDecision;
  open(owner: Owner, known: AgentEntry, plan: Plan): Promise<Agent>;
};

type PoolParts = {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly models: Models;
  readonly paceOf: PaceOf;
  readonly holdsSecret: (text: string) => boolean;
  readonly names: Names;
  /** Of module agents whose entry does not say how much memory they may use. Without it, they live in a thread. */
  readonly moduleMemoryMb?: number;
};

type Entry = { readonly agent: Promise<Agent>; users: number };

export function createAgentPool(parts: PoolParts): AgentPool {
  const opened = new Map<string, Entry>();
  return {
    chooseModel: (owner, spec, asked) => pinModel(parts.models, owner, spec, asked),
    async open(owner, known, plan) {
      const key = poolKey(owner, plan);
      const entry = opened.get(key) ?? { agent: openFresh(parts, owner, known, plan), users: 0 };
      opened.set(key, entry);
      entry.users += 1;
      const leave = async (): Promise<void> => {
        entry.users -= 1;
        if (entry.users > 0) return;
        if (opened.get(key) === entry) opened.delete(key);
        await entry.agent.then((agent) => agent.close()).catch(() => undefined);
      };
      try {
        return sharedAgent(await entry.agent, leave);
      } catch (error) {
        await leave();
        throw error;
      }
    },
  };
}

/** Agents that ask a model are opened for their owner, because providers and remembered answers are granted to owners. */
const poolKey = (owner: Owner, { agent, model, cache }: Plan): string =>
  JSON.stringify(
    model ? [agent.digest, owner.tenant, owner.workspace, model, cache] : [agent.digest, owner.tenant],
  );

const sharedAgent = (agent: Agent, close: () => Promise<void>): Agent => ({
  facts: agent.facts,
  ...(agent.model && { model: agent.model }),
  ...(agent.prompt && {
    prompt: (invocation) => agent.prompt?.(invocation) as ReturnType<NonNullable<Agent['prompt']>>,
  }),
  invoke: (invocation, host) => agent.invoke(invocation, host),
  close,
});

async function openFresh(parts: PoolParts, owner: Owner, known: AgentEntry, plan: Plan): Promise<Agent> {
  const { spec, facts, baseDir, guard } = known;
  // The files may have changed since the run was planned; an answer of other code would be evidence of nothing.
  if ((await agentDigest(spec, baseDir)) !== plan.agent.digest) {
    throw new HostError(
      'conflict',
      `Agent ${facts.agentId}@${facts.version} has changed since this run was created. Start a new run.`,
    );
  }
  const { clock, random, paceOf, models, holdsSecret, names } = parts;
  const cache = plan.cache && { responses: parts.store.responses, holdsSecret };
  const use = { owner, models, ...modelOf(plan), ...(cache && { cache }) };
  const agent = await openAgent(spec, {
    facts,
    baseDir,
    clock,
    random,
    paceOf,
    use,
    limits: defined({ moduleMemoryMb: parts.moduleMemoryMb }),
    fetchGuard: guard?.withNames(names.of(owner.tenant)) ?? openGuard(names.system),
  }).catch(cannotOpen);
  const issue = await agent.loadIssue?.();
  if (issue === undefined) return agent;
  await agent.close();
  throw new HostError('conflict', `Agent ${facts.agentId}@${facts.version} cannot be used. ${issue}`);
}

/** What keeps an agent from being opened will keep it from being opened again: the run that waits for it has to end. */
function cannotOpen(error: unknown): never {
  if (isHostError(error) && error.code === 'validation_error') throw new HostError('conflict', error.message);
  throw error;
}

const modelOf = ({ model }: Plan): { readonly pin?: ModelPin } => (model ? { pin: model } : {});

export const changedAgent = (agentId: string, version: Version): HostError =>
  new HostError(
    'conflict',
    `Agent ${agentId}@${version} is installed with other content. Versions do not change: raise the version.`,
  );
