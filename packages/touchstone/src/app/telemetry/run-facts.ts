import { type Digest, defined, isNondeterministic, type Owner, type RunId } from '@touchstone/protocol';
import type { Task } from '@touchstone/protocol/bodies';
import type { Run, Store } from '../../ports/index.js';
import type { RunFacts } from '../../telemetry/index.js';
import type { FindAgent } from '../catalogue/entries.js';

/** A run, with what telemetry has to know of it besides its log. */
export type FollowedRun = {
  readonly run: Run;
  readonly facts: RunFacts;
  /** Whether fixtures of a task stand in for its tools. */
  readonly usesFixtures: boolean;
  /** The task at a place of the suite; undefined where there is none. */
  taskAt(ordinal: number): Promise<Task | undefined>;
};

type FactsParts = {
  readonly runs: Pick<Store['runs'], 'get'>;
  readonly findAgent: FindAgent;
  readonly suiteTasks: SuiteTasks;
};
type SuiteTasks = (owner: Owner, digest: Digest, from: number, limit: number) => Promise<readonly Task[]>;

/** Runs at work at a time are few; those that were looked at last are kept. */
const KEPT_RUNS = 64;

export type RunFactsReader = (owner: Owner, runId: RunId) => Promise<FollowedRun | undefined>;

/** Undefined for runs that invoke no agent, and for those that are gone. */
export function createRunFacts(parts: FactsParts): RunFactsReader {
  const kept = new Map<RunId, FollowedRun | undefined>();
  return async (owner, runId) => {
    const followed = kept.has(runId) ? kept.get(runId) : await readRun(parts, owner, runId);
    kept.delete(runId);
    kept.set(runId, followed);
    const [oldest] = kept.keys();
    if (kept.size > KEPT_RUNS && oldest !== undefined) kept.delete(oldest);
    return followed;
  };
}

async function readRun(parts: FactsParts, owner: Owner, runId: RunId): Promise<FollowedRun | undefined> {
  const run = await parts.runs.get(owner, runId);
  if (run?.plan.kind !== 'eval' && run?.plan.kind !== 'agent') return undefined;
  const { plan } = run;
  const { agentId, version } = plan.agent;
  // An agent that is gone since has a name and a kind no more, and its spans are sent without them.
  const found = await parts.findAgent(owner, `${agentId}@${version}`).catch(() => undefined);
  const { persona, label = persona, kind, wraps } = found?.facts ?? {};
  const agent = defined({ agentId, version, name: label, kind: wraps?.kind ?? kind });
  if (plan.kind === 'agent')
    return {
      run,
      facts: { runId, invokedIn: runId, agent },
      usesFixtures: false,
      taskAt: async () => undefined,
    };
  return {
    run,
    facts: { runId, invokedIn: plan.rejudgeOf ?? runId, suite: plan.suite, agent },
    usesFixtures: !isNondeterministic(plan),
    taskAt: taskReader(parts.suiteTasks, owner, plan.suite.digest),
  };
}

const TASK_PAGE = 256;

/** Logs are in the order of their suite, so one page at a time is enough. */
function taskReader(suiteTasks: SuiteTasks, owner: Owner, digest: Digest): FollowedRun['taskAt'] {
  let held: { readonly page: number; readonly tasks: Promise<readonly Task[]> } | undefined;
  return async (ordinal) => {
    const page = Math.floor(ordinal / TASK_PAGE);
    if (held?.page !== page) held = { page, tasks: suiteTasks(owner, digest, page * TASK_PAGE, TASK_PAGE) };
    return (await held.tasks)[ordinal % TASK_PAGE];
  };
}
