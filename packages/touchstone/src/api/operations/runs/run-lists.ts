import { asId, defined, HostError, RUN_STATUSES, type TaskId } from '@touchstone/protocol';
import { vendor } from '@touchstone/protocol/wire';
import { snapshotOf } from '../../../app/index.js';
import { type Endpoint, endpoint } from '../../endpoint.js';
import { integerOr, optionalChoice, optionalText } from '../../query.js';
import { findRun, type Services } from '../../services.js';

const listQuery = {
  agentId: optionalText('Only runs of this agent.'),
  suiteId: optionalText('Only runs of this suite.'),
  status: optionalChoice('Only runs that stand like this.', RUN_STATUSES),
  limit: integerOr(50, 'The most runs of one page.', { min: 1, max: 200 }),
  cursor: optionalText('The nextCursor of the page before.'),
};

export const runListEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'listRuns',
    method: 'GET',
    path: '/v1/host/touchstone/runs',
    auth: 'runs:read',
    summary: "The caller's runs, newest first",
    parameters: listQuery,
    responses: { 200: { description: 'Snapshots of runs.', schema: vendor.page({ $ref: 'run-snapshot' }) } },
    async handle(call) {
      const { agentId, suiteId, status, limit, cursor } = call.query;
      const { items, nextCursor } = await host.touchstone.store.runs.list(call.principal.owner, {
        limit,
        ...defined({ agentId, suiteId, status, cursor }),
      });
      const body = {
        items: items.map((run) => snapshotOf(run, { now: host.clock.now() })),
        ...(nextCursor !== undefined && { nextCursor }),
      };
      return { status: 200, body };
    },
  }),
  endpoint({
    operationId: 'getTask',
    method: 'GET',
    path: '/v1/host/touchstone/runs/{runId}/tasks/{taskId}',
    auth: 'runs:read',
    summary: 'One task of a run, with what the agent was given and what it answered',
    responses: { 200: { description: 'The task.', schema: vendor.taskView } },
    refusals: ['not_found'],
    async handle(call) {
      const { owner, runId } = await findRun(host, call);
      const view = await host.touchstone.viewTask(owner, runId, asId<TaskId>(call.params.taskId ?? ''));
      if (!view) throw new HostError('not_found', 'This run has no such task, or has not finished it yet.');
      return { status: 200, body: view };
    },
  }),
];
