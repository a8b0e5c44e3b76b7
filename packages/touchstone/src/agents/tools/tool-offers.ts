import { asId, isUnsound, type JsonObject, type ToolId } from '@touchstone/protocol';
import type { ToolDescriptorWire } from '@touchstone/protocol/wire';
import { MEMORY_TOOL, type OfferedTool } from '../../ports/index.js';
import type { Listing, McpServer } from './mcp/server.js';
import { DEFAULT_TIER, type ToolSpec } from './tool-spec.js';

type Listed = Extract<Listing, { kind: 'listed' }>['tools'];
type McpTool = Listed extends ReadonlyMap<string, infer Tool> ? Tool : never;

export const offerHttp = ({ toolId, description, inputSchema }: ToolSpec): OfferedTool => ({
  toolId,
  ...(description !== undefined && { description }),
  ...(inputSchema && { inputSchema }),
});

/** A schema that could not be written down is left out, and a description is cut where nobody would read on. */
export const offerMcp = (toolId: ToolId, { description, inputSchema }: McpTool): OfferedTool => ({
  toolId,
  ...(description !== undefined && { description: cut(description) }),
  ...(!isUnsound(inputSchema) && { inputSchema: inputSchema as JsonObject }),
});

const MAX_DESCRIPTION = 2_000;

/** Not in the middle of a character. */
const cut = (text: string): string =>
  text.length <= MAX_DESCRIPTION ? text : text.slice(0, MAX_DESCRIPTION).replace(/[\ud800-\udbff]$/, '');

export const describeHttp = (spec: ToolSpec): ToolDescriptorWire => ({
  ...offerHttp(spec),
  source: 'host-extension',
  safetyTier: spec.safetyTier ?? DEFAULT_TIER,
});

export const describeMcp = ({ spec }: McpServer, offer: OfferedTool): ToolDescriptorWire => ({
  ...offer,
  source: 'mcp',
  safetyTier: spec.safetyTier ?? DEFAULT_TIER,
});

export const MEMORY_DESCRIPTOR: ToolDescriptorWire = {
  ...MEMORY_TOOL,
  source: 'host-extension',
  safetyTier: 'write',
};

/** A tool with a name that no allowlist could hold, or that does not show what it is, might as well not be there. */
const TOOL_NAME = /^[^\s\p{C}]{1,180}$/u;
export const isToolName = (name: string): boolean => TOOL_NAME.test(name);

/** Everything a server has; nothing when it cannot be asked. */
export async function describeServer(
  name: string,
  server: McpServer,
): Promise<readonly ToolDescriptorWire[]> {
  const listing = await server.tools();
  if (listing.kind === 'unreachable') return [];
  const tools = [...listing.tools.values()].filter((tool) => isToolName(tool.name));
  return tools.map((tool) => describeMcp(server, offerMcp(asId<ToolId>(`mcp:${name}.${tool.name}`), tool)));
}
