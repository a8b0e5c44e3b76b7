import type { SuiteTaskList, SuiteTaskListing, TaskId } from '@touchstone/protocol';
import type { Task } from '@touchstone/protocol/bodies';
import type { Store } from '../../ports/index.js';
import type { SuiteVisible } from '../catalogue/entries.js';
import { taskPages } from '../catalogue/suite-catalogue.js';

export type SuiteTaskQuery = {
  /** A part of the task's id. */
  readonly id?: string | undefined;
  readonly kind?: SuiteTaskListing['kind'] | undefined;
  readonly offset: number;
  readonly limit: number;
};

/** The tasks of a suite as a list, without content. */
export async function listSuiteTasks(
  store: Store,
  { head, owner }: SuiteVisible,
  { id, kind, offset, limit }: SuiteTaskQuery,
): Promise<SuiteTaskList> {
  const kept: SuiteTaskListing[] = [];
  let [n, matched] = [0, 0];
  for await (const page of taskPages(store, owner, head))
    for (const task of page) {
      const isKept =
        (id === undefined || task.taskId.includes(id)) && (kind ?? task.expected.kind) === task.expected.kind;
      if (isKept && matched >= offset && kept.length < limit) kept.push(listingOf(task, n));
      if (isKept) matched += 1;
      n += 1;
    }
  return { total: head.taskCount, matched, offset, items: kept };
}

function listingOf({ taskId, expected, fixtures }: Task, n: number): SuiteTaskListing {
  const { length: tools } = fixtures?.toolResponses ?? [];
  const { length: memory } = fixtures?.memorySeed ?? [];
  return {
    n,
    taskId,
    kind: expected.kind,
    ...(expected.kind === 'golden'
      ? { strategy: expected.match.strategy }
      : { criteria: expected.rubric.length }),
    ...(tools > 0 && { tools }),
    ...(memory > 0 && { memory }),
  };
}

/** One task of a suite, as its author wrote it. */
export async function findSuiteTask(
  { suites }: Store,
  { head, owner }: SuiteVisible,
  taskId: TaskId,
): Promise<Task | undefined> {
  const ordinal = await suites.ordinalOf(owner, head.digest, taskId);
  const [task] = ordinal === undefined ? [] : await suites.tasks(owner, head.digest, ordinal, 1);
  return task;
}
