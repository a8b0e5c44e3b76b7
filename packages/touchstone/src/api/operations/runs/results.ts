import { HostError } from '@touchstone/protocol';
import { vendor } from '@touchstone/protocol/wire';
import { type Endpoint, endpoint } from '../../endpoint.js';
import { integerOr } from '../../query.js';
import { findRun, runIdOf, type Services } from '../../services.js';

const MOST = 1_000;

const resultsQuery = {
  cursor: integerOr(0, 'The nextCursor of the page before.', { min: 0, max: Number.MAX_SAFE_INTEGER }),
  limit: integerOr(MOST, 'The most results of one page.', { min: 1, max: MOST }),
};

/** What a run has measured, without a word of content. */
export const resultEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'listResults',
    method: 'GET',
    path: '/v1/host/touchstone/runs/{runId}/results',
    auth: 'runs:read',
    summary: 'The results of an eval run, task by task, in the order of its log',
    parameters: resultsQuery,
    responses: {
      200: {
        description: 'Results, each with the place of its task in the suite.',
        schema: vendor.resultPage,
      },
    },
    refusals: ['not_found'],
    async handle(call) {
      const { cursor, limit } = call.query;
      const run = await findRun(host, call);
      if (run.plan.kind !== 'eval')
        throw new HostError('not_found', 'This run is not an eval run, so it has no results.');
      const items = await host.touchstone.results.page(run, cursor, limit);
      const isLast = items.length < limit;
      return { status: 200, body: { items, ...(!isLast && { nextCursor: String(cursor + items.length) }) } };
    },
  }),
  endpoint({
    operationId: 'getScorecard',
    method: 'GET',
    path: '/v1/host/touchstone/runs/{runId}/scorecard',
    auth: 'runs:read',
    summary: 'Everything about a completed eval run that can be signed and sent to others',
    responses: {
      200: { description: 'The scorecard, as a scorecard file holds it.', schema: vendor.scorecard },
    },
    refusals: ['not_found', 'run_state_conflict'],
    handle: async (call) => ({
      status: 200,
      body: await host.touchstone.scorecard(call.principal.owner, runIdOf(call)),
    }),
  }),
];
