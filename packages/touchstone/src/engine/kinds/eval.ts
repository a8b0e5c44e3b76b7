import {
  type EvalPlan,
  isNondeterministic,
  type RepeatScore,
  redactDeep,
  type TaskId,
} from '@touchstone/protocol';
import type { Task } from '@touchstone/protocol/bodies';
import type { Agent, Run, Scored, Scoring, Spend, Usage } from '../../ports/index.js';
import { openScene, type Props, type Reach } from '../invoke/environment.js';
import { type Invoked, invoke } from '../invoke/invoke.js';
import { escalationThreshold } from '../invoke/request.js';
import { type Purse, type Total, totalOf, usagePayload } from '../invoke/spend-meter.js';
import { createRecorder } from '../log/recorder.js';
import type { Parts } from '../parts.js';
import { evalFrame, openSuite } from './eval-run.js';
import type { Executed, Program } from './run-kind.js';
import { createTaskSource } from './task-source.js';

/** An eval run: every selected task invoked, scored and sealed; the scorecard at the end. */
export async function openEvalProgram(parts: Parts, run: Run, plan: EvalPlan): Promise<Program> {
  const head = await openSuite(parts, run, plan);
  const scoring = await parts.openScoring(run.owner, plan);
  const agent = await openAgent(parts, run, plan, scoring);
  const scene = openScene(parts, run, agent, reachOf(plan));
  const taskAt = createTaskSource(parts, run.owner, plan.suite.digest);
  const bars = await parts.openBars(run.owner, plan);
  const execute: Program['execute'] = async (ordinal, repeat, purse, signal) => {
    const task = await taskAt(ordinal);
    const props = await scene(ordinal, isNondeterministic(plan) ? undefined : task.fixtures);
    return executeTask({ parts, run, plan, agent, scoring, task, props, ordinal, repeat, purse, signal });
  };
  const modelClass = agent.facts.modelClass;
  return {
    ...evalFrame(parts, run, plan, { head, bars }, taskAt, async () => modelClass),
    execute,
    async close() {
      scoring.close();
      await agent.close();
    },
  };
}

function openAgent(parts: Parts, run: Run, plan: EvalPlan, scoring: Scoring): Promise<Agent> {
  return parts.openAgent(run.owner, plan).catch((error) => {
    scoring.close();
    throw error;
  });
}

function reachOf(plan: EvalPlan): Reach {
  if (plan.modes.includes('adversarial')) return 'looking';
  return isNondeterministic(plan) ? 'live' : 'usual';
}

type Execution = {
  readonly parts: Parts;
  readonly run: Run;
  readonly plan: EvalPlan;
  readonly agent: Agent;
  readonly scoring: Scoring;
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
    underContract: plan.contract !== undefined,
  };
  const invoked = await invoke(parts, asked, purse, recorder, signal);
  const judgeUsage: Usage[] = [];
  const spend: Spend = async (usage) => void judgeUsage.push(...(await purse.spend(usage)));
  const scored = await scoreInvocation(execution, invoked, spend);
  // Judge usage stands after the bracket has closed and before the score.
  for (const call of judgeUsage) recorder.add('provider.usage', usagePayload(call));
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

/** An agent that could not be reached has given nothing to score; everything else, a failure too, is an answer of its. */
function scoreInvocation(
  { scoring, task, ordinal, repeat, signal }: Execution,
  invoked: Invoked,
  spend: Spend,
): Scored | Promise<Scored> {
  if (invoked.unreachable) return { score: { kind: 'unscored', reason: 'agent_unreachable' } };
  const { outcome, output, toolCalls, prompt, latencyMs } = invoked;
  const transcript = {
    outcome,
    latencyMs,
    toolCalls,
    seed: `${ordinal}.${repeat}`,
    ...(output !== undefined && { output }),
    ...(prompt !== undefined && { prompt }),
  };
  return scoring.score(task, transcript, signal, spend);
}

function repeatScore(invoked: Invoked, scored: Scored, agentCost: Total, judgeCost: Total): RepeatScore {
  const cacheHits = agentCost.cacheHits + judgeCost.cacheHits;
  const schemaValid = scored.schemaValid ?? invoked.schemaValid;
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
    ...(schemaValid !== undefined && { schemaValid }),
    ...(scored.criteria && { criteria: scored.criteria }),
    ...(scored.judge && { judge: scored.judge }),
  };
}

const MAX_NODE_ID = 128;
/** Every event of a task is attributed to it; a name too long for the wire's nodeId is cut, its ordinal tells it apart. */
const nodeIdOf = (taskId: TaskId): string =>
  taskId.length <= MAX_NODE_ID ? taskId : taskId.slice(0, MAX_NODE_ID);
