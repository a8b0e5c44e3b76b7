import { setImmediate } from 'node:timers/promises';
import type { TaskId } from '@touchstone/protocol';
import { type Body, fromBody, type Task } from '@touchstone/protocol/bodies';
import type { EndedTask } from '@touchstone/protocol/tasks';
import type { Store, TaskRecord } from '../../../ports/index.js';
import { findSuite, recordsOf, type TaskSources } from '../task-view.js';
import type { EvalRun, TaskTables } from './task-table.js';

/** Finds tasks by their content. Answers ids alone. */
export type TaskTexts = {
  find(run: EvalRun, text: string, signal: AbortSignal): Promise<ReadonlySet<TaskId>>;
};

type Parts = { readonly sources: TaskSources; readonly tables: TaskTables };

/** A reader who scrolls asks for page after page of the same search. */
const KEPT = 16;
const PAGE = 100;

export function createTaskTexts({ sources, tables }: Parts): TaskTexts {
  const kept = new Map<string, ReadonlySet<TaskId>>();
  return {
    async find(run, text, signal) {
      const table = await tables.of(run);
      const { owner, runId, bodiesRemovedAt } = run;
      const key = JSON.stringify([owner, runId, table.revision, bodiesRemovedAt, text]);
      const found = kept.get(key) ?? (await search(sources, run, table.tasks, text.toLowerCase(), signal));
      kept.delete(key);
      kept.set(key, found);
      for (const oldest of kept.keys()) if (kept.size > KEPT) kept.delete(oldest);
      return found;
    },
  };
}

/** All tasks of a run are read here, so everyone else gets a turn between two pages. */
async function search(
  sources: TaskSources,
  run: EvalRun,
  tasks: readonly EndedTask[],
  text: string,
  signal: AbortSignal,
): Promise<ReadonlySet<TaskId>> {
  const { store } = sources;
  const found = new Set<TaskId>();
  const suite = await findSuite(sources, run.owner, run.plan);
  for (let from = 0; suite && from < tasks.length; from += PAGE) {
    const page = tasks.slice(from, from + PAGE);
    const [first, last] = [page[0]?.ordinal ?? 0, page.at(-1)?.ordinal ?? 0];
    const { digest } = run.plan.suite;
    const written = await store.suites.tasks(suite.holder, digest, first, Math.min(last - first + 1, PAGE));
    const byId = new Map(written.map((task) => [task.taskId, task]));
    for (const { ordinal, result } of page) {
      const task = byId.get(result.taskId) ?? (await store.suites.tasks(suite.holder, digest, ordinal, 1))[0];
      if (await holds(store.log, run, ordinal, task, text)) found.add(result.taskId);
    }
    await setImmediate();
    signal.throwIfAborted();
  }
  return found;
}

async function holds(
  log: Store['log'],
  { owner, runId, bodiesRemovedAt }: EvalRun,
  ordinal: number,
  task: Task | undefined,
  text: string,
): Promise<boolean> {
  if (task && writtenTexts(task).some((body) => hasText(body, text))) return true;
  if (bodiesRemovedAt !== undefined) return false;
  for await (const record of recordsOf(log, owner, runId, ordinal))
    if (answersOf(record).some((body) => hasText(body, text))) return true;
  return false;
}

const writtenTexts = ({ input, expected }: Task): readonly Body[] =>
  expected.kind === 'golden' ? [input, expected.match.value] : [input];

const answersOf = ({ events }: TaskRecord): readonly Body[] =>
  events.flatMap((event) => (event.type === 'agent.decided' ? [event.payload.decision] : []));

const hasText = (body: Body, text: string): boolean => {
  const value = fromBody(body);
  return (typeof value === 'string' ? value : JSON.stringify(value)).toLowerCase().includes(text);
};
