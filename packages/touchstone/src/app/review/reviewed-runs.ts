import { asId, HostError, type Owner, type RunId } from '@touchstone/protocol';
import type { Store } from '../../ports/index.js';
import { ownRun } from '../views/run-measurement.js';
import type { EvalRun } from '../views/tasks/task-table.js';
import { isEval } from '../views/tasks/task-table.js';

export type ReviewScope = {
  readonly suiteId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly runId?: string | undefined;
};

const PAGE = 200;
/** So far back runs are looked at, and so many tasks are read for one answer. */
const MOST_RUNS = 1_000;
const MOST_TASKS = 200_000;

/** The run that is named; otherwise the newest completed run of every suite with every agent, newest first. */
export async function runsForReview(
  store: Pick<Store, 'runs'>,
  owner: Owner,
  { runId, ...scope }: ReviewScope,
): Promise<readonly EvalRun[]> {
  if (runId === undefined) return newestRuns(store.runs, owner, scope);
  const run = await ownRun(store, owner, asId<RunId>(runId));
  if (isEval(run)) return [run];
  throw new HostError('not_found', 'This run is not an eval run, so it has no tasks to review.');
}

async function newestRuns(
  runs: Store['runs'],
  owner: Owner,
  scope: Omit<ReviewScope, 'runId'>,
): Promise<readonly EvalRun[]> {
  const newest = new Map<string, EvalRun>();
  let [seen, tasks] = [0, 0];
  for await (const run of completedRuns(runs, owner, scope)) {
    seen += 1;
    const { suite, agent, totalTasks } = run.plan;
    const subject = `${suite.suiteId} ${agent.agentId}`;
    const isNew = !newest.has(subject) && tasks + totalTasks <= MOST_TASKS;
    if (isNew) {
      newest.set(subject, run);
      tasks += totalTasks;
    }
    if (seen >= MOST_RUNS) break;
  }
  return [...newest.values()];
}

/** A replay repeats another run: there is nothing new to look at. */
async function* completedRuns(
  runs: Store['runs'],
  owner: Owner,
  { suiteId, agentId }: Omit<ReviewScope, 'runId'>,
): AsyncGenerator<EvalRun> {
  const filter = {
    status: 'completed',
    limit: PAGE,
    ...(suiteId !== undefined && { suiteId }),
    ...(agentId !== undefined && { agentId }),
  } as const;
  for (let cursor: string | undefined; ; ) {
    const page = await runs.list(owner, { ...filter, ...(cursor !== undefined && { cursor }) });
    for (const run of page.items) if (isEval(run) && run.plan.fork?.mode !== 'replay') yield run;
    cursor = page.nextCursor;
    if (cursor === undefined) return;
  }
}
