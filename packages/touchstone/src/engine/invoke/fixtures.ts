import type { ToolId } from '@touchstone/protocol';
import { type Fixtures, type ToolResult, toBody } from '@touchstone/protocol/bodies';

/**
 * Stands in for live tools during one invocation. Responses for a tool are consumed in order and the last one repeats;
 * a tool without a response gets an error, never a live call. Made anew for every repeat, so each starts alike.
 */
export function createFixtureTools(fixtures: Fixtures): (toolId: ToolId) => ToolResult {
  const used = new Map<ToolId, number>();
  return (toolId) => {
    const responses = (fixtures.toolResponses ?? []).filter((response) => response.tool === toolId);
    const position = used.get(toolId) ?? 0;
    const response = responses[Math.min(position, responses.length - 1)];
    if (!response) return { status: 'error', error: `This task has fixtures, and none for tool ${toolId}.` };
    used.set(toolId, position + 1);
    return { status: 'ok', outcome: response.response ?? toBody(null) };
  };
}
