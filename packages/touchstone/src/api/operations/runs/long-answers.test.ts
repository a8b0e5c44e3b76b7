import { expect, it } from 'vitest';
import type { Call, Endpoint } from '../../endpoint.js';
import type { Services } from '../../services.js';
import { comparisonEndpoints } from './comparisons.js';
import { reportEndpoints } from './report.js';
import { taskListEndpoints } from './tasks.js';

/** A host that knows one eval run, and that must not be asked for more before it is the caller's turn. */
const host = {
  evalSuite: true,
  touchstone: { store: { runs: { get: async () => ({ plan: { kind: 'eval' } }) } } },
} as unknown as Services;

const call = {
  principal: { owner: { tenant: 'acme', workspace: 'main' } },
  params: { runId: 'run-1' },
  query: {},
  headers: {},
  body: { before: 'run-1', after: 'run-2' },
} as unknown as Call<never, never>;

const operation = (endpoints: readonly Endpoint[], id: string): Endpoint =>
  endpoints.find(({ operationId }) => operationId === id) as Endpoint;

// What reads all tasks of a run takes 20 ms and more of 10,000 tasks. A tenant that asks for sixty of them at once gets one after the
// other, and others are answered in between.
it.each([
  ['getFacets', taskListEndpoints],
  ['listTasks', taskListEndpoints],
  ['getReport', reportEndpoints],
  ['compareRuns', comparisonEndpoints],
] as const)('%s is made when no other long answer of its tenant is in the making', async (id, endpoints) => {
  expect(await operation(endpoints(host), id).handle(call)).toMatchObject({ large: expect.any(Function) });
});
