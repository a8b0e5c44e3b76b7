import { asId, HostError, type RunId } from '@touchstone/protocol';
import { vendor } from '@touchstone/protocol/wire';
import type { ReportOptions } from '../../../app/index.js';
import { type Call, type Endpoint, endpoint } from '../../endpoint.js';
import { optionalChoice, optionalFraction, optionalText, type QueryOf } from '../../query.js';
import { runIdOf, type Services } from '../../services.js';

const reportQuery = {
  against: optionalText('Compare with this run of the same suite instead of the baseline.'),
  tolerance: optionalFraction('A drop up to this is no regression; default: as the run was planned.'),
  allowJudgeMismatch: optionalChoice('Compare runs that different judges scored.', ['true', 'false']),
};

export const reportEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'getReport',
    method: 'GET',
    path: '/v1/host/touchstone/runs/{runId}/report',
    auth: 'runs:read',
    summary: 'How sure the scorecard of an eval run is, what it is made of, and how it compares',
    parameters: reportQuery,
    responses: { 200: { description: 'The report.', schema: vendor.evalReport } },
    refusals: ['not_found', 'run_state_conflict'],
    async handle(call) {
      if (!host.evalSuite) throw new HostError('not_found', 'This host does not run evaluations.');
      const { owner } = call.principal;
      return { status: 200, body: await host.touchstone.report(owner, runIdOf(call), optionsOf(call)) };
    },
  }),
];

const optionsOf = ({ query }: Call<QueryOf<typeof reportQuery>>): ReportOptions => ({
  ...(query.against !== undefined && { against: asId<RunId>(query.against) }),
  ...(query.tolerance !== undefined && { tolerance: query.tolerance }),
  allowJudgeMismatch: query.allowJudgeMismatch === 'true',
});
