import type { CallToolResult } from '@modelcontextprotocol/client';
import { isUnsound, type Json, MAX_JSON_DEPTH, type ToolId } from '@touchstone/protocol';
import { type ToolResult, toBody } from '@touchstone/protocol/bodies';

/** Enough for a complaint that an agent can act on. */
const ERROR_CHARACTERS = 8_000;

export const troubleResult = (error: string): ToolResult => ({
  status: 'error',
  error: error.slice(0, ERROR_CHARACTERS),
});

/** What a tool said, as one JSON value: its structured content if it has some, else what its text means. */
export function readResult(result: CallToolResult, toolId: ToolId, maxBytes: number): ToolResult {
  if (result.isError)
    return troubleResult(textOf(result) || `Tool ${toolId} reported an error without words.`);
  const outcome = outcomeOf(result);
  if (isUnsound(outcome, MAX_JSON_DEPTH))
    return troubleResult(`Tool ${toolId} answered with JSON that nests too deep.`);
  if (Buffer.byteLength(JSON.stringify(outcome)) > maxBytes)
    return troubleResult(`Tool ${toolId}: The answer is larger than ${maxBytes} bytes.`);
  return { status: 'ok', outcome: toBody(outcome) };
}

const textOf = ({ content = [] }: CallToolResult): string =>
  content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');

function outcomeOf({ structuredContent, content = [] }: CallToolResult): Json {
  if (structuredContent !== undefined) return structuredContent as Json;
  const [first] = content;
  if (content.length !== 1 || first?.type !== 'text') return content as unknown as Json;
  try {
    return JSON.parse(first.text);
  } catch {
    return first.text;
  }
}
