import { HostError } from '@touchstone/protocol';
import { type Endpoint, endpoint } from '../../endpoint.js';
import type { Services } from '../../services.js';

export const toolEndpoints = ({ touchstone }: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'listTools',
    method: 'GET',
    path: '/v1/tools',
    auth: 'key',
    summary: "The tools the caller's agents may be given",
    responses: {
      200: {
        description: 'Tools sorted by id.',
        schema: { type: 'array', items: { $ref: 'tool-descriptor' } },
      },
    },
    async handle(call) {
      return { status: 200, body: await touchstone.listTools(call.principal.owner) };
    },
  }),
  endpoint({
    operationId: 'getTool',
    method: 'GET',
    path: '/v1/tools/{toolId}',
    auth: 'key',
    summary: 'One tool of the catalogue',
    responses: { 200: { description: 'The tool.', schema: 'tool-descriptor' } },
    refusals: ['not_found'],
    async handle(call) {
      const tool = await touchstone.findTool(call.principal.owner, call.params.toolId ?? '');
      if (!tool) throw new HostError('not_found', 'There is no such tool.');
      return { status: 200, body: tool };
    },
  }),
];
