import { asId, type Owner, type ToolId } from '@touchstone/protocol';
import type { ToolDescriptorWire } from '@touchstone/protocol/wire';
import type { Guard } from '../../net/index.js';
import { type Clock, MEMORY_TOOL, type OfferedTool, type Tools } from '../../ports/index.js';
import { type Incomplete, needsVariables } from '../environment/fill-in.js';
import { createDeclaredTool, createHttpTool, type HttpTool } from './http-tool.js';
import { type LoadMcp, loadMcpLibrary } from './mcp/library.js';
import { createMcpServer, type McpServer } from './mcp/server.js';
import type { McpServerSpec } from './mcp/server-spec.js';
import {
  describeHttp,
  describeMcp,
  describeServer,
  isToolName,
  MEMORY_DESCRIPTOR,
  offerHttp,
  offerMcp,
} from './tool-offers.js';
import { DEFAULT_TIER, type ToolSpec } from './tool-spec.js';

type Unset = ReadonlyMap<string, Incomplete>;

export type ToolGrants = {
  /** Whether all keys of this host belong to this tenant, so that a tool without `tenants` may be used by it. */
  readonly isOnlyTenant: (tenant: string) => boolean;
  readonly clock: Clock;
  /** Tools and servers that cannot be reached, because variables are not set. */
  readonly unset?: { readonly tools: Unset; readonly mcpServers: Unset };
  /** How HTTP tools are reached. */
  readonly guard?: Guard;
  readonly maxOutcomeBytes?: number;
  /** Where a relative `cwd` of an MCP server begins. */
  readonly baseDir?: string;
  readonly loadMcp?: LoadMcp;
};

export type HostTools = Tools & {
  /** Everything this owner may use. Servers that cannot be reached contribute nothing. */
  catalogue(owner: Owner): Promise<readonly ToolDescriptorWire[]>;
  find(owner: Owner, toolId: string): Promise<ToolDescriptorWire | undefined>;
  /** Why one of these tools cannot be called: a variable that its entry names is not set. */
  unsetVariable(owner: Owner, toolIds: readonly string[]): string | undefined;
  /** Why MCP servers cannot be used, by server. Asking starts them. */
  serverIssues(): Promise<readonly { readonly server: string; readonly reason: string }[]>;
  close(): Promise<void>;
};

const DEFAULT_OUTCOME_BYTES = 4 * 1024 * 1024;

/** The live tools of this host: those of the configuration, and those of its MCP servers. */
export function createTools(
  specs: readonly ToolSpec[],
  serverSpecs: ReadonlyMap<string, McpServerSpec>,
  grants: ToolGrants,
): HostTools {
  const toolSet = openTools(specs, serverSpecs, grants);
  const { httpTools, servers } = toolSet;
  const isFor = (owner: Owner) => (granted: { readonly spec: TenantGrant }) =>
    isGranted(granted.spec, owner, grants);
  const find = (owner: Owner, toolId: string) => {
    const found = lookUp(toolSet, toolId);
    return found && isFor(owner)(found.kind === 'http' ? found.tool : found.server) ? found : undefined;
  };
  const offer = async (owner: Owner, toolId: ToolId) => {
    const found = find(owner, toolId);
    return found && offerOf(found, toolId);
  };
  return {
    async granted(owner, wanted) {
      const offers = await Promise.all(wanted.map((toolId) => offer(owner, toolId)));
      return offers.filter((offered) => offered !== undefined);
    },
    described: (owner, wanted) =>
      Promise.all(wanted.map(async (toolId) => (await offer(owner, toolId)) ?? { toolId })),
    async tierOf(toolId) {
      if (toolId === MEMORY_TOOL.toolId) return MEMORY_DESCRIPTOR.safetyTier;
      const found = lookUp(toolSet, toolId);
      const spec = found?.kind === 'http' ? found.tool.spec : found?.server.spec;
      return spec && (spec.safetyTier ?? DEFAULT_TIER);
    },
    async call(owner, toolId, inputs, signal) {
      const found = find(owner, toolId);
      if (!found) return { status: 'forbidden', error: `Tool ${toolId} is not granted here.` };
      if (found.kind === 'http') return found.tool.call(inputs, signal);
      return found.server.call(toolId, found.name, inputs, signal);
    },
    async catalogue(owner) {
      const own = [...httpTools.values()].filter(isFor(owner));
      const granted = [...servers].filter(([, server]) => isFor(owner)(server));
      const foreign = await Promise.all(granted.map(([name, server]) => describeServer(name, server)));
      const all = [...own.map(({ spec }) => describeHttp(spec)), ...foreign.flat(), MEMORY_DESCRIPTOR];
      return all.sort((one, other) => (one.toolId < other.toolId ? -1 : 1));
    },
    async find(owner, toolId) {
      const found = find(owner, toolId);
      return toolId === MEMORY_TOOL.toolId
        ? MEMORY_DESCRIPTOR
        : found && describe(found, asId<ToolId>(toolId));
    },
    unsetVariable: (owner, toolIds) =>
      toolIds.map((toolId) => unsetReason(grants, owner, toolId)).find((reason) => reason !== undefined),
    async serverIssues() {
      const listings = [...servers].map(async ([server, { tools }]) => ({ server, ...(await tools()) }));
      const incomplete = [...(grants.unset?.mcpServers ?? [])].map(([server, { variables }]) => ({
        server,
        reason: needsVariables('It', variables),
      }));
      const unreachable = (await Promise.all(listings)).flatMap((listing) =>
        listing.kind === 'listed' ? [] : [{ server: listing.server, reason: listing.reason }],
      );
      return [...unreachable, ...incomplete];
    },
    async close() {
      for (const tool of httpTools.values()) tool.close();
      await Promise.all([...servers.values()].map((server) => server.close()));
    },
  };
}

