import { HostError } from '@touchstone/protocol';
import { vendor } from '@touchstone/protocol/wire';
import { bodyOf, type Endpoint, endpoint } from '../../endpoint.js';
import type { Services } from '../../services.js';

/** Two runs held against each other. They only read: a POST, because two ids and their options make no name. */
export const comparisonEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'compareRuns',
    method: 'POST',
    path: '/v1/host/touchstone/runs:compare',
    auth: 'runs:read',
    summary: 'One run against another, task by task, and whether a drop is real',
    body: bodyOf(vendor.compareRuns),
    responses: {
      200: { description: 'Both runs, every task, and the verdict.', schema: vendor.runComparison },
    },
    refusals: ['not_found'],
    async handle(call) {
      checkEvaluation(host);
      return { status: 200, body: await host.touchstone.compareRuns(call.principal.owner, call.body) };
    },
  }),
  endpoint({
    operationId: 'compareJudges',
    method: 'POST',
    path: '/v1/host/touchstone/runs:compare-judges',
    auth: 'runs:read',
    summary: 'How far two judges agree about the same recorded answers',
    body: bodyOf(vendor.compareJudges),
    responses: {
      200: {
        description: 'Scores that differ, and the verdicts on each criterion.',
        schema: vendor.judgeComparison,
      },
    },
    refusals: ['not_found'],
    async handle(call) {
      checkEvaluation(host);
      const { before, after } = call.body;
      const body = await host.touchstone.compareJudges(call.principal.owner, before, after);
      return { status: 200, body };
    },
  }),
];

function checkEvaluation({ evalSuite }: Services): void {
  if (!evalSuite) throw new HostError('not_found', 'This host does not run evaluations.');
}
