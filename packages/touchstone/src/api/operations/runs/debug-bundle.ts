import { type Endpoint, endpoint } from '../../endpoint.js';
import { runIdOf, type Services } from '../../services.js';

export const debugBundleEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'getRunDebugBundle',
    method: 'GET',
    path: '/v1/runs/{runId}/debug-bundle',
    auth: 'runs:read',
    summary: 'A run in one document to hand on, with secrets masked',
    responses: { 200: { description: 'The bundle.', schema: 'debug-bundle' } },
    refusals: ['not_found'],
    async handle(call) {
      const body = await host.touchstone.debugBundle(call.principal.owner, runIdOf(call), call.untilGone());
      return { status: 200, body, headers: { 'cache-control': 'no-store' } };
    },
  }),
];
