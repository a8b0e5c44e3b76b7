import { HostError } from '@touchstone/protocol';
import { WORKFLOW_DEFINITIONS } from '../../../app/index.js';
import { type Endpoint, endpoint } from '../../endpoint.js';

export const workflowEndpoints = (): readonly Endpoint[] => [
  endpoint({
    operationId: 'getWorkflow',
    method: 'GET',
    path: '/v1/workflows/{workflowId}',
    auth: 'manifest:read',
    summary: 'A workflow this host can run',
    responses: { 200: { description: 'Its definition.', schema: { type: 'object' } } },
    refusals: ['not_found'],
    handle(call) {
      const workflow = WORKFLOW_DEFINITIONS.find(({ id }) => id === call.params.workflowId);
      if (!workflow) throw new HostError('not_found', 'There is no such workflow.');
      return { status: 200, body: workflow };
    },
  }),
];
