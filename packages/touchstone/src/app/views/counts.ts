import type { HostCounts, Owner } from '@touchstone/protocol';
import type { Store } from '../../ports/index.js';
import { completedRuns } from './outcomes/completed-runs.js';
import type { EvalRun } from './tasks/task-table.js';
import type { Tasks } from './tasks/tasks.js';

type CountSource = { readonly store: Store; readonly tasks: Tasks };

/** Among so many of the last runs the newest of each suite and agent is looked for. */
const LAST_RUNS = 200;

/** What waits for people, and what is at work. A page asks every few seconds, so most of it is one count of an index. */
export async function readCounts(source: CountSource, owner: Owner): Promise<HostCounts> {
  const found = await source.store.runs.count(owner);
  const { pending = 0, running = 0, cancelling = 0 } = found;
  return {
    approvals: found['waiting-approval'] ?? 0,
    review: await countReview(source, owner),
    running: pending + running + cancelling,
  };
}

async function countReview(source: CountSource, owner: Owner): Promise<number> {
  let waiting = 0;
  for (const run of newestOfEach(await completedRuns(source.store, owner, { limit: LAST_RUNS })))
    waiting += await openTasks(source, run);
  return waiting;
}

/** Newest first. */
function newestOfEach(runs: readonly EvalRun[]): readonly EvalRun[] {
  const newest = new Map<string, EvalRun>();
  for (const run of runs) {
    const key = JSON.stringify([run.plan.suite.suiteId, run.plan.agent.agentId]);
    if (!newest.has(key)) newest.set(key, run);
  }
  return [...newest.values()];
}

/** Without a remark on the run the totals tell it. */
async function openTasks({ store, tasks }: CountSource, run: EvalRun): Promise<number> {
  const { taskCount = 0, passedCount = 0 } = run.headline ?? {};
  if (taskCount === passedCount) return 0;
  if ((await store.annotations.list(run.owner, run.runId)).length === 0) return taskCount - passedCount;
  const open = { reviewed: 'open', offset: 0, limit: 1, last: 0 } as const;
  const failed = await tasks.page(run, { ...open, outcome: 'failed' });
  const unscored = await tasks.page(run, { ...open, outcome: 'unscored' });
  return failed.matched + unscored.matched;
}
