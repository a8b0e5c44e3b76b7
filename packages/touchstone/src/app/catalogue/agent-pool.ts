import {
  type AgentPlan,
  defined,
  type EvalPlan,
  HostError,
  isHostError,
  type ModelPin,
  type Owner,
  type Redact,
  type Version,
} from '@touchstone/protocol';
import {
  type AgentFiles,
  type AgentSpec,
  keyVariable,
  type ModelDecision,
  type ModelRequest,
  type Models,
  type ModuleAgent,
  type ModuleProcesses,
  openAgent,
  pinModel,
  pinUser,
  type UserDecision,
} from '../../agents/index.js';
import { type Guard, type Names, openGuard, type PaceOf } from '../../net/index.js';
import {
  type Agent,
  AgentChanged,
  type Answer,
  type Clock,
  type MaybePromise,
  type Random,
  type Store,
  type ThreadShares,
  threadMs,
} from '../../ports/index.js';
import { entryFiles } from './conversation-entry.js';
import type { AgentEntry } from './entries.js';

type Plan = EvalPlan | AgentPlan;

/** Opens agents, and keeps one open for all the runs that use it. */
export type AgentPool = {
  chooseModel(owner: Owner, spec: AgentSpec, asked: ModelRequest): ModelDecision;
  chooseUser(spec: AgentSpec): UserDecision;
  open(owner: Owner, known: AgentEntry, plan: Plan): Promise<Agent>;
};

type PoolParts = {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly models: Models;
  readonly paceOf: PaceOf;
  readonly holdsSecret: (text: string) => boolean;
  readonly redact?: Redact;
  readonly names: Names;
  readonly shares: ThreadShares;
  /** Functions of the program that this host is part of. */
  readonly functions: ReadonlyMap<string, ModuleAgent>;
  /** Of module agents whose entry does not say how much memory they may use. Without it, they live in a thread. */
  readonly moduleMemoryMb?: number;
  /** Where module agents with such a limit get their processes. */
  readonly moduleProcesses?: Pick<ModuleProcesses, 'start'>;
};

type AgentWithFiles = { readonly agent: Agent; readonly files: AgentFiles };
type Entry = { readonly opened: Promise<AgentWithFiles>; users: number };

export function createAgentPool(parts: PoolParts): AgentPool {
  const entries = new Map<string, Entry>();
  const enter = async (key: string, open: () => Promise<AgentWithFiles>): Promise<Agent> => {
    const found = entries.get(key);
    const entry = found ?? { opened: open(), users: 0 };
    entries.set(key, entry);
    entry.users += 1;
    const forget = (): void => {
      if (entries.get(key) === entry) entries.delete(key);
    };
    const leave = async (): Promise<void> => {
      entry.users -= 1;
      if (entry.users > 0) return;
      forget();
      await entry.opened.then(({ agent }) => agent.close()).catch(() => undefined);
    };
    try {
      const opened = await entry.opened;
      if (!found || (await opened.files.isSame())) return sharedAgent(opened, leave);
    } catch (error) {
      await leave();
      throw error;
    }
    // It was opened for other runs, and its files have been written to since: this run reads them anew.
    forget();
    await leave();
    return enter(key, open);
  };
  return {
    chooseModel: (owner, spec, asked) => pinModel(parts.models, owner, spec, asked),
    chooseUser: (spec) => pinUser(parts.models, spec),
    open: (owner, known, plan) => enter(poolKey(owner, plan), () => openFresh(parts, owner, known, plan)),
  };
}

/** Agents that ask a model are opened for their owner, because providers and remembered answers are granted to owners. */
const poolKey = (owner: Owner, { agent, model, simulatedUser, cache }: Plan): string =>
  JSON.stringify(
    model || simulatedUser
      ? [agent.digest, owner.tenant, owner.workspace, model, simulatedUser, cache]
      : [agent.digest, owner.tenant],
  );

