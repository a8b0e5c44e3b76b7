import { type Endpoint, endpoint } from '../endpoint.js';
import type { Services } from '../services.js';

export const metricsEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'getMetrics',
    method: 'GET',
    path: '/v1/host/touchstone/metrics',
    auth: 'runs:read',
    summary: 'Numbers about this process, for Prometheus',
    responses: { 200: { description: 'Text in the Prometheus format.', mediaType: 'text/plain' } },
    async handle() {
      const { text, mediaType } = await (await host.metrics()).render();
      return { status: 200, text, headers: { 'content-type': mediaType, 'cache-control': 'no-store' } };
    },
  }),
];
