import { defined, type RunId, type TaskResult } from '@touchstone/protocol';
import { type Client, readResults, type TaskView } from '@touchstone/sdk';
import { UsageError } from '../../io.js';
import type { Correction } from '../../render/run/task.js';
import { absent } from '../../run-lookup.js';
import { didYouMean } from '../../suggest.js';

/** One task of a run: its content, what the log says of it, and who has corrected its score. */
export type ShownTask = {
  readonly view: TaskView;
  /** Absent while the run has not come to write it down. */
  readonly result?: TaskResult;
  readonly corrections: readonly Correction[];
};

export async function readTask(client: Client, runId: RunId, taskId: string): Promise<ShownTask> {
  const view = await client.task(runId, taskId).catch(absent);
  if (!view) throw await unknownTask(client, runId, taskId);
  const result = (await readResults(client, runId)).find((one) => one.taskId === taskId);
  return { view, ...defined({ result }), corrections: await correctionsOf(client, runId, taskId) };
}

/** A task as a JSON document, with or without content. */
export const taskDocument = ({ view, result, corrections }: ShownTask, bodies: boolean): object => ({
  ...(bodies ? view : contentFree(view)),
  ...(result && factsOf(result)),
  ...(corrections.length > 0 && {
    corrections: bodies ? corrections : corrections.map(({ note: _, ...facts }) => facts),
  }),
});

/** All corrections of one task's score, oldest first: the last one counts. */
async function correctionsOf(client: Client, runId: RunId, taskId: string): Promise<readonly Correction[]> {
  const overrides = (await client.runs.overrides(runId)).filter((one) => one.taskId === taskId);
  if (overrides.length === 0) return [];
  const annotations = await client.runs.annotations(runId);
  return overrides.map(({ annotationId, score, by, at }) => {
    const note = annotations.find((one) => one.annotationId === annotationId)?.note || undefined;
    return defined({ annotationId, score, by, at, note });
  });
}

/** What the log says of a task beyond its score, all of it content-free. */
const factsOf = ({ unscored, findings, criteria, judge, costUsd, judgeUsd }: TaskResult): object =>
  defined({ unscored, findings, criteria, judge, costUsd, judgeUsd });

const contentFree = (view: TaskView): object => ({
  taskId: view.taskId,
  score: view.score,
  passed: view.passed,
  invocations: view.invocations.map(({ invocationId, outcome, attempts, toolCalls }) => ({
    ...defined({ invocationId, outcome, attempts }),
    toolCalls: toolCalls.map(({ callId, toolId, status, observed }) =>
      defined({ callId, toolId, status, observed }),
    ),
  })),
});

/** Names tasks that the run has finished, in place of one that it has not. */
export async function unknownTask(client: Client, runId: RunId, taskId: string): Promise<UsageError> {
  const { items } = (await client.runs.results(runId).catch(absent)) ?? { items: [] };
  const hint = didYouMean(
    taskId,
    items.map(({ result }) => result.taskId),
    'Tasks',
  );
  return new UsageError(`Run ${runId} has no finished task ${taskId}.`, hint);
}
