import type { CriterionId, Digest, EventId } from '@touchstone/protocol';
import { type Body, eventIdOf, fromBody, isJudged, type Task } from '@touchstone/protocol/bodies';
import type { EndedTask } from '@touchstone/protocol/tasks';
import type { Run, Store, TaskRecord } from '../../ports/index.js';
import { criteriaOf } from '../../scoring/index.js';
import { findSuite, recordsOf, type TaskSources } from '../views/task-view.js';
import type { EvalRun } from '../views/tasks/task-table.js';

/** One answer to a task: the event that holds it, and what is recorded of its repeat. */
export type TaskAnswer = { readonly eventId: EventId; readonly output: Body; readonly record: TaskRecord };

/** The answers of a task, one for each repeat that has one. None while the log does not have the task yet. */
export async function answersOf(
  log: Pick<Store['log'], 'records'>,
  { owner, runId }: Pick<Run, 'owner' | 'runId'>,
  { ordinal, firstSequence }: EndedTask,
): Promise<readonly TaskAnswer[]> {
  if (firstSequence === undefined) return [];
  const answers: TaskAnswer[] = [];
  let sequence = firstSequence;
  for await (const record of recordsOf(log, owner, runId, ordinal)) {
    for (const [at, event] of record.events.entries())
      if (event.type === 'agent.decided')
        answers.push({
          eventId: eventIdOf(runId, sequence + at),
          output: event.payload.decision,
          record,
        });
    sequence += record.events.length;
  }
  return answers;
}

/** A criterion of a task, with its words. */
export type TaskCriterion = {
  readonly id: CriterionId;
  readonly sentence: string;
  /** A judge decides it, not a check. */
  readonly judged: boolean;
};
export type ReviewedTask = { readonly input: Body; readonly criteria: readonly TaskCriterion[] };

/** Reads tasks of runs, each once, and the heads of their suites once. Undefined when the suite is gone. */
export function taskReader(sources: TaskSources) {
  const read = new Map<string, Promise<ReviewedTask | undefined>>();
  const suites = new Map<string, ReturnType<typeof findSuite>>();
  const suiteOf = ({ owner, plan }: EvalRun): ReturnType<typeof findSuite> => {
    const found = suites.get(plan.suite.digest) ?? findSuite(sources, owner, plan);
    suites.set(plan.suite.digest, found);
    return found;
  };
  return (run: EvalRun, ordinal: number): Promise<ReviewedTask | undefined> => {
    const { digest } = run.plan.suite;
    const key = `${digest} ${ordinal}`;
    const task = read.get(key) ?? readTask(sources, digest, suiteOf(run), ordinal);
    read.set(key, task);
    return task;
  };
}

async function readTask(
  sources: TaskSources,
  digest: Digest,
  found: ReturnType<typeof findSuite>,
  ordinal: number,
): Promise<ReviewedTask | undefined> {
  const suite = await found;
  if (!suite) return undefined;
  const [task] = await sources.store.suites.tasks(suite.holder, digest, ordinal, 1);
  return task && { input: task.input, criteria: criteriaWithWords(task) };
}

function criteriaWithWords(task: Task): readonly TaskCriterion[] {
  const { rubric = [] } = task.expected;
  return criteriaOf(task).map(({ id, parsed }, at) => ({
    id,
    judged: isJudged(parsed),
    sentence: String(fromBody(rubric[at]?.criterion as Body)),
  }));
}
