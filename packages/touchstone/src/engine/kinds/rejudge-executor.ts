import {
  defined,
  type EvalPlan,
  HostError,
  type RepeatScore,
  type RunId,
  redactDeep,
} from '@touchstone/protocol';
import {
  type Body,
  fromBody,
  type NewEvent,
  type Payloads,
  type RecordBodies,
  type Task,
} from '@touchstone/protocol/bodies';
import type { Run, ScoredCall, Scoring, ScoringResult, Spend, TaskRecord, Usage } from '../../ports/index.js';
import { costOf, recordCalls, type SpendMeter } from '../invoke/spend-meter.js';
import { createRecorder } from '../log/recorder.js';
import type { Parts } from '../parts.js';
import type { ExecutionResult, Executor, Unit } from './run-kind.js';
import type { TaskSource } from './task-source.js';

/** Judges the recorded answers of another run again. No agent and no tool is called: what they did is copied. */
export async function openRejudgeExecutor(
  parts: Parts,
  run: Run,
  plan: EvalPlan & { readonly rejudgeOf: RunId },
  meter: SpendMeter,
  taskAt: TaskSource,
): Promise<Executor> {
  const scoring = await parts.openScoring(run.owner, plan);
  const judgeWith = async ({ ordinal, repeat }: Unit, signal: AbortSignal, by: Pick<Scoring, 'score'>) => {
    const [source] = await parts.store.log.records(run.owner, plan.rejudgeOf, ordinal, repeat);
    if (source?.repeat !== repeat)
      throw new HostError('not_found', `Run ${plan.rejudgeOf} has no record of task ${ordinal}.`);
    return rejudge({ parts, scoring: by, meter, signal }, await taskAt(ordinal), source);
  };
  return {
    execute: (unit, signal) => judgeWith(unit, signal, scoring),
    abandon: (unit, reason, signal) =>
      judgeWith(unit, signal, {
        score: () => ({ score: { kind: 'unscored', reason: 'judge_unreachable' }, bodies: { reason } }),
      }),
    async close() {
      scoring.close();
    },
  };
}

/** Secrets were replaced by their names when the answer was written down; the names still say that they were there. */
const hadSecret = (output: Body | undefined): boolean =>
  output !== undefined && JSON.stringify(fromBody(output)).includes('[REDACTED:');

type JudgingContext = {
  readonly parts: Parts;
  readonly scoring: Pick<Scoring, 'score'>;
  readonly meter: SpendMeter;
  readonly signal: AbortSignal;
};

async function rejudge(
  { parts, scoring, meter, signal }: JudgingContext,
  task: Task,
  source: TaskRecord,
): Promise<ExecutionResult> {
  const { ordinal, repeat } = source;
  const bracket = bracketOf(source.events);
  const before = source.score as RepeatScore;
  const usage: Usage[] = [];
  const spend: Spend = async (calls) => void usage.push(...(await meter.spend(calls)));
  const scored: ScoringResult = wasUnanswered(before)
    ? { score: before.score }
    : await scoring.score(task, transcriptOf(source, bracket, before), signal, spend);
  const nodeId = bracket[0]?.nodeId ?? task.taskId;
  const recorder = createRecorder(nodeId, parts.clock, parts.redact, startOf(bracket));
  recordCalls(recorder, usage, 'judge');
  const bodies = { ...ownBodies(source, before), ...redactDeep(scored.bodies, parts.redact) };
  return {
    record: {
      ordinal,
      repeat,
      events: [...bracket, ...recorder.events],
      score: scoreAgain(before, scored, usageIn(bracket), usage),
      ...(Object.keys(bodies).length > 0 && { bodies }),
    },
  };
}

const wasUnanswered = ({ score }: RepeatScore): boolean =>
  score.kind === 'unscored' && /^(agent|user)_/.test(score.reason);

/** What is recorded about the agent. What the first judge said, or failed to say, is not part of it. */
function ownBodies({ bodies = {} }: TaskRecord, before: RepeatScore): RecordBodies {
  const { criteria: _, reason, ...kept } = bodies;
  const isAgents = before.score.kind === 'scored' || wasUnanswered(before);
  return { ...kept, ...(isAgents && reason !== undefined && { reason }) };
}

/** The agent's calls as the log has them: what the first judge used is not among them. */
const usageIn = (bracket: readonly NewEvent[]): readonly Usage[] =>
  bracket.flatMap((event) => {
    if (event.type !== 'provider.usage') return [];
    const { costEstimateUsd, ...call } = event.payload;
    return [{ ...call, ...(costEstimateUsd !== undefined && { costUsd: costEstimateUsd }) }];
  });

/** What the agent did, without what was said about it afterwards. */
function bracketOf(events: readonly NewEvent[]): readonly NewEvent[] {
  const end = events.findIndex(({ type }) => type === 'agent.invocation.completed');
  return end < 0 ? events : events.slice(0, end + 1);
}

function startOf(bracket: readonly NewEvent[]): number | undefined {
  const place = bracket.findIndex(({ type }) => type === 'agent.invocation.started');
  return place < 0 ? undefined : place;
}

function transcriptOf(source: TaskRecord, bracket: readonly NewEvent[], before: RepeatScore) {
  const decided = payloadOf(bracket, 'agent.decided');
  const prompt = payloadOf(bracket, 'agent.promptResolved');
  const { outcome, latencyMs } = before;
  return {
    outcome,
    latencyMs,
    usage: usageIn(bracket),
    toolCalls: callsOf(source, bracket),
    seed: `${source.ordinal}.${source.repeat}`,
    ...(decided && { output: decided.decision }),
    ...(prompt && { prompt: prompt.resolved }),
    ...(source.bodies?.memory && { memory: source.bodies.memory }),
    ...(source.bodies?.criteria && { decided: source.bodies.criteria }),
    ...(hadSecret(decided?.decision) && { leaked: true as const }),
  };
}

function payloadOf<T extends NewEvent['type']>(
  events: readonly NewEvent[],
  type: T,
): Payloads[T] | undefined {
  return events.find((event) => event.type === type)?.payload as Payloads[T] | undefined;
}

function callsOf({ bodies }: TaskRecord, bracket: readonly NewEvent[]): readonly ScoredCall[] {
  const returned = new Map(
    bracket.flatMap((event) =>
      event.type === 'agent.toolReturned' ? [[event.payload.callId, event.payload] as const] : [],
    ),
  );
  const made = bracket.flatMap((event): ScoredCall[] => {
    if (event.type !== 'agent.toolCalled' || event.payload.inputs === undefined) return [];
    const { toolName, callId, inputs } = event.payload;
    const { status = 'error', outcome } = returned.get(callId) ?? {};
    return [{ toolId: toolName, inputs, status, ...(outcome !== undefined && { outcome }) }];
  });
  const refused = (bodies?.refusedCalls ?? []).map(
    ({ toolId, inputs }): ScoredCall => ({ toolId, inputs, status: 'forbidden' }),
  );
  return [...made, ...refused];
}

/** The agent's part stays as it was measured; the judge's is new. */
function scoreAgain(
  before: RepeatScore,
  scored: ScoringResult,
  agentUsage: readonly Usage[],
  judgeUsage: readonly Usage[],
): RepeatScore {
  const { criteria: _, judge: __, ...measured } = before;
  return {
    ...measured,
    score: scored.score,
    cost: {
      ...costOf(agentUsage, judgeUsage),
      ...defined({ simulatedUserUsd: before.cost.simulatedUserUsd }),
    },
    ...(scored.criteria && { criteria: scored.criteria }),
    ...(scored.judge && { judge: scored.judge }),
  };
}
