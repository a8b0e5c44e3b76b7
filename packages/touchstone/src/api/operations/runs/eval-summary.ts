import { type EvalSummary, HostError, isTerminal } from '@touchstone/protocol';
import type { Payloads } from '@touchstone/protocol/bodies';
import type { Run } from '../../../ports/index.js';
import { type Endpoint, endpoint } from '../../endpoint.js';
import { findRun, type Services } from '../../services.js';

export const evalSummaryEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'getEvalSummary',
    method: 'GET',
    path: '/v1/runs/{runId}/eval-summary',
    auth: 'runs:read',
    summary: 'The scorecard of an eval run',
    responses: { 200: { description: 'The scorecard.', schema: 'eval-summary' } },
    refusals: ['not_found', 'run_state_conflict'],
    async handle(call) {
      if (!host.evalSuite) throw new HostError('not_found', 'This host does not run evaluations.');
      const run = await findRun(host, call);
      checkFinished(run);
      return { status: 200, body: await summaryOf(host, run) };
    },
  }),
];

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

/** The scorecard is the output of the run: it is read from the last event and computed nowhere else. */
export async function summaryOf({ touchstone }: Services, run: Run): Promise<EvalSummary> {
  const last = await touchstone.store.log.last(run.owner, run.runId);
  if (last?.type !== 'run.completed')
    throw new Error(`The last event of completed run ${run.runId} is ${last?.type ?? 'missing'}.`);
  return (last.payload as Payloads['run.completed']).outputs as EvalSummary;
}
