import { HostError } from '@touchstone/contract';
import { type Endpoint, endpoint } from '../endpoint.js';
import { type HostParts, runIdOf } from '../host-parts.js';
import { evalReport } from './vendor-shapes.js';

export const reportEndpoints = (host: HostParts): readonly Endpoint[] => [
  endpoint({
    operationId: 'getReport',
    method: 'GET',
    path: '/v1/host/touchstone/runs/{runId}/report',
    auth: 'runs:read',
    summary: 'How sure the scorecard of an eval run is, and what it is made of',
    responses: { 200: { description: 'The report.', schema: evalReport } },
    refusals: ['not_found', 'run_state_conflict'],
    async handle(call) {
      if (!host.evalSuite) throw new HostError('not_found', 'This host does not run evaluations.');
      return { status: 200, body: await host.touchstone.report(call.principal.owner, runIdOf(call)) };
    },
  }),
];
