import { asId, type TaskId } from '@touchstone/protocol';
import { vendor } from '@touchstone/protocol/wire';
import { type Endpoint, endpoint, ok } from '../../endpoint.js';
import { optionalInteger } from '../../query.js';
import { findEvalRun, type Services } from '../../services.js';

const eventsQuery = {
  cursor: optionalInteger('The nextCursor of the page before.', { min: 0 }),
};

export const taskEventEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'listTaskEvents',
    route: 'GET /v1/host/touchstone/runs/{runId}/tasks/{taskId}/events',
    auth: 'runs:read',
    summary: 'What happened in one task of a run, with its content, and when its calls were made',
    parameters: eventsQuery,
    responses: ok('Events in order, and the times of the calls.', vendor.taskEvents),
    refusals: ['not_found'],
    async handle(call) {
      const run = await findEvalRun(host, call);
      const taskId = asId<TaskId>(call.params.taskId ?? '');
      return {
        large: async () => ({
          status: 200,
          body: await host.touchstone.taskEvents(run, taskId, call.query.cursor),
        }),
      };
    },
  }),
];
