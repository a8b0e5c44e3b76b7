import { type Endpoint, endpoint } from '../../endpoint.js';
import { findRun, type Services } from '../../services.js';
import { streamProgress } from '../../streams/progress-stream.js';

export const progressEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'streamProgress',
    method: 'GET',
    path: '/v1/host/touchstone/runs/{runId}/progress',
    auth: 'runs:read',
    summary: 'How far a run is, live',
    responses: {
      200: { description: 'Totals, and a line per finished task.', mediaType: 'text/event-stream' },
    },
    refusals: ['not_found'],
    async handle(call) {
      const run = await findRun(host, call);
      const { store, engine } = host.touchstone;
      return {
        stream: (connection) =>
          streamProgress({ store, engine, wakeups: host.feed.wakeups }, connection, run),
      };
    },
  }),
];
