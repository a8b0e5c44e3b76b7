import { vendor } from '@touchstone/protocol/wire';
import { bodyOf, type Endpoint, endpoint, ok } from '../../endpoint.js';
import { runIdOf, type Services } from '../../services.js';

/** Removal of ended runs. An allowed one is audited with the removal itself, in one write. */
export const removalEndpoints = ({ touchstone: { retention } }: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'removeRun',
    route: 'DELETE /v1/host/touchstone/runs/{runId}',
    auth: 'runs:delete',
    summary: 'Remove an ended run with everything that is recorded of it',
    responses: { 204: { description: 'The run is gone.' } },
    refusals: ['not_found', 'run_state_conflict', 'conflict'],
    async handle(call) {
      await retention.remove(call.principal, runIdOf(call));
      return { status: 204 };
    },
  }),
  endpoint({
    operationId: 'removeRunBodies',
    route: 'DELETE /v1/host/touchstone/runs/{runId}/bodies',
    auth: 'runs:delete',
    summary: 'Remove the content of an ended run: answers, tool calls, reasons; scores stay',
    responses: { 204: { description: 'The content is gone.' } },
    refusals: ['not_found', 'run_state_conflict', 'conflict'],
    async handle(call) {
      await retention.removeBodies(call.principal, runIdOf(call));
      return { status: 204 };
    },
  }),
  endpoint({
    operationId: 'pruneRuns',
    route: 'POST /v1/host/touchstone/runs:prune',
    auth: 'runs:delete',
    summary: 'Remove old runs, or their content, up to 1000 at a time',
    body: bodyOf(vendor.pruneBody),
    responses: ok('What was removed, and what was kept and why.', vendor.prunedRuns),
    handle: async (call) => ({ status: 200, body: await retention.prune(call.principal, call.body) }),
  }),
];
