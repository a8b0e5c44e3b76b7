import {
  type EvalPlan,
  type EvalSummary,
  evalCompleted,
  HostError,
  isNondeterministic,
  plannedSteps,
  type RepeatScore,
  type TaskId,
  type TaskResult,
} from '@touchstone/contract';
import type { Task } from '@touchstone/contract/bodies';
import type { Agent, Run, RunHeadline, Scored, SuiteHead } from '@touchstone/contract/ports';
import { type Invoked, invoke } from '../invoke.js';
import type { Parts } from '../parts.js';
import { createRecorder, type Recorder } from '../recorder.js';
import { redactDeep } from '../redaction.js';
import { escalationThreshold } from '../request.js';
import { openScene, type Props } from '../scene.js';
import { type Purse, type Total, totalOf, usagePayload } from '../spending.js';
import type { Closing, Executed, Program } from './program.js';
import { createTaskSource } from './task-source.js';

/** An eval run: every selected task invoked, scored and sealed; the scorecard at the end. */
export async function openEvalProgram(parts: Parts, run: Run, plan: EvalPlan): Promise<Program> {
  const head = await parts.suiteHead(run.owner, plan.suite.digest);
  if (!head)
    throw new HostError(
      'not_found',
      `Suite ${plan.suite.suiteId}@${plan.suite.version} is no longer installed.`,
    );
  const agent = await parts.openAgent(run.owner, plan);
  const isLive = isNondeterministic(plan);
  const scene = openScene(parts, run, agent, isLive);
  const taskAt = createTaskSource(parts, run.owner, plan.suite.digest);

  return {
    steps: plannedSteps(plan),
    ordinalAt: (position) => plan.ordinals?.[position] ?? position,
    repeats: plan.repeats,
    concurrency: plan.concurrency,
    ...(plan.ceilingUsd !== undefined && { ceilingUsd: plan.ceilingUsd }),
    opening: (now) => [{ type: 'eval.started', at: now, payload: started(plan) }],
    execute: async (ordinal, repeat, purse, signal) => {
      const task = await taskAt(ordinal);
      const props = await scene(ordinal, isLive ? undefined : task.fixtures);
      return executeTask({ parts, run, plan, agent, task, props, ordinal, repeat, purse, signal });
    },
    result: (ordinal, scores) => {
      const task = taskAt(ordinal);
      if (task instanceof Promise) return task.then((loaded) => resultOf(parts, head, loaded, scores));
      return resultOf(parts, head, task, scores);
    },
    closing: async (now) => closing(parts, run, head, agent, now),
    close: () => agent.close(),
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

type Execution = {
  readonly parts: Parts;
  readonly run: Run;
  readonly plan: EvalPlan;
  readonly agent: Agent;
  readonly task: Task;
  readonly props: Props;
  readonly ordinal: number;
  readonly repeat: number;
  readonly purse: Purse;
  readonly signal: AbortSignal;
};

async function executeTask(execution: Execution): Promise<Executed> {
  const { parts, run, plan, agent, task, props, ordinal, repeat, purse, signal } = execution;
  const recorder = createRecorder(nodeIdOf(task.taskId), parts.clock, parts.redact);
  const asked = {
    owner: run.owner,
    runId: run.runId,
    agent,
    ...(plan.agent.channel !== undefined && { channel: plan.agent.channel }),
    ordinal,
    repeat,
    input: task.input,
    props,
    escalationThreshold: escalationThreshold(run, agent),
  };
  const invoked = await invoke(parts, asked, purse, recorder, signal);
  const scored = await scoreInvocation(parts, task, invoked, signal);
  const judgeUsage = await recordJudge(scored, purse, recorder);
  const score = repeatScore(invoked, scored, totalOf(invoked.usage), totalOf(judgeUsage));
  const bodies = { ...invoked.bodies, ...redactDeep(scored.bodies, parts.redact) };
  return {
    record: {
      ordinal,
      repeat,
      events: recorder.events,
      score,
      ...(Object.keys(bodies).length > 0 && { bodies }),
    },
  };
}

/** No answer, a refusal or an invalid result scores 0 without asking a scorer; an unreachable agent is not scored. */
function scoreInvocation(
  parts: Parts,
  task: Task,
  invoked: Invoked,
  signal: AbortSignal,
): Scored | Promise<Scored> {
  if (invoked.unreachable) return { score: { kind: 'unscored', reason: 'agent_unreachable' } };
  if (invoked.outcome === 'failed' || invoked.outcome === 'refused')
    return { score: { kind: 'scored', value: 0, findings: [] } };
  const transcript = {
    outcome: invoked.outcome,
    ...(invoked.output !== undefined && { output: invoked.output }),
  };
  return parts.selectScorer(task)(task, transcript, signal);
}

/** Judge usage stands after the bracket has closed and before the score. */
async function recordJudge(scored: Scored, purse: Purse, recorder: Recorder) {
  if (!scored.usage) return [];
  const priced = await purse.spend(scored.usage);
  for (const call of priced) recorder.add('provider.usage', usagePayload(call));
  return priced;
}

function repeatScore(invoked: Invoked, scored: Scored, agentCost: Total, judgeCost: Total): RepeatScore {
  const cacheHits = agentCost.cacheHits + judgeCost.cacheHits;
  return {
    score: scored.score,
    outcome: invoked.outcome,
    latencyMs: invoked.latencyMs,
    cost: {
      ...(agentCost.usd !== undefined && { agentUsd: agentCost.usd }),
      ...(judgeCost.usd !== undefined && { judgeUsd: judgeCost.usd }),
      unpriced: agentCost.unpriced + judgeCost.unpriced,
      ...(cacheHits > 0 && { cacheHits }),
    },
    ...(invoked.schemaValid !== undefined && { schemaValid: invoked.schemaValid }),
  };
}

const RESULT_PAGE = 1000;

async function closing(parts: Parts, run: Run, head: SuiteHead, agent: Agent, now: number): Promise<Closing> {
  const results = await readResults(parts, run);
  const facts = {
    suiteId: head.suiteId,
    suiteVersion: head.version,
    ...(agent.facts.modelClass && { modelClass: agent.facts.modelClass }),
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

const MAX_NODE_ID = 128;
/** Every event of a task is attributed to it; a name too long for the wire's nodeId is cut, its ordinal tells it apart. */
const nodeIdOf = (taskId: TaskId): string =>
  taskId.length <= MAX_NODE_ID ? taskId : taskId.slice(0, MAX_NODE_ID);
