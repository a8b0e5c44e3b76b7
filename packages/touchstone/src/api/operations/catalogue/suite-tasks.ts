import { asId, HostError, type TaskId } from '@touchstone/protocol';
import { vendor } from '@touchstone/protocol/wire';
import { findSuiteTask, listSuiteTasks } from '../../../app/index.js';
import { type Endpoint, endpoint, ok } from '../../endpoint.js';
import { integerOr, optionalChoice, optionalText } from '../../query.js';
import type { Services } from '../../services.js';
import { findSuite } from './suites.js';

const listQuery = {
  id: optionalText('Only tasks whose id has this in it.'),
  kind: optionalChoice('Only tasks that are scored like this.', ['golden', 'rubric']),
  offset: integerOr(0, 'How many of the matching tasks to skip.', { min: 0 }),
  limit: integerOr(100, 'The most tasks of one page.', { min: 1, max: 500 }),
};

export const suiteTaskEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'listSuiteTasks',
    route: 'GET /v1/host/touchstone/suites/{suiteRef}/tasks',
    auth: 'runs:read',
    summary: 'The tasks of a suite, in its order; without content',
    parameters: listQuery,
    responses: ok('A page of them.', vendor.suiteTaskList),
    refusals: ['not_found'],
    async handle(call) {
      const suite = await findSuite(host, call);
      const { store } = host.touchstone;
      return { large: async () => ({ status: 200, body: await listSuiteTasks(store, suite, call.query) }) };
    },
  }),
  endpoint({
    operationId: 'getSuiteTask',
    route: 'GET /v1/host/touchstone/suites/{suiteRef}/tasks/{taskId}',
    auth: 'runs:read',
    summary: 'One task of a suite, as its author wrote it',
    responses: ok('The task.', vendor.suiteTaskView),
    refusals: ['not_found'],
    async handle(call) {
      const suite = await findSuite(host, call);
      const taskId = asId<TaskId>(call.params.taskId ?? '');
      const body = await findSuiteTask(host.touchstone.store, suite, taskId);
      if (!body) throw new HostError('not_found', 'The suite has no such task.');
      return { large: async () => ({ status: 200, body }) };
    },
  }),
];
