import type { EvalPlan } from '@touchstone/protocol';
import type { Task } from '@touchstone/protocol/bodies';
import type { Run } from '../../ports/index.js';
import { findSuite, MAX_VIEW_BYTES, type TaskSources, type TaskView, viewFound } from './task-view.js';

/** Tasks of a run with their places in the suite. */
export type TaskPage = {
  readonly items: readonly { readonly ordinal: number; readonly task: TaskView }[];
  /** How many of the places that were named the page covers. */
  readonly covered: number;
};

/** The tasks at these places, as many as fit one answer; one if there is any. */
export async function viewTasks(
  sources: TaskSources,
  run: Run & { readonly plan: EvalPlan },
  ordinals: readonly number[],
): Promise<TaskPage> {
  const { store } = sources;
  const suite = await findSuite(sources, run.owner, run.plan);
  if (!suite) return { items: [], covered: ordinals.length };
  const items: TaskPage['items'][number][] = [];
  const taskAt = readAhead((from) =>
    store.suites.tasks(suite.holder, run.plan.suite.digest, from, ordinals.length),
  );
  let bytes = 0;
  for (const [covered, ordinal] of ordinals.entries()) {
    const task = await taskAt(ordinal);
    const view = task && (await viewFound(store, run, { ordinal, task, threshold: suite.thresholdOf(task) }));
    if (!view) continue;
    bytes += Buffer.byteLength(JSON.stringify(view));
    if (bytes > MAX_VIEW_BYTES && items.length > 0) return { items, covered };
    items.push({ ordinal, task: view });
  }
  return { items, covered: ordinals.length };
}

/** Tasks by their places. A log is mostly in the order of its suite, and a store reads many tasks as fast as one. */
function readAhead(read: (from: number) => Promise<readonly Task[]>) {
  let block: { readonly from: number; readonly tasks: readonly Task[] } = { from: 0, tasks: [] };
  return async (ordinal: number): Promise<Task | undefined> => {
    const isIn = ordinal >= block.from && ordinal < block.from + block.tasks.length;
    if (!isIn) block = { from: ordinal, tasks: await read(ordinal) };
    return block.tasks[ordinal - block.from];
  };
}
