import { vendor } from '@touchstone/protocol/wire';
import { type Endpoint, endpoint } from '../../endpoint.js';
import type { Services } from '../../services.js';

export const boundAgentEndpoints = ({ touchstone }: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'bindAgent',
    method: 'PUT',
    path: '/v1/host/touchstone/agents/{agentId}',
    auth: 'agents:write',
    summary: "Bind one of the caller's own agents",
    // Read by the room that knows the kinds of agents; it refuses what a tenant may not bind.
    body: { schema: vendor.agentSpec, required: true, read: (value) => value },
    responses: {
      200: { description: 'This very version is bound already.', schema: vendor.boundAgent },
      201: { description: 'The version is bound.', schema: vendor.boundAgent },
    },
    refusals: ['conflict'],
    async handle(call) {
      const bound = await touchstone.bindAgent(call.principal.owner, call.params.agentId ?? '', call.body);
      const { agentId, version, digest } = bound.facts;
      return { status: bound.outcome === 'created' ? 201 : 200, body: { agentId, version, digest } };
    },
  }),
];
