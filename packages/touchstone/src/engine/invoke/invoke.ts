import {
  asId,
  type InvocationId,
  type Issue,
  isUnsound,
  MAX_JSON_DEPTH,
  redactDeep,
} from '@touchstone/protocol';
import { fromBody, type RecordBodies } from '@touchstone/protocol/bodies';
import {
  type AgentHost,
  type Answer,
  CheckOverLimit,
  type Invocation,
  type MaybePromise,
  MEMORY_TOOL,
  type Usage,
} from '../../ports/index.js';
import type { Recorder } from '../log/recorder.js';
import type { Parts } from '../parts.js';
import { createReasoning, recordEnd, recordStart } from './bracket.js';
import type { AnswerOutcome, InvocationRequest, InvocationResult } from './invocation.js';
import { createMemoryWriter } from './memory.js';
import { agentIds } from './opaque-ids.js';
import { type SpendMeter, usagePayload } from './spend-meter.js';
import { createToolGateway, type ToolGateway } from './tool-gateway.js';

/** Runs one invocation and records its bracket. Rejects only when the signal aborts. */
export async function invoke(
  parts: Parts,
  request: InvocationRequest,
  meter: SpendMeter,
  recorder: Recorder,
  signal: AbortSignal,
): Promise<InvocationResult> {
  const { clock } = parts;
  const { agent } = request;
  const invocationId = asId<InvocationId>(`inv-${request.ordinal}.${request.repeat}`);
  const invocation = invocationOf(request);
  const prompt = recordStart(request, invocationId, invocation, recorder);

  const usage: Usage[] = [];
  const reasoning = createReasoning(request, recorder);
  const gateway = openGateway(parts, request, invocationId, recorder, reasoning.beforeTools, signal);
  const host: AgentHost = {
    signal,
    callTool: gateway.call,
    reason: reasoning.show,
    async spend(calls) {
      const priced = await meter.spend(calls);
      // Money spent after the answer is in the ledger, but the bracket is closed and stays as it is.
      if (over) return;
      for (const call of priced) recorder.add('provider.usage', usagePayload(call));
      usage.push(...priced);
    },
  };
  let over = false;
  const startedAt = clock.elapsed();
  const answer = bounded(await agent.invoke(invocation, host));
  const latencyMs = Math.max(0, Math.round(clock.elapsed() - startedAt - (answer.effort?.waitedMs ?? 0)));
  over = true;
  gateway.close();
  reasoning.close();
  const decided = outcomeOf(parts, request, answer, signal);
  const outcome = decided instanceof Promise ? await decided : decided;
  recordEnd(request, invocationId, answer, outcome, recorder);
  recorder.settle();
  return {
    outcome: outcome.outcome,
    ...((answer.kind === 'unreachable' || answer.kind === 'denied') && { unanswered: answer }),
    ...('output' in answer && { output: answer.output }),
    latencyMs,
    usage,
    ...(outcome.schemaValid !== undefined && { schemaValid: outcome.schemaValid }),
    ...(outcome.unchecked && { unchecked: true as const }),
    toolCalls: gateway.calls,
    ...(prompt && { prompt: prompt.resolved }),
    bodies: redactDeep(bodiesOf(request, answer, outcome, gateway), parts.redact),
  };
}

/** What the agent is given. Its ids are not those of the log, which name the task. */
const invocationOf = ({
  runId,
  agent,
  ordinal,
  repeat,
  input,
  environment,
}: InvocationRequest): Invocation => ({
  ...agentIds(runId, ordinal, repeat),
  agentId: agent.facts.agentId,
  repeat,
  input,
  memory: environment.memory,
  tools: environment.tools,
});

/** The host answers its memory tool itself, unless the task has a fixture for it. */
function openGateway(
  parts: Parts,
  { owner, runId, agent, environment }: InvocationRequest,
  invocationId: InvocationId,
  recorder: Recorder,
  beforeCall: () => void,
  signal: AbortSignal,
): ToolGateway {
  const { agentId } = agent.facts;
  const target = { owner, agentId, runId, invocationId, keeps: environment.keepsMemory };
  const write = createMemoryWriter(parts, target, recorder);
  return createToolGateway({
    agentId,
    invocationId,
    surface: environment.tools,
    answer: (toolId, inputs) =>
      toolId === MEMORY_TOOL.toolId && !environment.fixtureTools?.has(toolId)
        ? write(inputs)
        : environment.answer(toolId, inputs, signal),
    recorder,
    clock: parts.clock,
    beforeCall,
  });
}

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
function uncheckedOutcome(request: InvocationRequest, answer: OutputAnswer, error: unknown): AnswerOutcome {
  if (!(error instanceof CheckOverLimit)) throw error;
  return { ...answeredOutcome(request, answer), unchecked: true, reason: error.message };
}

type OutputAnswer = Extract<Answer, { readonly output: unknown }>;

/** `issues` when the answer was checked against the agent's return schema. */
function answeredOutcome(
  request: InvocationRequest,
  answer: OutputAnswer,
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

function bodiesOf(
  { environment }: InvocationRequest,
  answer: Answer,
  { reason }: AnswerOutcome,
  gateway: ToolGateway,
): RecordBodies {
  const attempts = answer.effort?.attempts ?? 1;
  return {
    ...(reason !== undefined && { reason }),
    ...(attempts > 1 && { attempts }),
    ...(answer.printed !== undefined && { printed: answer.printed }),
    ...(gateway.refused.length > 0 && { refusedCalls: gateway.refused }),
    ...(!environment.fixtureTools && environment.memory.length > 0 && { memory: environment.memory }),
  };
}
