import {
  asId,
  type InvocationId,
  type InvocationOutcome,
  isUnsound,
  MAX_JSON_DEPTH,
  type Owner,
  type RunId,
  type ToolId,
} from '@touchstone/contract';
import {
  type Body,
  type Fixtures,
  fromBody,
  type RecordBodies,
  type ToolResult,
} from '@touchstone/contract/bodies';
import type { Agent, AgentHost, Answer, OfferedTool, Usage } from '@touchstone/contract/ports';
import { createFixtureTools } from './fixtures.js';
import { overlayMemory } from './memory.js';
import type { Parts } from './parts.js';
import type { Recorder } from './recorder.js';
import { type Purse, usagePayload } from './spending.js';
import { createToolDesk, type ToolDesk } from './tool-desk.js';

/** One call of the agent: what it is asked, under which names, and with what standing in for the world. */
export type Asked = {
  readonly owner: Owner;
  readonly runId: RunId;
  readonly agent: Agent;
  readonly channel?: string;
  readonly ordinal: number;
  readonly repeat: number;
  readonly input: Body;
  readonly fixtures?: Fixtures;
  readonly escalationThreshold: number;
};

/** What came of it. `unreachable` is nobody's answer; every other outcome is the agent's. */
export type Invoked = {
  readonly outcome: InvocationOutcome;
  readonly unreachable: boolean;
  readonly output?: Body;
  readonly latencyMs: number;
  readonly usage: readonly Usage[];
  readonly schemaValid?: boolean;
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
  const invocationId = asId<InvocationId>(`inv-${asked.ordinal}.${asked.repeat}`);
  const surface = toolSurface(parts, asked);
  const memory = overlayMemory(asked.fixtures?.memorySeed ?? [], asked.ordinal, clock.now(), parts.redact);
  recordStart(asked, invocationId, surface.length, memory.length > 0, recorder);

  const usage: Usage[] = [];
  const reasoning = createReasoning(agent, recorder);
  const desk = openDesk(parts, asked, invocationId, surface, recorder, reasoning.beforeTools, signal);
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
  const invocation = {
    runId: asked.runId,
    invocationId,
    agentId: agent.facts.agentId,
    input: asked.input,
    memory,
    tools: surface,
  };
  const answer = bounded(await agent.invoke(invocation, host));
  const latencyMs = Math.max(0, Math.round(clock.elapsed() - startedAt - (answer.effort?.waitedMs ?? 0)));
  over = true;
  desk.close();
  reasoning.close();
  const verdict = judgeAnswer(parts, asked, answer);
  recordEnd(asked, invocationId, answer, verdict, recorder);
  return {
    outcome: verdict.outcome,
    unreachable: answer.kind === 'unreachable',
    ...('output' in answer && { output: answer.output }),
    latencyMs,
    usage,
    ...(verdict.schemaValid !== undefined && { schemaValid: verdict.schemaValid }),
    bodies: bodiesOf(answer, verdict, desk),
  };
}

/** With fixtures every allowed tool can be offered, because none is called live; without, only the granted ones. */
function toolSurface(parts: Parts, asked: Asked): readonly OfferedTool[] {
  const allowed = asked.agent.facts.toolAllowlist;
  if (allowed.length === 0) return [];
  return asked.fixtures
    ? allowed.map((toolId) => parts.tools.describe(toolId))
    : parts.tools.granted(asked.owner, allowed);
}

function openDesk(
  parts: Parts,
  asked: Asked,
  invocationId: InvocationId,
  surface: readonly OfferedTool[],
  recorder: Recorder,
  beforeCall: () => void,
  signal: AbortSignal,
): ToolDesk {
  const live = (toolId: ToolId, inputs: Body): Promise<ToolResult> =>
    parts.tools.call(asked.owner, toolId, inputs, signal);
  const answer = asked.fixtures ? createFixtureTools(asked.fixtures) : live;
  return createToolDesk({
    agentId: asked.agent.facts.agentId,
    invocationId,
    surface,
    answer,
    recorder,
    clock: parts.clock,
    beforeCall,
  });
}

/** A bracket holds at least one `agent.reasoned`, before any tool call; an agent that shows none gets an empty one. */
function createReasoning(agent: Agent, recorder: Recorder) {
  const { agentId } = agent.facts;
  let shown = false;
  let closed = false;
  const beforeTools = (): void => {
    if (shown) return;
    shown = true;
    recorder.add('agent.reasoned', { agentId, reasoning: '', verbosity: 'off' });
  };
  return {
    said(reasoning: string) {
      if (closed) return;
      shown = true;
      recorder.add('agent.reasoned', { agentId, reasoning, verbosity: 'full' });
    },
    beforeTools,
    close() {
      beforeTools();
      closed = true;
    },
  };
}

function recordStart(
  asked: Asked,
  invocationId: InvocationId,
  tools: number,
  memoryBound: boolean,
  recorder: Recorder,
): void {
  const { facts } = asked.agent;
  recorder.add('agent.invocation.started', {
    invocationId,
    agentId: facts.agentId,
    source: 'run-api',
    ...(facts.modelClass && { modelClass: facts.modelClass }),
    resolvedAgentVersion: facts.version,
    ...(asked.channel !== undefined && { resolvedChannel: asked.channel }),
    toolSurfaceCount: tools,
    memoryBound,
  });
}

/** An answer that is no sound JSON could be neither compared nor stored; it is treated as an error of the agent's. */
function bounded(answer: Answer): Answer {
  if (!('output' in answer) || !isUnsound(fromBody(answer.output))) return answer;
  const reason = `The answer nests deeper than ${MAX_JSON_DEPTH} levels, or holds a number that JSON cannot write.`;
  return { kind: 'failed', reason, ...(answer.effort && { effort: answer.effort }) };
}

type Verdict = {
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
  if (first) {
    return {
      outcome: 'failed',
      schemaValid: false,
      reason: `The answer does not match the agent's return schema at ${first.pointer || '/'}: ${first.message}.`,
    };
  }
  const escalated = answer.confidence !== undefined && answer.confidence < asked.escalationThreshold;
  return { outcome: escalated ? 'escalated' : 'completed', ...(returnSchema && { schemaValid: true }) };
}

function recordEnd(
  asked: Asked,
  invocationId: InvocationId,
  answer: Answer,
  verdict: Verdict,
  recorder: Recorder,
): void {
  const { agentId } = asked.agent.facts;
  const confidence =
    'confidence' in answer && answer.confidence !== undefined ? { confidence: answer.confidence } : {};
  if ('output' in answer) recorder.add('agent.decided', { agentId, decision: answer.output, ...confidence });
  recorder.add('agent.invocation.completed', {
    invocationId,
    agentId,
    outcome: verdict.outcome,
    ...(verdict.schemaValid !== undefined && { schemaValidated: verdict.schemaValid }),
    ...confidence,
  });
}

function bodiesOf(answer: Answer, verdict: Verdict, desk: ToolDesk): RecordBodies {
  const attempts = answer.effort?.attempts ?? 1;
  return {
    ...(verdict.reason !== undefined && { reason: verdict.reason }),
    ...(attempts > 1 && { attempts }),
    ...(desk.refused.length > 0 && { refusedCalls: desk.refused }),
  };
}
