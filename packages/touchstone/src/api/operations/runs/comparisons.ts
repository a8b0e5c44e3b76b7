import type { RunId } from '@touchstone/protocol';
import { vendor } from '@touchstone/protocol/wire';
import { bodyOf, type Endpoint, endpoint, ok } from '../../endpoint.js';
import { optionalText, requiredName } from '../../query.js';
import { checkEvaluation, runIdOf, type Services } from '../../services.js';

/** Two runs held against each other. They only read: a POST, because two ids and their options make no name. */
export const comparisonEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'compareRuns',
    route: 'POST /v1/host/touchstone/runs:compare',
    auth: 'runs:read',
    summary: 'One run against another, task by task, and whether a drop is real',
    body: bodyOf(vendor.compareRuns),
    responses: ok('Both runs, every task, and the verdict.', vendor.runComparison),
    refusals: ['not_found'],
    async handle(call) {
      checkEvaluation(host);
      const { owner } = call.principal;
      return {
        large: async () => ({ status: 200, body: await host.touchstone.compareRuns(owner, call.body) }),
      };
    },
  }),
  endpoint({
    operationId: 'lookAtRuns',
    route: 'POST /v1/host/touchstone/runs:looks',
    auth: 'runs:read',
    summary: 'What is known after each round of an evaluation, right at every look at once',
    body: bodyOf(vendor.lookAtRuns),
    responses: ok('Score, interval and verdict after each round.', vendor.looksReport),
    refusals: ['not_found'],
    async handle(call) {
      checkEvaluation(host);
      return { status: 200, body: await host.touchstone.looks(call.principal.owner, call.body) };
    },
  }),
  endpoint({
    operationId: 'compareJudges',
    route: 'POST /v1/host/touchstone/runs:compare-judges',
    auth: 'runs:read',
    summary: 'How far two judges agree about the same recorded answers',
    body: bodyOf(vendor.compareJudges),
    responses: ok('Scores that differ, and the verdicts on each criterion.', vendor.judgeComparison),
    refusals: ['not_found'],
    async handle(call) {
      checkEvaluation(host);
      const { before, after } = call.body;
      const body = await host.touchstone.compareJudges(call.principal.owner, before, after);
      return { status: 200, body };
    },
  }),
];

export const baselineEndpoints = ({ touchstone }: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'listBaselines',
    route: 'GET /v1/host/touchstone/baselines',
    auth: 'runs:read',
    summary: 'The runs that others are measured by, newest first, with those that counted before',
    parameters: { suiteId: optionalText('Only baselines of this suite.') },
    responses: ok('Blessed runs.', vendor.page(vendor.baselineEntry)),
    async handle(call) {
      const items = await touchstone.blessings.list(call.principal.owner, call.query.suiteId);
      return { status: 200, body: { items } };
    },
  }),
  endpoint({
    operationId: 'blessRun',
    route: 'POST /v1/host/touchstone/baselines',
    auth: 'baselines:write',
    summary: 'Make a completed run the baseline of its suite, its agent and its judge',
    body: bodyOf(vendor.blessRun),
    responses: {
      200: { description: 'The run is the baseline already.', schema: vendor.newBaseline },
      201: { description: 'The run is the baseline now.', schema: vendor.newBaseline },
    },
    refusals: ['not_found', 'run_state_conflict', 'quota_exceeded'],
    async handle(call) {
      const body = await touchstone.blessings.bless(call.principal, call.body.runId);
      return { status: body.already ? 200 : 201, body };
    },
  }),
];

const MAX_ID = 128;
const against = requiredName<RunId>('The run to hold it against.', 'the id of a run', MAX_ID);

export const diffEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'diffRun',
    route: 'GET /v1/runs/{runId}:diff',
    auth: 'runs:read',
    summary: 'What differs between two runs, clocks and ids left aside',
    parameters: { against },
    responses: ok('The differences.', 'run-diff-response'),
    refusals: ['not_found'],
    handle: (call) => ({
      slow: true,
      async large() {
        const body = await host.touchstone.diff(call.principal.owner, runIdOf(call), call.query.against);
        return { status: 200, body, headers: { 'cache-control': 'no-store' } };
      },
    }),
  }),
];
