import { defined, FORK_MODES, type ForkRun } from '@touchstone/protocol';
import type { Wire } from '@touchstone/protocol/schema';
import { vendor } from '@touchstone/protocol/wire';
import { checkScope } from '../../../app/index.js';
import { bodyOf, type Call, type Endpoint, endpoint, type Reply } from '../../endpoint.js';
import { createdRun, findRun, type Services } from '../../services.js';

export const forkEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'forkRun',
    route: 'POST /v1/runs/{runId}:fork',
    auth: 'runs:create',
    summary: `Begin a run with the history of another one: ${FORK_MODES.join(' or ')}`,
    body: bodyOf(vendor.forkBody),
    responses: { 201: { description: 'The new run has been created.', schema: vendor.forkedRun } },
    refusals: [
      'not_found',
      'run_state_conflict',
      'conflict',
      'fork_point_invalid',
      'quota_exceeded',
      'capability_not_provided',
    ],
    handle: (call) => fork(host, call),
  }),
];

async function fork(host: Services, call: Call<unknown, ForkRun>): Promise<Reply> {
  // A fork repeats what the source says, so its creator must be allowed to read it.
  checkScope(call.principal, 'runs:read');
  const { runId: sourceRunId } = await findRun(host, call);
  const run = await host.touchstone.fork(call.principal, sourceRunId, call.body, {
    creationId: call.creationId,
  });
  if (call.body.mode === 'branch') host.follow(run);
  const statusUrl = `${call.origin}/v1/runs/${run.runId}`;
  return {
    status: 201,
    headers: { location: statusUrl },
    body: {
      runId: run.runId,
      sourceRunId,
      mode: call.body.mode,
      status: run.status,
      eventsUrl: `${statusUrl}/events`,
      fromSeq: run.plan.fork?.fromSeq ?? 0,
    },
  };
}

export const rejudgeEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'rejudgeRun',
    route: 'POST /v1/host/touchstone/runs/{runId}:rejudge',
    auth: 'runs:create',
    summary: 'Have the recorded answers of a run judged again, as a new run',
    body: bodyOf(vendor.rejudgeBody, false),
    responses: { 201: { description: 'The new run has been created.', schema: vendor.createdRun } },
    refusals: ['not_found', 'quota_exceeded', 'capability_not_provided'],
    handle: (call) => rejudge(host, call),
  }),
];

async function rejudge(host: Services, call: Call<unknown, Wire<typeof vendor.rejudgeBody>>): Promise<Reply> {
  const source = await findRun(host, call);
  const wish = defined({ model: call.body.judge, votes: call.body.votes });
  const run = await host.touchstone.rejudge(call.principal, source.runId, wish, {
    creationId: call.creationId,
  });
  host.follow(run);
  return createdRun(call, run, run.status);
}
