import {
  defined,
  type EvalPlan,
  isNondeterministic,
  type Redact,
  type RepeatScore,
  redactDeep,
  type Score,
  type TaskId,
} from '@touchstone/protocol';
import type { RecordBodies, Task } from '@touchstone/protocol/bodies';
import type { Agent, MaybePromise, Run, Scoring, ScoringResult, Spend, Usage } from '../../ports/index.js';
import { openEnvironments, type ToolAccess } from '../invoke/environment.js';
import {
  escalationThreshold,
  type InvocationRequest,
  type InvocationResult,
  keepsReasoning,
} from '../invoke/invocation.js';
import { invoke } from '../invoke/invoke.js';
import { openAgentIds } from '../invoke/opaque-ids.js';
import { costOf, recordCalls, type SpendMeter } from '../invoke/spend-meter.js';
import { createRecorder } from '../log/recorder.js';
import type { Parts } from '../parts.js';
import type { ExecutionResult, Executor, Unit, UnitTurn } from './run-kind.js';
import type { TaskSource } from './task-source.js';

/** Executes the tasks of an evaluation: invokes the agent, then scores what it answered. */
export async function openEvalExecutor(
  parts: Parts,
  run: Run,
  plan: EvalPlan,
  meter: SpendMeter,
  taskAt: TaskSource,
): Promise<Executor> {
  const scoring = await parts.openScoring(run.owner, plan);
  const agent = await openAgent(parts, run, plan, scoring);
  const environments = openEnvironments(parts, run, agent, toolAccessOf(plan));
  const usesFixtures = !isNondeterministic(plan);
  const { modelClass } = agent.facts;
  const { channel } = plan.agent;
  const threshold = escalationThreshold(run, agent);
  const keeps = keepsReasoning(run);
  const underContract = plan.contract !== undefined;
  const seen = { answer: false };
  const idsOf = openAgentIds(run.runId);
  const executeWith = async (
    { ordinal, repeat }: Unit,
    signal: AbortSignal,
    { stand, turn }: { readonly stand?: Agent; readonly turn?: UnitTurn | undefined },
  ) => {
    const task = await taskAt(ordinal);
    const environment = await environments(ordinal, usesFixtures ? task.fixtures : undefined);
    // Written out for every task: with a spread of the constant part, this function took 4 % of a run in the profile.
    const request: InvocationRequest = {
      owner: run.owner,
      runId: run.runId,
      ids: idsOf(ordinal, repeat),
      agent: stand ?? agent.forTask?.(task.taskId) ?? agent,
      channel,
      ordinal,
      repeat,
      input: task.input,
      environment,
      escalationThreshold: threshold,
      keepsReasoning: keeps,
      underContract,
      turn,
    };
    return executeTask({ parts, scoring, meter, task, request, signal, seen });
  };
  return {
    ...(modelClass && { modelClass }),
    takesTurns: agent.takesTurns === true && asksNobodyElse(plan),
    execute: (unit, signal, turn) => executeWith(unit, signal, { turn }),
    abandon: (unit, reason, signal) => executeWith(unit, signal, { stand: unreachable(agent, reason) }),
    ...(agent.hasChanged && { hasChanged: agent.hasChanged }),
    async close() {
      scoring.close();
      await agent.close();
    },
  };
}

/** A slot is also that of the judge. Only where nobody is asked about an answer, an agent's next task may begin with it. */
const asksNobodyElse = ({ judge, safetyJudge, embedder, scorers }: EvalPlan): boolean =>
  !judge && !safetyJudge && !embedder && !scorers?.length;

/** Stands in for an agent that is not asked. */
const unreachable = ({ facts, model }: Agent, reason: string): Agent => ({
  facts,
  ...(model && { model }),
  invoke: async () => ({ kind: 'unreachable', reason }),
  close: async () => undefined,
});

function openAgent(parts: Parts, run: Run, plan: EvalPlan, scoring: Scoring): Promise<Agent> {
  return parts.openAgent(run.owner, plan).catch((error) => {
    scoring.close();
    throw error;
  });
}

function toolAccessOf(plan: EvalPlan): ToolAccess {
  if (plan.modes.includes('adversarial')) return 'read-only';
  return isNondeterministic(plan) ? 'live' : 'fixtures';
}

type TaskExecution = {
  readonly parts: Parts;
  readonly scoring: Scoring;
  readonly meter: SpendMeter;
  readonly task: Task;
  readonly request: InvocationRequest;
  readonly signal: AbortSignal;
  /** Whether this executor has had an answer: from then on a missing address is the agent's own doing. */
  readonly seen: { answer: boolean };
};

