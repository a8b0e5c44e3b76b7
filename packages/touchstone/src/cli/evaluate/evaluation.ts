import type { RunId, TaskResult, TaskView } from '@touchstone/protocol';
import { defined, type Json } from '@touchstone/protocol';
import { bodiesOf, type Client, readResults } from '@touchstone/sdk';
import { renderMarkdown } from '../render/run/document.js';
import { exitOf, type RunView, withoutBodies } from '../verbs/run/result.js';
import type { EvaluatedCall, EvaluatedCriterion, EvaluatedTask, Evaluation } from './evaluate-types.js';

/** What a program gets of a run that is over. */
export async function evaluationOf(client: Client, view: RunView): Promise<Evaluation> {
  const { runId, status, summary, report } = view;
  const tasks = await tasksOf(client, runId);
  return {
    runId,
    status,
    exitCode: exitOf(view),
    passed: summary?.passed ?? false,
    ...defined({ score: summary?.aggregateScore }),
    summary: summary?.tasks ? { ...summary, tasks: summary.tasks } : null,
    ...defined({ report }),
    tasks,
    failures: tasks.filter(({ passed }) => !passed),
    markdown: () => renderMarkdown([withoutBodies(view)]),
  };
}

/** Tasks that are read at a time. */
const AT_ONCE = 32;

async function tasksOf(client: Client, runId: RunId): Promise<readonly EvaluatedTask[]> {
  const results = await readResults(client, runId);
  const tasks: EvaluatedTask[] = [];
  for (let from = 0; from < results.length; from += AT_ONCE) {
    const some = results.slice(from, from + AT_ONCE);
    const views = await Promise.all(some.map(({ taskId }) => client.task(runId, taskId)));
    for (const [at, view] of views.entries()) tasks.push(taskOf(some[at] as TaskResult, view));
  }
  return tasks;
}

function taskOf({ taskId, score, passed, unscored }: TaskResult, view: TaskView): EvaluatedTask {
  const last = view.invocations.at(-1);
  return {
    taskId,
    score,
    passed,
    ...defined({ unscored, output: last?.output as Json | undefined, error: last?.reason }),
    toolCalls: (last?.toolCalls ?? []).map(callOf),
    criteria: criteriaOf(view),
  };
}

const callOf = ({
  toolId,
  inputs,
  status,
  outcome,
  error,
}: TaskView['invocations'][number]['toolCalls'][number]): EvaluatedCall => ({
  toolId,
  inputs,
  status,
  ...defined({ outcome, error }),
});

function criteriaOf(view: TaskView): readonly EvaluatedCriterion[] {
  const { expected } = bodiesOf(view);
  return expected.kind === 'rubric' ? expected.criteria : [];
}
