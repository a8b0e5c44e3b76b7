import { asId, type JsonObject, type ToolId, validationError } from '@touchstone/protocol';
import { MEMORY_TOOL } from '../../ports/index.js';
import { readHeaders, readTenants, readTimeout, readUrl } from '../spec/members.js';
import { ObjectReader, present } from '../spec/object-reader.js';

const SAFETY_TIERS = ['pure', 'read', 'write', 'exec'] as const;
type SafetyTier = (typeof SAFETY_TIERS)[number];
/** An unknown effect is not harmless. */
export const DEFAULT_TIER: SafetyTier = 'write';
export const DEFAULT_TOOL_TIMEOUT_MS = 30_000;

/** A live tool of this host, as the configuration describes it. */
export type ToolSpec = {
  readonly toolId: ToolId;
  readonly kind: 'http';
  readonly url: string;
  readonly description?: string;
  readonly inputSchema?: JsonObject;
  readonly safetyTier?: SafetyTier;
  /** Who may use it. By default all tenants if the host has only one, and none otherwise. */
  readonly tenants?: readonly string[];
  readonly headers?: { readonly [name: string]: string };
  readonly timeoutMs?: number;
};

/** Reads the `tools[]` of a configuration; every problem is listed under its pointer. */
export function parseToolSpecs(value: unknown, pointer = '/tools'): readonly ToolSpec[] {
  if (!Array.isArray(value)) throw validationError([{ pointer, message: 'Expected an array of tools.' }]);
  const ids = new Set<string>();
  const read = (reader: ObjectReader) => readTool(reader, ids);
  return ObjectReader.readList(value, pointer, read);
}

const TOOL_ID = { max: 256, pattern: /^\S+:\S+$/, expected: 'a tool id such as local:kb.search' };

function readTool(reader: ObjectReader, otherIds: Set<string>): ToolSpec {
  reader.require('toolId', 'kind', 'url');
  const toolId = reader.text('toolId', TOOL_ID);
  if (toolId?.startsWith('mcp:')) reader.refuse('toolId', 'Ids that begin with mcp: belong to mcpServers.');
  if (toolId === MEMORY_TOOL.toolId) reader.refuse('toolId', "This id belongs to the host's own tool.");
  if (toolId !== undefined && otherIds.has(toolId))
    reader.refuse('toolId', 'Another tool has this id already.');
  if (toolId !== undefined) otherIds.add(toolId);
  return present<ToolSpec>({
    toolId: toolId === undefined ? undefined : asId<ToolId>(toolId),
    kind: reader.choice('kind', ['http'] as const),
    url: readUrl(reader, 'url'),
    description: reader.text('description', { max: 2000 }),
    inputSchema: reader.object('inputSchema') && (reader.value('inputSchema') as JsonObject),
    safetyTier: reader.choice('safetyTier', SAFETY_TIERS),
    tenants: readTenants(reader),
    headers: readHeaders(reader),
    timeoutMs: readTimeout(reader),
  });
}
