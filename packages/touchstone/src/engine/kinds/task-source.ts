import type { Digest, Owner } from '@touchstone/protocol';
import type { Task } from '@touchstone/protocol/bodies';
import type { MaybePromise, Run } from '../../ports/index.js';
import type { Parts } from '../parts.js';

const PAGE = 256;
/** Tasks start in order and few are in flight, so a handful of pages covers every task in use. */
const KEPT_PAGES = 4;

/** Reads a suite's tasks in pages, so that a run's memory does not grow with its suite. */
export type TaskSource = (ordinal: number) => MaybePromise<Task>;

/** The tasks of a run's suite. Runs without one have no tasks, and their kinds ask for none. */
export const taskSourceOf = (parts: Parts, { owner, plan }: Run): TaskSource => {
  if (plan.kind === 'eval') return createTaskSource(parts, owner, plan.suite.digest);
  return () => Promise.reject(new Error('Only an evaluation has tasks.'));
};

export function createTaskSource(parts: Parts, owner: Owner, digest: Digest): TaskSource {
  const loaded = new Map<number, readonly Task[]>();
  const loading = new Map<number, Promise<readonly Task[]>>();

  const load = async (page: number): Promise<readonly Task[]> => {
    const tasks = await parts.suiteTasks(owner, digest, page * PAGE, PAGE);
    loaded.set(page, tasks);
    loading.delete(page);
    if (loaded.size > KEPT_PAGES) loaded.delete(Math.min(...loaded.keys()));
    return tasks;
  };

  const pick = (tasks: readonly Task[], ordinal: number): Task => {
    const task = tasks[ordinal % PAGE];
    if (!task) throw new Error(`Suite ${digest} has no task ${ordinal}.`);
    return task;
  };

  return (ordinal) => {
    const page = Math.floor(ordinal / PAGE);
    const ready = loaded.get(page);
    if (ready) return pick(ready, ordinal);
    const promise = loading.get(page) ?? load(page);
    loading.set(page, promise);
    return promise.then((tasks) => pick(tasks, ordinal));
  };
}
