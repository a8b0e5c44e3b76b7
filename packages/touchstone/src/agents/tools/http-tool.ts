import { parseJson, type ToolId } from '@touchstone/protocol';
import { type Body, fromBody, type ToolResult } from '@touchstone/protocol/bodies';
import { createJsonClient, type Guard, type HttpResult, TIMED_OUT, withinTime } from '../../net/index.js';
import type { Clock, LiveResult } from '../../ports/index.js';
import { toolError, toolOutcome } from './tool-result.js';
import { DEFAULT_TOOL_TIMEOUT_MS, type HttpToolSpec, type ToolSpec } from './tool-spec.js';

export type HttpTool = {
  readonly spec: ToolSpec;
  call(inputs: Body, signal: AbortSignal): Promise<LiveResult>;
  close(): void;
};

/** Calling it is a POST of the inputs; the JSON that comes back is the outcome. */
export function createHttpTool(spec: HttpToolSpec, clock: Clock, maxBytes: number, guard?: Guard): HttpTool {
  const { toolId, timeoutMs = DEFAULT_TOOL_TIMEOUT_MS } = spec;
  const client = createJsonClient(spec.headers, guard);
  const url = new URL(spec.url);
  return {
    spec,
    async call(inputs, signal) {
      const body = JSON.stringify(fromBody(inputs));
      const result = await withinTime(
        clock,
        timeoutMs,
        (over) => client.send({ url, body, signal: over, maxBytes }),
        signal,
      );
      if (result === TIMED_OUT) return toolError(`Tool ${toolId} did not answer within ${timeoutMs} ms.`);
      return resultOf(result, toolId);
    },
    close: client.close,
  };
}

/** A tool without an address looks like one that is out of order. */
export const createDeclaredTool = (spec: ToolSpec): HttpTool => ({
  spec,
  async call() {
    const recordedError = `Tool ${spec.toolId} is only declared, and this task has no fixtures to answer it.`;
    return { ...toolError('The tool is not available at the moment.'), recordedError };
  },
  close: () => undefined,
});

function resultOf(result: HttpResult, toolId: ToolId): ToolResult {
  if (result.kind === 'lost') return toolError(`Tool ${toolId} could not be reached (${result.code}).`);
  if (result.kind !== 'response') return toolError(`Tool ${toolId}: ${result.reason}`);
  const { status, text } = result;
  if (status < 200 || status > 299) return toolError(`Tool ${toolId} answered with HTTP ${status}.`);
  const outcome = status === 204 ? null : parseJson(text);
  return outcome === undefined
    ? toolError(`Tool ${toolId} did not answer with JSON.`)
    : toolOutcome(outcome, toolId);
}
