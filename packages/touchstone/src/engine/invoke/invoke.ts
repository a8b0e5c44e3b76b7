import { type Issue, isUnsound, MAX_JSON_DEPTH, redactDeep } from '@touchstone/protocol';
import { fromBody, type RecordBodies } from '@touchstone/protocol/bodies';
import {
  type Answer,
  CheckOverLimit,
  type Invocation,
  type MaybePromise,
  type ScoredCall,
  Withdrawn,
} from '../../ports/index.js';
import type { Recorder } from '../log/recorder.js';
import type { Parts } from '../parts.js';
import { recordEnd, recordStart } from './bracket.js';
import {
  type AnswerOutcome,
  type InvocationRequest,
  type InvocationResult,
  invocationIdOf,
} from './invocation.js';
import { InvocationHost } from './invocation-host.js';
import { recordCalls, type SpendMeter } from './spend-meter.js';
import type { ToolGateway } from './tool-gateway.js';

/** Runs one invocation and records its bracket. Rejects only when the signal aborts, or with `Withdrawn` before it has begun. */
export async function invoke(
  parts: Parts,
  request: InvocationRequest,
  meter: SpendMeter,
  recorder: Recorder,
  signal: AbortSignal,
): Promise<InvocationResult> {
  const { clock } = parts;
  const invocationId = invocationIdOf(request.ordinal, request.repeat);
  const invocation = invocationOf(request);
  const prompt = recordStart(request, invocationId, invocation, recorder);
  const host = new InvocationHost(parts, request, invocationId, meter, recorder, signal);
  if (request.turn?.isWithdrawn) throw new Withdrawn();
  const startedAt = clock.elapsed();
  const answer = bounded(await request.agent.invoke(invocation, host));
  const passedMs = clock.elapsed() - startedAt - (answer.effort?.waitedMs ?? 0);
  const latencyMs = Math.max(0, Math.round(answer.measured ? (answer.measured.latencyMs ?? 0) : passedMs));
  for (const call of answer.observed ?? []) host.observeCall(call);
  host.close();
  const decided = outcomeOf(parts, request, answer, signal);
  const outcome = decided instanceof Promise ? await decided : decided;
  recordEnd(request, invocationId, answer, outcome, recorder);
  // Behind the bracket, which holds what the agent has used.
  recordCalls(recorder, host.userUsage, 'user');
  recorder.settle();
  return {
    outcome: outcome.outcome,
    unanswered: isUnanswered(answer) ? answer : undefined,
    output: 'output' in answer ? answer.output : undefined,
    latencyMs,
    ...(answer.measured && answer.measured.latencyMs === undefined && { untimed: true as const }),
    usage: host.usage,
    userUsage: host.userUsage,
    ...(answer.turns !== undefined && { turns: answer.turns }),
    schemaValid: outcome.schemaValid,
    unchecked: outcome.unchecked === true,
    toolCalls: host.gateway?.calls ?? NO_CALLS,
    prompt: prompt?.resolved,
    bodies: bodiesOf(parts, request, answer, outcome, host.gateway),
  };
}

const UNANSWERED: readonly Answer['kind'][] = ['unreachable', 'unreadable', 'denied', 'absent'];
const NO_CALLS: readonly ScoredCall[] = [];

const isUnanswered = (answer: Answer): answer is NonNullable<InvocationResult['unanswered']> =>
  UNANSWERED.includes(answer.kind);

/** What the agent is given. Its ids are not those of the log, which name the task. */
const invocationOf = ({ ids, agent, repeat, input, environment }: InvocationRequest): Invocation => ({
  runId: ids.runId,
  invocationId: ids.invocationId,
  agentId: agent.facts.agentId,
  repeat,
  input,
  memory: environment.memory,
  tools: environment.tools,
});

/** An answer that is no sound JSON can be neither compared nor stored: the agent has failed. */
function bounded(answer: Answer): Answer {
  if (!('output' in answer) || !isUnsound(fromBody(answer.output))) return answer;
  const reason = `The answer nests deeper than ${MAX_JSON_DEPTH} levels, or holds a number that JSON cannot write.`;
  return { kind: 'failed', reason, ...(answer.effort && { effort: answer.effort }) };
}

/** At once for an agent without a return schema, as most are. */
function outcomeOf(
  parts: Parts,
  request: InvocationRequest,
  answer: Answer,
  signal: AbortSignal,
): MaybePromise<AnswerOutcome> {
  if ('reason' in answer) return { outcome: 'failed', reason: answer.reason };
  if (answer.kind === 'refused') return { outcome: 'refused', reason: 'The agent refused.' };
  const { returnSchema } = request.agent.facts;
  if (!returnSchema) return answeredOutcome(request, answer);
  const issues = parts.schemaCheckFor(request.owner)(returnSchema, answer.output, signal);
  if (!(issues instanceof Promise)) return answeredOutcome(request, answer, issues);
  return issues.then(
    (found) => answeredOutcome(request, answer, found),
    (error) => uncheckedOutcome(request, answer, error),
  );
}

/** Whether the answer is valid is not known, and that is not the agent's fault. */
function uncheckedOutcome(request: InvocationRequest, answer: BoundedAnswer, error: unknown): AnswerOutcome {
  if (!(error instanceof CheckOverLimit)) throw error;
  return { ...answeredOutcome(request, answer), unchecked: true, reason: error.message };
}

type BoundedAnswer = Extract<Answer, { readonly output: unknown }>;

/** `issues` when the answer was checked against the agent's return schema. */
function answeredOutcome(
  request: InvocationRequest,
  answer: BoundedAnswer,
  issues?: readonly Issue[],
): AnswerOutcome {
  const first = issues?.[0];
  const reason = first && {
    reason: `The answer does not match the agent's return schema at ${first.pointer || '/'}: ${first.message}.`,
  };
  if (reason && !request.underContract) return { outcome: 'failed', schemaValid: false, ...reason };
  const escalated = answer.confidence !== undefined && answer.confidence < request.escalationThreshold;
  return {
    outcome: escalated ? 'escalated' : 'completed',
    ...(issues && { schemaValid: first === undefined }),
    ...reason,
  };
}

/** Nothing for most invocations, and then nothing is built. */
function bodiesOf(
  { redact }: Parts,
  { environment }: InvocationRequest,
  answer: Answer,
  { reason }: AnswerOutcome,
  gateway: ToolGateway | undefined,
): RecordBodies | undefined {
  const attempts = answer.effort?.attempts ?? 1;
  const refusedCalls = gateway?.refused ?? [];
  const memory = environment.fixtureTools ? [] : environment.memory;
  const isPlain = reason === undefined && attempts <= 1 && answer.printed === undefined;
  if (isPlain && refusedCalls.length === 0 && memory.length === 0) return undefined;
  const bodies = {
    ...(reason !== undefined && { reason }),
    ...(attempts > 1 && { attempts }),
    ...(answer.printed !== undefined && { printed: answer.printed }),
    ...(refusedCalls.length > 0 && { refusedCalls }),
    ...(memory.length > 0 && { memory }),
  };
  return redactDeep(bodies, redact);
}
