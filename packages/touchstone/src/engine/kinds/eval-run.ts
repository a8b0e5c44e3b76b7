import {
  type EvalPlan,
  HostError,
  type ModelClass,
  plannedSteps,
  type RepeatScore,
  type RunId,
  type SummaryTotals,
  type TaskResult,
} from '@touchstone/protocol';
import type { Payloads, Task } from '@touchstone/protocol/bodies';
import type { Run, SuiteHead } from '../../ports/index.js';
import type { Parts, TaskThresholds } from '../parts.js';
import { closeEval } from './eval-closing.js';
import type { RunKind } from './run-kind.js';
import type { TaskSource } from './task-source.js';

/** Every evaluation, whether an agent answers or recorded answers are judged again: one result per task, then the summary. */
export async function openEvalRun(
  parts: Parts,
  run: Run,
  plan: EvalPlan,
  taskAt: TaskSource,
): Promise<RunKind> {
  const suite = await openEvalSuite(parts, run, plan);
  const { rejudgeOf } = plan;
  return {
    steps: plannedSteps(plan),
    ordinalAt: (position) => plan.ordinals?.[position] ?? position,
    repeats: plan.repeats,
    concurrency: plan.concurrency,
    ...(plan.ceilingUsd !== undefined && { ceilingUsd: plan.ceilingUsd }),
    opening: (now) => [{ type: 'eval.started', at: now, payload: started(plan) }],
    result(ordinal, scores) {
      const task = taskAt(ordinal);
      if (task instanceof Promise) return task.then((loaded) => resultOf(parts, suite, loaded, scores));
      return resultOf(parts, suite, task, scores);
    },
    async closing(now, modelClass) {
      const evaluated = rejudgeOf === undefined ? modelClass : await sourceClass(parts, run, rejudgeOf);
      return closeEval(parts, run, plan, suite.head, evaluated, now);
    },
  };
}

/** What results are held against: the suite's thresholds, and those of a contract where it sets its own. */
export type EvalSuite = { readonly head: SuiteHead; readonly thresholdOf: TaskThresholds };

export async function openEvalSuite(parts: Parts, run: Run, plan: EvalPlan): Promise<EvalSuite> {
  const { suiteId, version, digest } = plan.suite;
  const head = await parts.suiteHead(run.owner, digest);
  if (!head) throw new HostError('not_found', `Suite ${suiteId}@${version} is no longer installed.`);
  return { head, thresholdOf: await parts.openThresholds(run.owner, plan) };
}

const started = (plan: EvalPlan) => ({
  suiteId: plan.suite.suiteId,
  suiteVersion: plan.suite.version,
  taskCount: plannedSteps(plan),
  modes: plan.modes,
  ...(plan.baselineRunId && { baselineRunId: plan.baselineRunId }),
});

/** No agent is open when answers are judged again; the summary of the run that asked it names its class. */
async function sourceClass(parts: Parts, run: Run, source: RunId): Promise<ModelClass | undefined> {
  const { log } = parts.store;
  const asked = await parts.store.runs.get(run.owner, source);
  const [stored] = asked ? await log.entries(run.owner, source, asked.eventCount - 1, 1) : [];
  const last = stored?.entry.kind === 'events' ? stored.entry.events.at(-1) : undefined;
  const outputs = (last?.payload as Payloads['run.completed'] | undefined)?.outputs;
  return (outputs as SummaryTotals | undefined)?.evaluatedModelClass;
}

export function resultOf(
  parts: Parts,
  { head, thresholdOf }: EvalSuite,
  task: Task,
  scores: readonly RepeatScore[],
): TaskResult {
  const own = thresholdOf(task.taskId);
  const threshold = own ?? parts.taskThreshold(task.expected.kind, head.thresholds);
  return parts.foldTask(task.taskId, scores, threshold, own !== undefined);
}