function unsetReason(grants: ToolGrants, owner: Owner, toolId: string): string | undefined {
  const { unset } = grants;
  const entry = unset?.tools.get(toolId) ?? unset?.mcpServers.get(serverOf(toolId));
  return entry && isGranted(entry, owner, grants)
    ? needsVariables(`Tool ${toolId}`, entry.variables)
    : undefined;
}

type TenantGrant = { readonly tenants?: readonly string[] };

/** A tool that is not granted looks like one that does not exist. */
const isGranted = ({ tenants }: TenantGrant, owner: Owner, { isOnlyTenant }: ToolGrants): boolean =>
  tenants ? tenants.includes(owner.tenant) : isOnlyTenant(owner.tenant);

type ToolSet = {
  readonly httpTools: ReadonlyMap<string, HttpTool>;
  readonly servers: ReadonlyMap<string, McpServer>;
};

function openTools(
  specs: readonly ToolSpec[],
  serverSpecs: ReadonlyMap<string, McpServerSpec>,
  grants: ToolGrants,
): ToolSet {
  const { clock, guard, baseDir = '.', maxOutcomeBytes = DEFAULT_OUTCOME_BYTES } = grants;
  const { loadMcp = loadMcpLibrary } = grants;
  const parts = { clock, load: loadMcp, baseDir, maxOutcomeBytes };
  return {
    httpTools: new Map(
      specs.map((spec) => [
        spec.toolId,
        spec.kind === 'http' ? createHttpTool(spec, clock, maxOutcomeBytes, guard) : createDeclaredTool(spec),
      ]),
    ),
    servers: new Map([...serverSpecs].map(([name, spec]) => [name, createMcpServer(name, spec, parts)])),
  };
}

type ToolEntry =
  | { readonly kind: 'http'; readonly tool: HttpTool }
  | { readonly kind: 'mcp'; readonly server: McpServer; readonly name: string };

const MCP_TOOL = /^mcp:([^.]+)\.(.+)$/s;
const serverOf = (toolId: string): string => MCP_TOOL.exec(toolId)?.[1] ?? '';

function lookUp({ httpTools, servers }: ToolSet, toolId: string): ToolEntry | undefined {
  const tool = httpTools.get(toolId);
  if (tool) return { kind: 'http', tool };
  const [, , name = ''] = MCP_TOOL.exec(toolId) ?? [];
  const server = servers.get(serverOf(toolId));
  return server && isToolName(name) ? { kind: 'mcp', server, name } : undefined;
}

/** A tool whose server cannot be reached now is offered by its id: the server may be back when the tool is called. */
async function offerOf(found: ToolEntry, toolId: ToolId): Promise<OfferedTool | undefined> {
  if (found.kind === 'http') return offerHttp(found.tool.spec);
  const listing = await found.server.tools();
  if (listing.kind === 'unreachable') return { toolId };
  const tool = listing.tools.get(found.name);
  return tool && offerMcp(toolId, tool);
}

/** A server that cannot be reached has no tools in the catalogue. */
async function describe(found: ToolEntry, toolId: ToolId): Promise<ToolDescriptorWire | undefined> {
  if (found.kind === 'http') return describeHttp(found.tool.spec);
  const listing = await found.server.tools();
  const tool = listing.kind === 'listed' ? listing.tools.get(found.name) : undefined;
  return tool && describeMcp(found.server, offerMcp(toolId, tool));
}
