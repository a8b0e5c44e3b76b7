import { MATRIX_KEPT, MATRIX_ORDERS, validationError } from '@touchstone/protocol';
import { vendor } from '@touchstone/protocol/wire';
import { type Endpoint, endpoint, ok } from '../endpoint.js';
import { anyText, integerOr, optionalChoice, optionalText, type QueryOf } from '../query.js';
import type { Services } from '../services.js';

const MOST_RUNS = 20;

const matrixQuery = {
  runs: anyText(`Ids of completed eval runs, at most ${MOST_RUNS}, with commas between them.`),
  suiteId: optionalText(
    'Instead of runs: the last ones of this suite. <suiteId>@<version> means one version.',
  ),
  agentId: optionalText('Only runs of this agent, with suiteId.'),
  last: integerOr(MOST_RUNS, 'How many runs of the suite.', { min: 1, max: MOST_RUNS }),
  only: optionalChoice('Tasks that changed sides, that differ at all, or all (the default).', MATRIX_KEPT),
  order: optionalChoice(
    'Largest drop first, most changes of side first, or newest failure first; by change when runs are named, by flaky otherwise.',
    MATRIX_ORDERS,
  ),
  offset: integerOr(0, 'How many of the matching tasks to skip.', { min: 0 }),
  limit: integerOr(100, 'The most tasks of one page.', { min: 1, max: 500 }),
};

/** Runs by their ids, or the suite whose last ones are meant: one of the two. */
function subjectOf({ runs: text, suiteId: ref }: QueryOf<typeof matrixQuery>) {
  if ((text === undefined) === (ref === undefined)) {
    const message = 'expected either runs, or the suiteId whose last runs are meant';
    throw validationError([{ pointer: '/runs', message }], { field: 'runs' });
  }
  const [suiteId, version] = ref?.split('@') ?? [];
  const runs = text?.split(',').filter((runId) => runId !== '');
  if (!runs) return { suiteId, version };
  if (runs.length > 0 && runs.length <= MOST_RUNS && new Set(runs).size === runs.length) return { runs };
  const message = `expected 1 to ${MOST_RUNS} different ids of runs with commas between them, got ${runs.length}`;
  throw validationError([{ pointer: '/runs', message }], { field: 'runs' });
}

export const matrixEndpoints = ({ touchstone }: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'getMatrix',
    route: 'GET /v1/host/touchstone/matrix',
    auth: 'runs:read',
    summary: 'Tasks by runs: how each task came out in several runs; without content',
    parameters: matrixQuery,
    responses: ok('The runs, and a page of the tasks.', vendor.matrix),
    refusals: ['not_found'],
    handle({ query, principal: { owner } }) {
      const subject = subjectOf(query);
      const { agentId, last, offset, limit, only = 'all', order = subject.runs ? 'change' : 'flaky' } = query;
      const request = { ...subject, agentId, last, offset, limit, only, order };
      return { large: async () => ({ status: 200, body: await touchstone.matrix(owner, request) }) };
    },
  }),
  endpoint({
    operationId: 'getCounts',
    route: 'GET /v1/host/touchstone/counts',
    auth: 'runs:read',
    summary: 'How much waits for people, and how many runs are at work',
    responses: ok('The counts.', vendor.hostCounts),
    handle: async ({ principal: { owner } }) => ({ status: 200, body: await touchstone.counts(owner) }),
  }),
];
