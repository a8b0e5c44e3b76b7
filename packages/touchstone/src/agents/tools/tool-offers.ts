import { asId, defined, isUnsound, type JsonObject, type ToolId } from '@touchstone/protocol';
import type { ToolDescriptorWire } from '@touchstone/protocol/wire';
import { MEMORY_TOOL, type OfferedTool } from '../../ports/index.js';
import type { Listing, McpServer } from './mcp/server.js';
import { DEFAULT_TIER, type ToolSpec } from './tool-spec.js';

type McpTools = Extract<Listing, { kind: 'listed' }>['tools'];
type McpTool = McpTools extends ReadonlyMap<string, infer Tool> ? Tool : never;

export const offerHttp = ({ toolId, description, inputSchema }: ToolSpec): OfferedTool =>
  defined({ toolId, description, inputSchema });

/** A schema that JSON cannot hold is left out, and a long description is cut. */
export const offerMcp = (toolId: ToolId, { description, inputSchema }: McpTool): OfferedTool =>
  defined({
    toolId,
    description: description === undefined ? undefined : cut(description),
    inputSchema: isUnsound(inputSchema) ? undefined : (inputSchema as JsonObject),
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

/** A tool is ignored when its name could not stand in an allowlist or holds invisible characters. */
const TOOL_NAME = /^[^\s\p{C}]{1,180}$/u;
export const isToolName = (name: string): boolean => TOOL_NAME.test(name);

/** All tools of a server; none when it cannot be reached. */
export async function describeServer(
  name: string,
  server: McpServer,
): Promise<readonly ToolDescriptorWire[]> {
  const listing = await server.tools();
  if (listing.kind === 'unreachable') return [];
  const tools = [...listing.tools.values()].filter((tool) => isToolName(tool.name));
  return tools.map((tool) => describeMcp(server, offerMcp(asId<ToolId>(`mcp:${name}.${tool.name}`), tool)));
}
