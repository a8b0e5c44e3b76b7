import type { Wire } from '@touchstone/protocol/schema';
import { vendor } from '@touchstone/protocol/wire';
import { bodyOf, type Call, type Endpoint, endpoint, type Reply } from '../../endpoint.js';
import { findRun, type Services } from '../../services.js';

export const rejudgeEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'rejudgeRun',
    method: 'POST',
    path: '/v1/host/touchstone/runs/{runId}:rejudge',
    auth: 'runs:create',
    summary: 'Have the recorded answers of a run judged again, as a new run',
    body: bodyOf(vendor.rejudgeBody, false),
    responses: { 201: { description: 'The new run has been created.', schema: vendor.createdRun } },
    refusals: ['not_found', 'capability_not_provided'],
    handle: (call) => rejudge(host, call),
  }),
];

async function rejudge(host: Services, call: Call<unknown, Wire<typeof vendor.rejudgeBody>>): Promise<Reply> {
  const source = await findRun(host, call);
  const { judge, votes } = call.body;
  const wish = { ...(judge !== undefined && { model: judge }), ...(votes !== undefined && { votes }) };
  const run = await host.touchstone.rejudge(call.principal, source.runId, wish);
  host.follow(run);
  const statusUrl = `${call.origin}/v1/runs/${run.runId}`;
  return {
    status: 201,
    headers: { location: statusUrl },
    body: { runId: run.runId, status: run.status, eventsUrl: `${statusUrl}/events`, statusUrl },
  };
}
