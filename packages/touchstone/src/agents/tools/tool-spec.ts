import { type Issue, isObject, type ToolId } from '@touchstone/protocol';
import {
  choice,
  closed,
  constant,
  id,
  issueAt,
  jsonObject,
  list,
  ruled,
  type Wire,
} from '@touchstone/protocol/schema';
import { MEMORY_TOOL, type SafetyTier } from '../../ports/index.js';
import { filled, headers, readAs, tenants, timeoutMs, webUrl } from '../spec/members.js';

/** An unknown effect is not harmless. */
export const DEFAULT_TIER: SafetyTier = 'write';
export const DEFAULT_TOOL_TIMEOUT_MS = 30_000;

const toolId = ruled(
  id<ToolId>(undefined, {
    maxLength: 256,
    pattern: '^\\S+:\\S+$',
    title: 'a tool id such as local:kb.search',
  }),
  (value: string) => [
    ...issueAt('', value.startsWith('mcp:') && 'ids that begin with mcp: belong to mcpServers'),
    ...issueAt('', value === MEMORY_TOOL.toolId && "this id belongs to the host's own tool"),
  ],
);

const toolShape = closed(
  { toolId, kind: constant('http'), url: webUrl },
  {
    description: filled(2000),
    inputSchema: jsonObject(),
    safetyTier: choice(['pure', 'read', 'write', 'exec']),
    /** Who may use it. By default all tenants if the host has only one, and none otherwise. */
    tenants,
    headers,
    timeoutMs,
  },
);

/** A live tool of this host, as the configuration describes it. */
export type ToolSpec = Wire<typeof toolShape>;

function repeatedIds(tools: readonly unknown[]): readonly Issue[] {
  const ids = tools.map((tool) => (isObject(tool) ? tool.toolId : undefined));
  return ids.flatMap((one, index) =>
    issueAt(
      `/${index}/toolId`,
      typeof one === 'string' && ids.indexOf(one) < index && 'another tool has this id already',
    ),
  );
}

/** Reads the `tools[]` of a configuration; every problem is listed under its pointer. */
export const parseToolSpecs = (value: unknown, pointer = '/tools'): readonly ToolSpec[] =>
  readAs(ruled(list(toolShape), repeatedIds), value, { pointer, variables: true });
