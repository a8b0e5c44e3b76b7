import { HostError, REVIEW_SOURCES } from '@touchstone/protocol';
import { vendor } from '@touchstone/protocol/wire';
import { type Endpoint, endpoint, ok } from '../endpoint.js';
import { integerOr, optionalChoice, optionalText, optionalTime, pageQuery } from '../query.js';
import { findRun, type Services } from '../services.js';

const scope = {
  suiteId: optionalText('Only runs of this suite, whatever its version.'),
  runId: optionalText('Only this run.'),
};

const reviewQuery = {
  ...scope,
  source: optionalChoice('Which tasks; failures when absent.', REVIEW_SOURCES),
  agentId: optionalText('Only runs of this agent.'),
  seed: integerOr(1, 'Of the sample: the same seed draws the same tasks.', { min: 0 }),
  n: integerOr(50, 'How many tasks the sample has.', { min: 1, max: 1_000 }),
  state: optionalChoice('Only those that wait, or only those that are decided.', ['open', 'done']),
  by: optionalChoice('Whose decisions count: those of anyone when absent.', ['me', 'anyone']),
  ...pageQuery('tasks'),
};

const FLAGS = ['true', 'false'] as const;

/** What people look at, and how far judges agree with them. */
export const reviewEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'listReviews',
    route: 'GET /v1/host/touchstone/review',
    auth: 'runs:read',
    summary:
      'Tasks for people to look at: of the run that is named, or of the newest run of every suite with every agent; without content',
    parameters: reviewQuery,
    responses: ok('A page of them, in an order that does not change while people work.', vendor.reviewList),
    refusals: ['not_found'],
    handle: ({ principal, query }) => ({
      async large() {
        const { source = 'failures', by = 'anyone', ...rest } = query;
        return { status: 200, body: await host.touchstone.reviews.list(principal, { ...rest, source, by }) };
      },
    }),
  }),
  endpoint({
    operationId: 'getAgreement',
    route: 'GET /v1/host/touchstone/agreement',
    auth: 'runs:read',
    summary: 'How far judges agree with the labels of people, by judge and by criterion',
    parameters: {
      suiteId: scope.suiteId,
      judge: optionalText('Only the judge with this digest.'),
      since: optionalTime('Only labels given then or later.'),
    },
    responses: ok('One entry for each judge that decided labelled answers.', vendor.judgeAgreements),
    handle: ({ principal, query }) => ({
      async large() {
        return { status: 200, body: await host.touchstone.reviews.agreement(principal.owner, query) };
      },
    }),
  }),
  endpoint({
    operationId: 'getCalibration',
    route: 'GET /v1/host/touchstone/runs/{runId}/calibration',
    auth: 'runs:read',
    summary:
      'What the labels of people show of the judge of a run, about the suite of the run: what gates count',
    parameters: {
      blind: optionalChoice('false: labels given after the judge was seen count as well.', FLAGS),
      since: optionalTime('Only verdicts that the judge gave then or later.'),
    },
    responses: ok(
      'Of labels that are given to answers of any run with this judge and suite, and of kept checks.',
      vendor.judgeCalibration,
    ),
    refusals: ['not_found'],
    handle: (call) => ({
      async large() {
        const { blind, since = 0 } = call.query;
        const known = await host.touchstone.calibrationOf(await findRun(host, call));
        if (!known) throw new HostError('not_found', 'This run had no judge, so no label is about one.');
        return { status: 200, body: known.calibration({ blindOnly: blind !== 'false', since }) };
      },
    }),
  }),
  endpoint({
    operationId: 'getLabels',
    route: 'GET /v1/host/touchstone/labels',
    auth: 'runs:read',
    summary: 'The labels of people with questions and answers, one on a line, as judge check reads them',
    parameters: {
      ...scope,
      blind: optionalChoice(
        'true: only labels given before the judge was seen; false: only the others.',
        FLAGS,
      ),
    },
    responses: { 200: { description: 'JSON Lines.', mediaType: 'application/x-ndjson' } },
    handle: ({ principal, query }) => ({
      async large() {
        const { blind, ...rest } = query;
        const text = await host.touchstone.reviews.labels(principal.owner, {
          ...rest,
          blind: blind === undefined ? undefined : blind === 'true',
        });
        return { status: 200, text, headers: { 'content-type': 'application/x-ndjson; charset=utf-8' } };
      },
    }),
  }),
];
