import {
  type AgentId,
  asId,
  type CallId,
  type InvocationId,
  isUnsound,
  MAX_JSON_DEPTH,
  type ToolId,
} from '@touchstone/protocol';
import { type Body, fromBody, type RecordBodies, type ToolResult } from '@touchstone/protocol/bodies';
import type { Clock, LiveResult, MaybePromise, OfferedTool, ScoredCall } from '../../ports/index.js';
import type { Recorder } from '../log/recorder.js';

/**
 * Where the tool calls of one invocation are made. Every call through this host passes here, so the allowlist is checked
 * here. Calls are answered one at a time, in the order they came: an agent that calls in parallel still leaves the same
 * log every time.
 */
export type ToolGateway = {
  call(toolId: string, inputs: Body): Promise<ToolResult>;
  /** Records a call that was made without this host. The allowlist has no part in it, and nothing is answered. */
  observe(call: ScoredCall): void;
  readonly refused: NonNullable<RecordBodies['refusedCalls']>;
  /** Every call that was made or refused, in order. */
  readonly calls: readonly ScoredCall[];
  /** The invocation is over: a call still unanswered is recorded as such, and nothing is recorded after it. */
  close(): void;
};

type GatewayParts = {
  readonly agentId: AgentId;
  readonly invocationId: InvocationId;
  readonly surface: readonly OfferedTool[];
  readonly answer: (toolId: ToolId, inputs: Body, callId: CallId) => MaybePromise<LiveResult>;
  readonly recorder: Recorder;
  readonly clock: Clock;
  /** Called before the first call is recorded: reasoning comes before tools in a bracket. */
  readonly beforeCall: () => void;
};

export function createToolGateway(parts: GatewayParts): ToolGateway {
  const offered = new Set<string>(parts.surface.map((tool) => tool.toolId));
  const refused: { callId: CallId; toolId: ToolId; inputs: Body }[] = [];
  const made: ScoredCall[] = [];
  const open: OpenCall = { end: () => undefined };
  const fits = createRecordLimit();
  let queue: Promise<unknown> = Promise.resolve();
  let calls = 0;
  let closed = false;

  const answerOne = async (toolId: ToolId, inputs: Body): Promise<ToolResult> => {
    if (closed) return { status: 'error', error: 'The invocation is over.' };
    const callId = asId<CallId>(`${parts.invocationId}.${calls++}`);
    if (isUnsound(fromBody(inputs))) {
      return {
        status: 'error',
        error: `The inputs nest deeper than ${MAX_JSON_DEPTH} levels, or hold a number that JSON cannot write.`,
      };
    }
    if (!fits(inputs)) return TOO_MUCH;
    if (!offered.has(toolId)) {
      refused.push({ callId, toolId, inputs });
      made.push({ toolId, inputs, status: 'forbidden' });
      return { status: 'forbidden', error: `Tool ${toolId} is not offered to agent ${parts.agentId}.` };
    }
    const result = await recordCall(parts, open, callId, toolId, inputs, fits);
    const outcome = result.status === 'ok' ? result.outcome : undefined;
    made.push({ toolId, inputs, status: result.status, ...(outcome !== undefined && { outcome }) });
    return result;
  };

  return {
    refused,
    calls: made,
    call(toolId, inputs) {
      const answered = queue.then(() => answerOne(asId<ToolId>(toolId), inputs));
      queue = answered.catch(() => undefined);
      return answered;
    },
    observe(call) {
      if (closed) return;
      recordObserved(parts, asId<CallId>(`${parts.invocationId}.${calls++}`), call);
      made.push(call);
    },
    close() {
      closed = true;
      open.end({ status: 'error', error: 'The invocation ended before the tool answered.' });
    },
  };
}

/** The one call that may be waiting for its answer. `end` records the answer, once. */
type OpenCall = { end: (result: ToolResult) => void };

async function recordCall(
  parts: GatewayParts,
  open: OpenCall,
  callId: CallId,
  toolName: ToolId,
  inputs: Body,
  fits: (body: Body) => boolean,
): Promise<ToolResult> {
  const { agentId, recorder, clock } = parts;
  parts.beforeCall();
  const cause = recorder.add('agent.toolCalled', { agentId, toolName, callId, inputs });
  const startedAt = clock.elapsed();
  open.end = (result) => {
    open.end = () => undefined;
    const durationMs = Math.round(clock.elapsed() - startedAt);
    recorder.add('agent.toolReturned', { agentId, toolName, callId, ...returned(result), durationMs }, cause);
  };
  const { recordedError, ...answer } = await parts.answer(toolName, inputs, callId);
  const result = answer.outcome === undefined || fits(answer.outcome) ? answer : TOO_MUCH;
  open.end(recordedError === undefined ? result : { ...result, error: recordedError });
  return result;
}

function recordObserved(
  { agentId, recorder, beforeCall }: GatewayParts,
  callId: CallId,
  { toolId: toolName, inputs, status, outcome }: ScoredCall,
): void {
  beforeCall();
  const call = { agentId, toolName, callId };
  const cause = recorder.add('agent.toolCalled', { ...call, inputs, observed: true });
  const result = status === 'ok' ? { status, ...(outcome !== undefined && { outcome }) } : { status };
  recorder.add('agent.toolReturned', { ...call, ...returned(result), observed: true }, cause);
}

/** Of JSON text. All calls of an invocation are one record, and a record is written and read as a whole. */
const MAX_RECORD_CHARS = 16 * 1024 * 1024;
/** What a call adds to a record besides its inputs and its outcome. */
const CALL_CHARS = 512;

/** Whether inputs or an outcome may still be recorded; if so, they count. */
function createRecordLimit(): (body: Body) => boolean {
  let chars = 0;
  return (body) => {
    const more = (JSON.stringify(fromBody(body)) ?? '').length + CALL_CHARS;
    if (chars + more > MAX_RECORD_CHARS) return false;
    chars += more;
    return true;
  };
}

const TOO_MUCH: ToolResult = {
  status: 'error',
  error: `The inputs and outcomes of all tool calls of one task may have ${MAX_RECORD_CHARS / 1024 / 1024} MiB together. This call does not fit.`,
};

const returned = (result: ToolResult) =>
  result.status === 'ok'
    ? { status: 'ok' as const, ...(result.outcome !== undefined && { outcome: result.outcome }) }
    : {
        status: 'error' as const,
        error: { code: 'tool_error', message: result.error || 'The tool failed.' },
      };
