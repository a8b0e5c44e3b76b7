import { defined, HostError } from '@touchstone/protocol';
import { vendor } from '@touchstone/protocol/wire';
import type { AgentFacts } from '../../../ports/index.js';
import { highestVersion } from '../../../suites/index.js';
import { type Endpoint, endpoint, objectBody, ok } from '../../endpoint.js';
import { noSuch, type Services } from '../../services.js';

const entrySchema = { $ref: 'agent-inventory-response#/$defs/AgentInventoryEntry' };

export const agentEndpoints = ({ touchstone }: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'listAgents',
    route: 'GET /v1/agents',
    auth: 'key',
    summary: 'The agents the caller can run',
    responses: ok('The inventory, sorted by agent id.', 'agent-inventory-response'),
    async handle(call) {
      const visible = await touchstone.agents.list(call.principal.owner);
      const agents = newestOfEach(visible.map(({ facts }) => facts)).map(inventoryEntry);
      return { status: 200, body: { agents, total: agents.length } };
    },
  }),
  endpoint({
    operationId: 'getAgent',
    route: 'GET /v1/agents/{agentId}',
    auth: 'key',
    summary: 'One agent of the inventory',
    responses: ok('The agent.', entrySchema),
    refusals: ['not_found'],
    async handle(call) {
      const visible = await touchstone.agents
        .find(call.principal.owner, call.params.agentId ?? '')
        .catch(noSuch);
      if (!visible) throw new HostError('not_found', 'There is no such agent.');
      return { status: 200, body: inventoryEntry(visible.facts) };
    },
  }),
];

/** The inventory has one entry per agent: its highest version, the one that a bare id means. */
function newestOfEach(all: readonly AgentFacts[]): readonly AgentFacts[] {
  const newest = new Map<string, AgentFacts>();
  for (const facts of all) {
    const known = newest.get(facts.agentId);
    if (!known || highestVersion([known.version, facts.version]) === facts.version)
      newest.set(facts.agentId, facts);
  }
  return [...newest.values()].sort((one, other) => (one.agentId < other.agentId ? -1 : 1));
}

/** Never a prompt, a schema or a credential: whether there are schemas is all that is told. */
function inventoryEntry(facts: AgentFacts) {
  const {
    agentId,
    version,
    persona,
    description,
    toolAllowlist,
    memoryShape,
    degraded,
    confidenceThreshold,
  } = facts;
  return defined({
    agentId,
    persona,
    label: facts.label ?? persona,
    description,
    modelClass: facts.modelClass ?? 'general',
    packName: facts.pack?.name ?? 'local',
    packVersion: facts.pack?.version ?? version,
    toolAllowlist,
    hasHandoffSchemas: facts.taskSchema !== undefined || facts.returnSchema !== undefined,
    memoryShape,
    degraded,
    confidenceThreshold,
  });
}

export const boundAgentEndpoints = ({ touchstone }: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'bindAgent',
    route: 'PUT /v1/host/touchstone/agents/{agentId}',
    auth: 'agents:write',
    summary: "Bind one of the caller's own agents",
    // The agents module reads it and refuses what a tenant may not bind.
    body: { schema: vendor.agentSpec, required: true, read: objectBody },
    responses: {
      200: { description: 'This very version is bound already.', schema: vendor.boundAgent },
      201: { description: 'The version is bound.', schema: vendor.boundAgent },
    },
    refusals: ['conflict', 'quota_exceeded'],
    async handle(call) {
      const bound = await touchstone.agents.bind(call.principal.owner, call.params.agentId ?? '', call.body);
      const { agentId, version, digest } = bound.facts;
      return { status: bound.outcome === 'created' ? 201 : 200, body: { agentId, version, digest } };
    },
  }),
];

export const toolEndpoints = ({ touchstone }: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'listTools',
    route: 'GET /v1/tools',
    auth: 'key',
    summary: "The tools the caller's agents may be given",
    responses: {
      200: {
        description: 'Tools sorted by id.',
        schema: { type: 'array', items: { $ref: 'tool-descriptor' } },
      },
    },
    async handle(call) {
      return { status: 200, body: await touchstone.tools.catalogue(call.principal.owner) };
    },
  }),
  endpoint({
    operationId: 'getTool',
    route: 'GET /v1/tools/{toolId}',
    auth: 'key',
    summary: 'One tool of the catalogue',
    responses: ok('The tool.', 'tool-descriptor'),
    refusals: ['not_found'],
    async handle(call) {
      const tool = await touchstone.tools.find(call.principal.owner, call.params.toolId ?? '');
      if (!tool) throw new HostError('not_found', 'There is no such tool.');
      return { status: 200, body: tool };
    },
  }),
];