async function executeTask(execution: TaskExecution): Promise<ExecutionResult> {
  const { parts, meter, task, request, signal } = execution;
  const recorder = createRecorder(nodeIdOf(task.taskId), parts.clock, parts.redact);
  const invocation = await invoke(parts, request, meter, recorder, signal);
  const judgeUsage: Usage[] = [];
  const spend: Spend = async (usage) => void judgeUsage.push(...(await meter.spend(usage)));
  const scored = await scoreInvocation(execution, invocation, spend);
  // Judge usage stands after the bracket has closed and before the score.
  recordCalls(recorder, judgeUsage, 'judge');
  const score = repeatScore(invocation, withoutSecret(scored, parts.redact), judgeUsage);
  const { ordinal, repeat } = request;
  const { events } = recorder;
  const bodies = bodiesOf(parts, invocation, scored);
  return {
    record: bodies ? { ordinal, repeat, events, score, bodies } : { ordinal, repeat, events, score },
  };
}

function bodiesOf(
  { redact }: Parts,
  invocation: InvocationResult,
  scored: ScoringResult,
): RecordBodies | undefined {
  if (!scored.bodies) return invocation.bodies;
  const bodies = { ...invocation.bodies, ...redactDeep(scored.bodies, redact) };
  return Object.keys(bodies).length > 0 ? bodies : undefined;
}

/** An agent that could not be asked has given nothing to score; every other outcome, a failure too, is its answer. So is one that
 * breaks its schema, but whether it does must be known. */
function scoreInvocation(
  { scoring, task, request: { ordinal, repeat, underContract, environment }, signal, seen }: TaskExecution,
  invocation: InvocationResult,
  spend: Spend,
): MaybePromise<ScoringResult> {
  const { unanswered, unchecked } = invocation;
  if (unchecked && !underContract) return { score: { kind: 'unscored', reason: 'check_over_limit' } };
  if (unanswered && !(seen.answer && isOnlyAtFirst(unanswered))) return { score: unscoredBy(unanswered) };
  seen.answer = true;
  const { outcome, output, toolCalls, prompt, latencyMs, untimed, usage, turns } = invocation;
  const seed = `${ordinal}.${repeat}`;
  const { tools: offered, memory } = environment;
  const transcript =
    output !== undefined && prompt === undefined && !untimed && turns === undefined
      ? { outcome, latencyMs, usage, toolCalls, offered, memory, seed, output }
      : {
          ...{ outcome, usage, toolCalls, offered, memory, seed },
          ...defined({ output, prompt, turns, latencyMs: untimed ? undefined : latencyMs }),
        };
  return scoring.score(task, transcript, signal, spend);
}

type MissingAnswer = NonNullable<InvocationResult['unanswered']>;

const isOnlyAtFirst = (answer: MissingAnswer): boolean =>
  answer.kind === 'denied' && answer.onlyAtFirst === true;

function unscoredBy(answer: MissingAnswer): Score {
  if (answer.kind === 'absent') return { kind: 'unscored', reason: 'no_answer' };
  if (answer.kind === 'unreadable') return { kind: 'unscored', reason: 'user_unreadable' };
  const who = answer.of ?? 'agent';
  return answer.kind === 'denied'
    ? { kind: 'unscored', reason: `${who}_denied`, denial: answer.denial }
    : { kind: 'unscored', reason: `${who}_unreachable` };
}

/** A service may give its refusal the name of the very key that it was sent, and that name is told in the open. */
function withoutSecret(scored: ScoringResult, redact: Redact): ScoringResult {
  const { score } = scored;
  if (!redact || score.kind !== 'unscored' || !score.denial) return scored;
  const { code, ...denial } = score.denial;
  return code === undefined || redact(code) === code ? scored : { ...scored, score: { ...score, denial } };
}

function repeatScore(
  invocation: InvocationResult,
  scored: ScoringResult,
  judgeUsage: readonly Usage[],
): RepeatScore {
  const schemaValid = scored.schemaValid ?? invocation.schemaValid;
  const { outcome, latencyMs, usage, userUsage } = invocation;
  const cost = costOf(usage, judgeUsage, userUsage);
  const plain = { score: scored.score, outcome, latencyMs, cost };
  if (schemaValid === undefined && !scored.criteria && !scored.judge) return plain;
  return {
    ...plain,
    ...(schemaValid !== undefined && { schemaValid }),
    ...(scored.criteria && { criteria: scored.criteria }),
    ...(scored.judge && { judge: scored.judge }),
  };
}

const MAX_NODE_ID = 128;
/** Every event of a task is attributed to it; a name too long for the wire's nodeId is cut, its ordinal tells it apart. */
const nodeIdOf = (taskId: TaskId): string =>
  taskId.length <= MAX_NODE_ID ? taskId : taskId.slice(0, MAX_NODE_ID);