const sharedAgent = ({ agent, files }: AgentWithFiles, close: () => Promise<void>): Agent => ({
  facts: agent.facts,
  ...(agent.model && { model: agent.model }),
  ...(agent.takesTurns && { takesTurns: agent.takesTurns }),
  ...(agent.prompt && {
    prompt: (invocation) => agent.prompt?.(invocation) as ReturnType<NonNullable<Agent['prompt']>>,
  }),
  ...(agent.forTask && { forTask: (taskId) => agent.forTask?.(taskId) ?? agent }),
  // A module stays as it was loaded; a program is started for every turn, as it is then.
  invoke:
    (agent.facts.wraps ?? agent.facts).kind === 'command'
      ? (...asked) => invokeUnchanged(agent, files, ...asked)
      : (invocation, host) => agent.invoke(invocation, host),
  hasChanged: async () => !(await files.isSame()),
  close,
});

/** What a program answers that has been written to meanwhile is not used. */
async function invokeUnchanged(
  agent: Agent,
  files: AgentFiles,
  ...asked: Parameters<Agent['invoke']>
): Promise<Answer> {
  const answer = await agent.invoke(...asked);
  if (await files.isUntouched()) return answer;
  throw new AgentChanged();
}

async function openFresh(
  parts: PoolParts,
  owner: Owner,
  known: AgentEntry,
  plan: Plan,
): Promise<AgentWithFiles> {
  const { spec, facts, baseDir, guard } = known;
  // The files may have changed since the run was planned; an answer of other code would be evidence of nothing.
  const files = await entryFiles(known);
  if (files.digest !== plan.agent.digest) {
    throw new HostError(
      'conflict',
      `Agent ${facts.agentId}@${facts.version} has changed since this run was created. Start a new run.`,
    );
  }
  const { clock, random, paceOf, models, holdsSecret, names } = parts;
  const takeAnswer = takeAnswersOf(parts.shares, owner);
  const cache = plan.cache && { responses: parts.store.responses, holdsSecret };
  const { simulatedUser } = plan;
  const { redact } = parts;
  const use = { owner, models, ...modelOf(plan), ...defined({ simulatedUser, cache, redact }) };
  const agent = await openAgent(spec, {
    facts,
    baseDir,
    clock,
    random,
    paceOf,
    use,
    files,
    ...(known.inner && { inner: innerParts(known.inner, owner, names) }),
    functions: parts.functions,
    takeAnswer,
    limits: defined({ moduleMemoryMb: parts.moduleMemoryMb, moduleProcesses: parts.moduleProcesses }),
    fetchGuard: guardOf(guard, owner, names),
    ...keyOf(known),
  }).catch(cannotOpen);
  const issue = await agent.loadIssue?.();
  if (issue === undefined) return { agent, files };
  await agent.close();
  throw new HostError('conflict', `Agent ${facts.agentId}@${facts.version} cannot be used. ${issue}`);
}

/** Reading an answer, scoring it and writing it down counts for the tenant, by the length of the answer. */
const takeAnswersOf =
  (shares: ThreadShares, { tenant }: Owner) =>
  (characters: number, signal: AbortSignal): MaybePromise<void> => {
    const ms = threadMs(ANSWER_WEIGHT * characters);
    const charge = (): void => shares.charge(tenant, ms);
    const turn = shares.enter(tenant, ANSWER_MS + ms, signal);
    return turn ? turn.then(charge) : charge();
  };

/** About what reading, scoring and sealing the shortest answer takes of the thread. */
const ANSWER_MS = 0.2;

/** An answer is read, compared, looked through and written again. */
const ANSWER_WEIGHT = 2;
const innerParts = (entry: AgentEntry, owner: Owner, names: Names) => ({
  ...{ spec: entry.spec, facts: entry.facts, baseDir: entry.baseDir },
  fetchGuard: guardOf(entry.guard, owner, names),
  ...keyOf(entry),
});

/** Only the entry as it was written says which variable a key comes from. */
const keyOf = ({ written }: AgentEntry) =>
  defined({ keyEnv: written?.run.kind === 'http' ? keyVariable(written.run.headers) : undefined });

const guardOf = (guard: Guard | undefined, owner: Owner, names: Names): Guard =>
  guard?.withNames(names.of(owner.tenant)) ?? openGuard(names.system);

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
