import {
  type EvalPlan,
  type EvalSummary,
  evalCompleted,
  HostError,
  type ModelClass,
  plannedSteps,
  type RepeatScore,
  type TaskResult,
} from '@touchstone/contract';
import type { Task } from '@touchstone/contract/bodies';
import type { Run, RunHeadline, SuiteHead } from '@touchstone/contract/ports';
import type { Parts } from '../parts.js';
import type { Closing, Program } from './program.js';
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
  head: SuiteHead,
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
      if (task instanceof Promise) return task.then((loaded) => resultOf(parts, head, loaded, scores));
      return resultOf(parts, head, task, scores);
    },
    closing: async (now) => closing(parts, run, head, await modelClass(), now),
  };
}

const started = (plan: EvalPlan) => ({
  suiteId: plan.suite.suiteId,
  suiteVersion: plan.suite.version,
  taskCount: plannedSteps(plan),
  modes: plan.modes,
  ...(plan.baselineRunId && { baselineRunId: plan.baselineRunId }),
});

const resultOf = (parts: Parts, head: SuiteHead, task: Task, scores: readonly RepeatScore[]): TaskResult =>
  parts.foldTask(task.taskId, scores, parts.taskBar(task.expected.kind, head.thresholds));

const RESULT_PAGE = 1000;

async function closing(
  parts: Parts,
  run: Run,
  head: SuiteHead,
  modelClass: ModelClass | undefined,
  now: number,
): Promise<Closing> {
  const results = await readResults(parts, run);
  const facts = {
    suiteId: head.suiteId,
    suiteVersion: head.version,
    ...(modelClass && { modelClass }),
    ...(head.thresholds && { thresholds: head.thresholds }),
  };
  const summary = parts.buildScorecard(facts, results);
  return {
    events: [{ type: 'eval.completed', at: now, payload: evalCompleted(summary) }],
    outputs: summary,
    headline: headlineOf(summary, results),
  };
}

/** The log is in suite order unless the run was paused with a gap; the scorecard always is. */
async function readResults(parts: Parts, run: Run): Promise<readonly TaskResult[]> {
  const rows: { readonly ordinal: number; readonly result: TaskResult }[] = [];
  for (let page = await parts.store.log.results(run.owner, run.runId, 0, RESULT_PAGE); page.length > 0; ) {
    for (const row of page) rows.push(row);
    page = await parts.store.log.results(run.owner, run.runId, rows.length, RESULT_PAGE);
  }
  return rows.sort((a, b) => a.ordinal - b.ordinal).map((row) => row.result);
}

function headlineOf(summary: EvalSummary, results: readonly TaskResult[]): RunHeadline {
  const cacheHits = results.reduce((sum, result) => sum + (result.cacheHits ?? 0), 0);
  return {
    aggregateScore: summary.aggregateScore,
    passed: summary.passed,
    taskCount: summary.taskCount,
    passedCount: summary.passedCount,
    unscored: results.filter((result) => result.unscored).length,
    ...(summary.totalCostUsd !== undefined && { totalCostUsd: summary.totalCostUsd }),
    ...(cacheHits > 0 && { cacheHits }),
  };
}
