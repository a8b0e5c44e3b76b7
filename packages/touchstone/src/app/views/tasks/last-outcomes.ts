import type { TaskId } from '@touchstone/protocol';
import { outcomeOf } from '@touchstone/protocol/tasks';
import type { Store } from '../../../ports/index.js';
import type { EvalRun, TaskTables } from './task-table.js';

type Parts = { readonly store: Pick<Store, 'runs'>; readonly tables: TaskTables };

const PAGE = 50;
/** So many tasks are read for one answer: runs of large suites go back less far. */
const MOST_TASKS = 200_000;

const LETTERS = { passed: 'p', failed: 'f', unscored: 'u' } as const;

/** One letter for each of the last runs of the same suite and agent, oldest first and this one last. */
export async function lastOutcomes(
  { store, tables }: Parts,
  run: EvalRun,
  count: number,
): Promise<(taskId: TaskId) => string | undefined> {
  if (count === 0) return () => undefined;
  const runs = [...(await earlierRuns(store, run, count - 1)), run];
  const found = await Promise.all(runs.map(async (one) => (await tables.of(one)).byId()));
  return (taskId) =>
    found
      .map((tasks) => {
        const task = tasks.get(taskId);
        return task ? LETTERS[outcomeOf(task.result)] : '-';
      })
      .join('');
}

/** Completed ones, oldest first. A replay repeats another run and says nothing new. */
async function earlierRuns(
  { runs }: Parts['store'],
  { owner, plan, runId, createdAt }: EvalRun,
  count: number,
): Promise<readonly EvalRun[]> {
  const found: EvalRun[] = [];
  const { suite, agent, totalTasks } = plan;
  const most = Math.min(count, Math.floor(MOST_TASKS / Math.max(1, totalTasks)));
  const filter = {
    suiteId: suite.suiteId,
    agentId: agent.agentId,
    status: 'completed',
    createdBefore: createdAt,
    limit: PAGE,
  } as const;
  for (let cursor: string | undefined; found.length < most; ) {
    const page = await runs.list(owner, { ...filter, ...(cursor !== undefined && { cursor }) });
    for (const run of page.items)
      if (run.plan.kind === 'eval' && run.plan.fork?.mode !== 'replay' && run.runId !== runId)
        found.push(run as EvalRun);
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  return found.slice(0, most).toReversed();
}
