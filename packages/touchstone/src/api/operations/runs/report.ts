import { createHash } from 'node:crypto';
import { asId, HostError, isTerminal, type RunId } from '@touchstone/protocol';
import { vendor } from '@touchstone/protocol/wire';
import { type ReportOptions, readSummary, readSummaryTotals } from '../../../app/index.js';
import type { Run } from '../../../ports/index.js';
import { type Call, type Endpoint, endpoint, ok, type Reply } from '../../endpoint.js';
import { integerOr, optionalChoice, optionalFraction, optionalText, type QueryOf } from '../../query.js';
import { checkEvaluation, findRun, runIdOf, type Services } from '../../services.js';
import { matches } from '../discovery.js';

const reportQuery = {
  against: optionalText('Compare with this run of the same suite instead of the baseline.'),
  tolerance: optionalFraction('A drop up to this is no regression; default: as the run was planned.'),
  common: optionalChoice('Compare the tasks that are the same in both suites.', ['true', 'false']),
  allowJudgeMismatch: optionalChoice('Compare runs that different judges scored.', ['true', 'false']),
};

export const reportEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'getReport',
    route: 'GET /v1/host/touchstone/runs/{runId}/report',
    auth: 'runs:read',
    summary: 'How sure the scorecard of an eval run is, what it is made of, and how it compares',
    parameters: reportQuery,
    responses: {
      ...ok('The report.', vendor.evalReport),
      304: { description: 'It is as it was when its ETag was If-None-Match.' },
    },
    refusals: ['not_found', 'run_state_conflict'],
    async handle(call) {
      checkEvaluation(host);
      return { large: () => readReport(host, call) };
    },
  }),
];

async function readReport({ touchstone }: Services, call: Call<QueryOf<typeof reportQuery>>): Promise<Reply> {
  const body = await touchstone.report(call.principal.owner, runIdOf(call), optionsOf(call));
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 22);
  const headers = { etag: `"${digest}"`, 'cache-control': 'private, no-cache' };
  return matches(call.headers['if-none-match'], headers.etag)
    ? { status: 304, headers }
    : { status: 200, body, headers };
}

const optionsOf = ({ query }: Call<QueryOf<typeof reportQuery>>): ReportOptions => ({
  ...(query.against !== undefined && { against: asId<RunId>(query.against) }),
  ...(query.tolerance !== undefined && { tolerance: query.tolerance }),
  common: query.common === 'true',
  allowJudgeMismatch: query.allowJudgeMismatch === 'true',
});

export const evalSummaryEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'getEvalSummary',
    route: 'GET /v1/runs/{runId}/eval-summary',
    auth: 'runs:read',
    summary: 'The scorecard of an eval run',
    responses: ok('The scorecard.', 'eval-summary'),
    refusals: ['not_found', 'run_state_conflict'],
    handle: async (call) => ({
      status: 200,
      body: await readSummary(host.touchstone.store, await findFinished(host, call)),
    }),
  }),
  endpoint({
    operationId: 'getSummaryTotals',
    route: 'GET /v1/host/touchstone/runs/{runId}/summary-totals',
    auth: 'runs:read',
    summary: 'The scorecard of an eval run without its list of tasks, which the pages of its results tell',
    responses: ok('The scorecard without `tasks`.', vendor.summaryTotals),
    refusals: ['not_found', 'run_state_conflict'],
    handle: async (call) => ({
      status: 200,
      body: await readSummaryTotals(host.touchstone.store, await findFinished(host, call)),
    }),
  }),
];

async function findFinished(host: Services, call: Call): Promise<Run> {
  checkEvaluation(host);
  const run = await findRun(host, call);
  checkFinished(run);
  return run;
}

function checkFinished({ plan, status }: Run): void {
  if (plan.kind !== 'eval')
    throw new HostError('not_found', 'This run is not an eval run, so it has no scorecard.');
  if (!isTerminal(status)) {
    throw new HostError(
      'run_state_conflict',
      `The run is ${status}; its scorecard exists when it has completed.`,
      { runStatus: status },
    );
  }
  if (status !== 'completed')
    throw new HostError('not_found', `The run ended as ${status}, so it has no scorecard.`, {
      runStatus: status,
    });
}

const MOST = 1_000;

