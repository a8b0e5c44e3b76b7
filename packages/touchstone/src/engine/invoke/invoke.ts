import { asId, type InvocationId, isUnsound, MAX_JSON_DEPTH, redactDeep } from '@touchstone/protocol';
import { fromBody, type RecordBodies } from '@touchstone/protocol/bodies';
import type { Answer, Invocation, ScoredCall } from '../../ports/index.js';
import type { Recorder } from '../log/recorder.js';
import type { Parts } from '../parts.js';
import { recordEnd, recordStart } from './bracket.js';
import type { AnswerOutcome, InvocationRequest, InvocationResult } from './invocation.js';
import { InvocationHost } from './invocation-host.js';
import type { SpendMeter } from './spend-meter.js';
import type { ToolGateway } from './tool-gateway.js';

/** Runs one invocation and records its bracket. Rejects only when the signal aborts. */
export async function invoke(
  parts: Parts,
  request: InvocationRequest,
  meter: SpendMeter,
  recorder: Recorder,
  signal: AbortSignal,
): Promise<InvocationResult> {
  const { clock } = parts;
  const invocation = invocationOf(request);
  const prompt = recordStart(request, invocation, recorder);
  const host = new InvocationHost(parts, request, invocation, meter, recorder, signal);
  const startedAt = clock.elapsed();
  const answer = bounded(await request.agent.invoke(invocation, host));
  const latencyMs = Math.max(0, Math.round(clock.elapsed() - startedAt - (answer.effort?.waitedMs ?? 0)));
  host.close();
  const outcome = outcomeOf(parts, request, answer);
  recordEnd(request, invocation, answer, outcome, recorder);
  recorder.settle();
  return {
    outcome: outcome.outcome,
    unanswered: answer.kind === 'unreachable' || answer.kind === 'denied' ? answer : undefined,
    output: 'output' in answer ? answer.output : undefined,
    latencyMs,
    usage: host.usage,
    schemaValid: outcome.schemaValid,
    toolCalls: host.gateway?.calls ?? NO_CALLS,
    prompt: prompt?.resolved,
    bodies: bodiesOf(parts, request, answer, outcome, host.gateway),
  };
}

const NO_CALLS: readonly ScoredCall[] = [];

const invocationOf = ({
  runId,
  agent,
  ordinal,
  repeat,
  input,
  environment,
}: InvocationRequest): Invocation => ({
  runId,
  invocationId: asId<InvocationId>(`inv-${ordinal}.${repeat}`),
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

function outcomeOf(parts: Parts, request: InvocationRequest, answer: Answer): AnswerOutcome {
  if ('reason' in answer) return { outcome: 'failed', reason: answer.reason };
  if (answer.kind === 'refused') return { outcome: 'refused', reason: 'The agent refused.' };
  const { returnSchema } = request.agent.facts;
  const issues = returnSchema ? parts.schemaCheck(returnSchema, answer.output) : [];
  const first = issues[0];
  const reason = first && {
    reason: `The answer does not match the agent's return schema at ${first.pointer || '/'}: ${first.message}.`,
  };
  if (reason && !request.underContract) return { outcome: 'failed', schemaValid: false, ...reason };
  const escalated = answer.confidence !== undefined && answer.confidence < request.escalationThreshold;
  return {
    outcome: escalated ? 'escalated' : 'completed',
    ...(returnSchema && { schemaValid: first === undefined }),
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
