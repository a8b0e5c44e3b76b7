import {
  asId,
  type InvocationId,
  type InvocationOutcome,
  isUnsound,
  MAX_JSON_DEPTH,
  type Owner,
  type RunId,
  redactDeep,
} from '@touchstone/protocol';
import { type Body, fromBody, type RecordBodies } from '@touchstone/protocol/bodies';
import {
  type Agent,
  type AgentHost,
  type Answer,
  type Invocation,
  MEMORY_TOOL,
  type ScoredCall,
  type Usage,
} from '../../ports/index.js';
import { createReasoning, recordEnd, recordStart } from '../log/bracket.js';
import type { Recorder } from '../log/recorder.js';
import type { Parts } from '../parts.js';
import type { Props } from './environment.js';
import { createMemoryWriter } from './memory.js';
import { type Purse, usagePayload } from './spend-meter.js';
import { createToolDesk, type ToolDesk } from './tool-gateway.js';

/** One call of the agent: what it is asked, under which names, and what stands around it. */
export type Asked = {
  readonly owner: Owner;
  readonly runId: RunId;
  readonly agent: Agent;
  readonly channel?: string;
  readonly ordinal: number;
  readonly repeat: number;
  readonly input: Body;
  readonly props: Props;
  readonly escalationThreshold: number;
  /** A contract decides what an answer is worth: one that breaks the return schema is an answer all the same. */
  readonly underContract?: boolean;
};

/** What came of it. `unreachable` is nobody's answer; every other outcome is the agent's. */
export type Invoked = {
  readonly outcome: InvocationOutcome;
  readonly unreachable: boolean;
  readonly output?: Body;
  readonly latencyMs: number;
  readonly usage: readonly Usage[];
  readonly schemaValid?: boolean;
  readonly toolCalls: readonly ScoredCall[];
  /** The system prompt, when it is ours to know. */
  readonly prompt?: string;
  readonly bodies: RecordBodies;
};

/** Runs one invocation and records its bracket. Rejects only when the signal aborts. */
export async function invoke(
  parts: Parts,
  asked: Asked,
  purse: Purse,
  recorder: Recorder,
  signal: AbortSignal,
): Promise<Invoked> {
  const { clock } = parts;
  const { agent } = asked;
  const invocation = invocationOf(asked);
  const prompt = recordStart(asked, invocation, recorder);

  const usage: Usage[] = [];
  const reasoning = createReasoning(agent, recorder);
  const desk = openDesk(parts, asked, invocation, recorder, reasoning.beforeTools, signal);
  const host: AgentHost = {
    signal,
    callTool: desk.call,
    reason: reasoning.said,
    async spend(calls) {
      const priced = await purse.spend(calls);
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
  desk.close();
  reasoning.close();
  const verdict = judgeAnswer(parts, asked, answer);
  recordEnd(asked, invocation, answer, verdict, recorder);
  recorder.settle();
  return {
    outcome: verdict.outcome,
    unreachable: answer.kind === 'unreachable',
    ...('output' in answer && { output: answer.output }),
    latencyMs,
    usage,
    ...(verdict.schemaValid !== undefined && { schemaValid: verdict.schemaValid }),
    toolCalls: desk.calls,
    ...(prompt && { prompt: prompt.resolved }),
    bodies: redactDeep(bodiesOf(asked, answer, verdict, desk), parts.redact),
  };
}

const invocationOf = ({ runId, agent, ordinal, repeat, input, props }: Asked): Invocation => ({
  runId,
  invocationId: asId<InvocationId>(`inv-${ordinal}.${repeat}`),
  agentId: agent.facts.agentId,
  repeat,
  input,
  memory: props.memory,
  tools: props.tools,
});

/** The host answers its own tool itself, unless the task has a canned answer for that one too. */
function openDesk(
  parts: Parts,
  { owner, runId, agent, props }: Asked,
  { invocationId }: Invocation,
  recorder: Recorder,
  beforeCall: () => void,
  signal: AbortSignal,
): ToolDesk {
  const { agentId } = agent.facts;
  const writing = { owner, agentId, runId, invocationId, keeps: props.keepsNotes };
  const write = createMemoryWriter(parts, writing, recorder);
  return createToolDesk({
    agentId,
    invocationId,
    surface: props.tools,
    answer: (toolId, inputs) =>
      toolId === MEMORY_TOOL.toolId && !props.canned?.has(toolId)
        ? write(inputs)
        : props.answer(toolId, inputs, signal),
    recorder,
    clock: parts.clock,
    beforeCall,
  });
}

/** An answer that is no sound JSON could be neither compared nor stored; it is treated as an error of the agent's. */
function bounded(answer: Answer): Answer {
  if (!('output' in answer) || !isUnsound(fromBody(answer.output))) return answer;
  const reason = `The answer nests deeper than ${MAX_JSON_DEPTH} levels, or holds a number that JSON cannot write.`;
  return { kind: 'failed', reason, ...(answer.effort && { effort: answer.effort }) };
}

export type Verdict = {
  readonly outcome: InvocationOutcome;
  readonly schemaValid?: boolean;
  readonly reason?: string;
};

function judgeAnswer(parts: Parts, asked: Asked, answer: Answer): Verdict {
  if (answer.kind === 'failed' || answer.kind === 'unreachable')
    return { outcome: 'failed', reason: answer.reason };
  if (answer.kind === 'refused') return { outcome: 'refused', reason: 'The agent refused.' };
  const { returnSchema } = asked.agent.facts;
  const issues = returnSchema ? parts.schemaCheck(returnSchema, answer.output) : [];
  const first = issues[0];
  const reason = first && {
    reason: `The answer does not match the agent's return schema at ${first.pointer || '/'}: ${first.message}.`,
  };
  if (reason && !asked.underContract) return { outcome: 'failed', schemaValid: false, ...reason };
  const escalated = answer.confidence !== undefined && answer.confidence < asked.escalationThreshold;
  return {
    outcome: escalated ? 'escalated' : 'completed',
    ...(returnSchema && { schemaValid: first === undefined }),
    ...reason,
  };
}

function bodiesOf({ props }: Asked, answer: Answer, verdict: Verdict, desk: ToolDesk): RecordBodies {
  const attempts = answer.effort?.attempts ?? 1;
  return {
    ...(verdict.reason !== undefined && { reason: verdict.reason }),
    ...(attempts > 1 && { attempts }),
    ...(desk.refused.length > 0 && { refusedCalls: desk.refused }),
    ...(!props.canned && props.memory.length > 0 && { memory: props.memory }),
  };
}
