import type { SearchTasks } from '@touchstone/protocol';
import { vendor } from '@touchstone/protocol/wire';
import { bodyOf, type Call, type Endpoint, endpoint, ok, type Reply } from '../../endpoint.js';
import { readQuery } from '../../query.js';
import { findEvalRun, type Services } from '../../services.js';
import { DEFAULT_LIMIT, listQuery } from './tasks.js';

async function searchTasks(host: Services, call: Call<unknown, SearchTasks>): Promise<Reply> {
  const run = await findEvalRun(host, call);
  const { text, filters = {} } = call.body;
  const asText = Object.entries(filters).map(([name, value]) => [name, String(value)]);
  const query = readQuery(listQuery, Object.fromEntries(asText));
  const { tasks, taskTexts } = host.touchstone;
  const among = await taskTexts.find(run, text, call.untilGone());
  const { limit = DEFAULT_LIMIT, id = query.q } = query;
  return { status: 200, body: await tasks.page(run, { ...query, among, limit, id }) };
}

export const taskSearchEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'searchTasks',
    route: 'POST /v1/host/touchstone/runs/{runId}/tasks:search',
    auth: 'runs:read',
    summary:
      'The tasks of an eval run whose input, answer or expected value has a text in it; without content',
    body: bodyOf(vendor.searchTasks),
    responses: ok('A page of them, as listTasks has it.', vendor.taskList),
    refusals: ['not_found'],
    handle: (call) => ({ slow: true, large: () => searchTasks(host, call) }),
  }),
];
