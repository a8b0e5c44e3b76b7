import {
  type EvalPlan,
  HostError,
  type ModelClass,
  plannedSteps,
  type RepeatScore,
  type TaskResult,
} from '@touchstone/protocol';
import type { Task } from '@touchstone/protocol/bodies';
import type { Run, SuiteHead } from '../../ports/index.js';
import type { Bars, Parts } from '../parts.js';
import { closeEval } from './eval-closing.js';
import type { Program } from './run-kind.js';
import type { TaskSource } from './task-source.js';

export async function openSuite(parts: Parts, run: Run, plan: EvalPlan): Promise<SuiteHead> {
  const head = await parts.suiteHead(run.owner, plan.suite.digest);
  if (head) return head;
  const { suiteId, version } = plan.suite;
  throw new HostError('not_found', `Suite ${suiteId}@${version} is no longer installed.`);
}

/** What every evaluation does, whoever answers: the tasks in order, one result each, the scorecard at the end. */
export function evalFrame(
  parts: Parts,
  run: Run,
  plan: EvalPlan,
  measure: Measure,
  taskAt: TaskSource,
  modelClass: () => Promise<ModelClass | undefined>,
): Omit<Program, 'execute' | 'close'> {
  return {
    steps: plannedSteps(plan),
    ordinalAt: (position) => plan.ordinals?.[position] ?? position,
    repeats: plan.repeats,
    concurrency: plan.concurrency,
    ...(plan.ceilingUsd !== undefined && { ceilingUsd: plan.ceilingUsd }),
    opening: (now) => [{ type: 'eval.started', at: now, payload: started(plan) }],
    result: (ordinal, scores) => {
      const task = taskAt(ordinal);
      if (task instanceof Promise) return task.then((loaded) => resultOf(parts, measure, loaded, scores));
      return resultOf(parts, measure, task, scores);
    },
    closing: async (now) => closeEval(parts, run, plan, measure.head, await modelClass(), now),
  };
}

const started = (plan: EvalPlan) => ({
  suiteId: plan.suite.suiteId,
  suiteVersion: plan.suite.version,
  taskCount: plannedSteps(plan),
  modes: plan.modes,
  ...(plan.baselineRunId && { baselineRunId: plan.baselineRunId }),
});

/** What tasks are held against: the suite's bars, and those of a contract where it has its own. */
export type Measure = { readonly head: SuiteHead; readonly bars: Bars };

export function resultOf(
  parts: Parts,
  { head, bars }: Measure,
  task: Task,
  scores: readonly RepeatScore[],
): TaskResult {
  const own = bars(task.taskId);
  const bar = own ?? parts.taskBar(task.expected.kind, head.thresholds);
  return parts.foldTask(task.taskId, scores, bar, own !== undefined);
}
