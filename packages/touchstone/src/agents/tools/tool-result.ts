import { isUnsound, type Json, MAX_JSON_DEPTH, type ToolId } from '@touchstone/protocol';
import { type ToolResult, toBody } from '@touchstone/protocol/bodies';

/** Enough for an error message that an agent can act on. */
const ERROR_CHARACTERS = 8_000;

export const toolError = (error: string): ToolResult => ({
  status: 'error',
  error: error.slice(0, ERROR_CHARACTERS),
});

export function toolOutcome(outcome: Json, toolId: ToolId): ToolResult {
  if (isUnsound(outcome, MAX_JSON_DEPTH))
    return toolError(`Tool ${toolId} answered with JSON that nests too deep.`);
  return { status: 'ok', outcome: toBody(outcome) };
}