const resultsQuery = {
  cursor: integerOr(0, 'The nextCursor of the page before.', { min: 0, max: Number.MAX_SAFE_INTEGER }),
  limit: integerOr(MOST, 'The most results of one page.', { min: 1, max: MOST }),
};

const stepsQuery = {
  ...resultsQuery,
  outcome: optionalChoice('Only those of tasks that did not pass: that failed, or have no score.', [
    'not-passed',
  ]),
};

const MOST_VIEWS = 200;

const taskViewsQuery = {
  cursor: integerOr(0, 'The nextCursor of the page before.', { min: 0, max: Number.MAX_SAFE_INTEGER }),
  limit: integerOr(MOST_VIEWS, 'The most tasks of one page; long answers make it shorter.', {
    min: 1,
    max: MOST_VIEWS,
  }),
};

async function listTaskViews(
  { touchstone }: Services,
  run: Run,
  { cursor, limit }: QueryOf<typeof taskViewsQuery>,
): Promise<Reply> {
  const { plan } = run;
  if (plan.kind !== 'eval')
    throw new HostError('not_found', 'This run is not an eval run, so it has no tasks.');
  const steps = await touchstone.results.page(run, cursor, limit);
  const ordinals = steps.map(({ ordinal }) => ordinal);
  const { items, covered } = await touchstone.viewTasks({ ...run, plan }, ordinals);
  const isLast = covered === steps.length && steps.length < limit;
  return { status: 200, body: { items, ...(!isLast && { nextCursor: String(cursor + covered) }) } };
}

/** What a run has measured, without a word of content. */
export const resultEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'listResults',
    route: 'GET /v1/host/touchstone/runs/{runId}/results',
    auth: 'runs:read',
    summary: 'The results of an eval run, task by task, in the order of its log',
    parameters: stepsQuery,
    responses: ok('Results, each with the place of its task in the suite.', vendor.resultPage),
    refusals: ['not_found'],
    async handle(call) {
      const { cursor, limit, outcome } = call.query;
      const run = await findRun(host, call);
      if (run.plan.kind !== 'eval')
        throw new HostError('not_found', 'This run is not an eval run, so it has no results.');
      const page = await host.touchstone.results[outcome ? 'failures' : 'page'](run, cursor, limit);
      const items = page.map(({ ordinal, result }) => ({ ordinal, result }));
      const isLast = items.length < limit;
      return { status: 200, body: { items, ...(!isLast && { nextCursor: String(cursor + items.length) }) } };
    },
  }),
  endpoint({
    operationId: 'listTaskViews',
    route: 'GET /v1/host/touchstone/runs/{runId}/task-views',
    auth: 'runs:read',
    summary: 'The tasks of an eval run with their content, in the order of its log',
    parameters: taskViewsQuery,
    responses: ok('As many tasks as fit one answer, each with its place in the suite.', vendor.taskPage),
    refusals: ['not_found'],
    async handle(call) {
      const run = await findRun(host, call);
      return { large: () => listTaskViews(host, run, call.query) };
    },
  }),
  endpoint({
    operationId: 'getScorecard',
    route: 'GET /v1/host/touchstone/runs/{runId}/scorecard',
    auth: 'runs:read',
    summary: 'Everything about a completed eval run that can be signed and sent to others',
    responses: ok('The scorecard, as a scorecard file holds it.', vendor.scorecard),
    refusals: ['not_found', 'run_state_conflict'],
    handle: (call) => ({
      slow: true,
      large: async () => ({
        status: 200,
        body: await host.touchstone.scorecard(call.principal.owner, runIdOf(call)),
      }),
    }),
  }),
];

export const debugBundleEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'getRunDebugBundle',
    route: 'GET /v1/runs/{runId}/debug-bundle',
    auth: 'runs:read',
    summary: 'A run in one document to hand on, with secrets masked',
    responses: ok('The bundle.', 'debug-bundle'),
    refusals: ['not_found'],
    handle(call) {
      const gone = call.untilGone();
      return {
        slow: true,
        async large() {
          const body = await host.touchstone.debugBundle(call.principal.owner, runIdOf(call), gone);
          return { status: 200, body, headers: { 'cache-control': 'no-store' } };
        },
      };
    },
  }),
];
