import { type Issue, isObject, type ToolId } from '@touchstone/protocol';
import {
  type AnyObject,
  anyObject,
  choice,
  closed,
  constant,
  id,
  issueAt,
  jsonObject,
  list,
  object,
  ruled,
  schemaIssues,
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

const described = {
  description: filled(2000),
  inputSchema: jsonObject(),
  safetyTier: choice(['pure', 'read', 'write', 'exec']),
  /** Who may use it. By default all tenants if the host has only one, and none otherwise. */
  tenants,
};
const httpShape = closed(
  { toolId, kind: constant('http'), url: webUrl },
  { ...described, headers, timeoutMs },
);
/** It has no address: models are offered it, and only fixtures answer. */
const declaredShape = closed({ toolId, kind: constant('declared') }, described);

/** A tool that is called at an address. */
export type HttpToolSpec = Wire<typeof httpShape>;
/** A tool of this host, as the configuration describes it. */
export type ToolSpec = HttpToolSpec | Wire<typeof declaredShape>;

function toolIssues(tool: AnyObject): readonly Issue[] {
  if (tool.kind === 'declared') return schemaIssues(declaredShape, tool);
  const [kind] = schemaIssues(object({ kind: choice(['http', 'declared']) }), tool);
  return schemaIssues(httpShape, tool).map((issue) => (issue.pointer === '/kind' && kind ? kind : issue));
}

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
  readAs(ruled(list(ruled(anyObject(), toolIssues)), repeatedIds), value, {
    pointer,
    variables: true,
  }) as unknown as readonly ToolSpec[];
