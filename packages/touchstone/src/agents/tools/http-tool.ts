import { isUnsound, type Json, MAX_JSON_DEPTH, type ToolId } from '@touchstone/protocol';
import { type Body, fromBody, type ToolResult, toBody } from '@touchstone/protocol/bodies';
import { createPoster, type PostResult } from '../../net/index.js';
import type { Clock } from '../../ports/index.js';
import { DEFAULT_TOOL_TIMEOUT_MS, type ToolSpec } from './tool-spec.js';
import { TIMED_OUT, withinTime } from './tool-time.js';

export type HttpTool = {
  readonly spec: ToolSpec;
  call(inputs: Body, signal: AbortSignal): Promise<ToolResult>;
  close(): void;
};

/** Calling it is a POST of the inputs; the JSON that comes back is the outcome. */
export function createHttpTool(spec: ToolSpec, clock: Clock, maxBytes: number): HttpTool {
  const { toolId, timeoutMs = DEFAULT_TOOL_TIMEOUT_MS } = spec;
  const poster = createPoster(spec);
  return {
    spec,
    async call(inputs, signal) {
      const body = JSON.stringify(fromBody(inputs));
      const result = await withinTime(clock, timeoutMs, signal, (over) =>
        poster.post({ body, signal: over, maxBytes }),
      );
      if (result === TIMED_OUT) return trouble(`Tool ${toolId} did not answer within ${timeoutMs} ms.`);
      return resultOf(result, toolId);
    },
    close: () => poster.close(),
  };
}

function resultOf(result: PostResult, toolId: ToolId): ToolResult {
  if (result.kind === 'lost') return trouble(`Tool ${toolId} could not be reached (${result.code}).`);
  if (result.kind !== 'response') return trouble(`Tool ${toolId}: ${result.reason}`);
  const { status, text } = result;
  if (status < 200 || status > 299) return trouble(`Tool ${toolId} answered with HTTP ${status}.`);
  return status === 204 ? { status: 'ok', outcome: toBody(null) } : outcomeOf(text, toolId);
}

function outcomeOf(text: string, toolId: ToolId): ToolResult {
  let outcome: Json;
  try {
    outcome = JSON.parse(text);
  } catch {
    return trouble(`Tool ${toolId} did not answer with JSON.`);
  }
  if (isUnsound(outcome, MAX_JSON_DEPTH))
    return trouble(`Tool ${toolId} answered with JSON that nests too deep.`);
  return { status: 'ok', outcome: toBody(outcome) };
}

const trouble = (error: string): ToolResult => ({ status: 'error', error });
