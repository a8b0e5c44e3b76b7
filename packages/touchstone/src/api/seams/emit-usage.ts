import { createHash } from 'node:crypto';
import { asId, defined, HostError, type Owner, type RunId, validationError } from '@touchstone/protocol';
import { anyObject, name, object, type Wire } from '@touchstone/protocol/schema';
import { checkPayload } from '@touchstone/protocol/wire';
import { USAGE_WORKFLOW } from '../../app/index.js';
import { bodyOf, type Call, type Endpoint, endpoint, ok, type Reply } from '../endpoint.js';
import type { Services } from '../services.js';
import { eventsOf, runToEnd } from './real-run.js';

const usageBody = object({ runId: name(), payload: anyObject() }, { correlationId: name(), nodeId: name() });
type Usage = Wire<typeof usageBody>;

export const emitUsageSeam = (host: Services): Endpoint =>
  endpoint({
    operationId: 'seamEmitProviderUsage',
    route: 'POST /v1/host/sample/test/emit-provider-usage',
    auth: 'runs:create',
    summary: 'Test seam: have a run record one model call',
    body: bodyOf(usageBody),
    responses: ok('The event that was written.', { type: 'object' }),
    refusals: ['provider_usage_credential_leak', 'conflict', 'unavailable'],
    handle: (call) => emit(host, call),
  });

/** Whoever names a run here may name any: the run that is made is the caller's own, whatever it is called elsewhere. */
export const usageRunOf = ({ tenant, workspace }: Owner, runId: string): RunId => {
  const digest = createHash('sha256').update(JSON.stringify([tenant, workspace, runId]));
  return asId<RunId>(`usage-${digest.digest('base64url').slice(0, 32)}`);
};

async function emit(host: Services, call: Call<unknown, Usage>): Promise<Reply> {
  const { payload, correlationId, nodeId } = call.body;
  const { owner } = call.principal;
  checkUsage(payload);
  const runId = usageRunOf(owner, call.body.runId);
  if (await host.touchstone.store.runs.get(owner, runId))
    throw new HostError('conflict', 'This run has recorded its model call already. Name another one.');
  const inputs = { usage: payload, ...defined({ correlationId, nodeId }) };
  await runToEnd(host, call, { workflowId: USAGE_WORKFLOW, inputs }, runId);
  const event = (await eventsOf(host, owner, runId)).find(({ type }) => type === 'provider.usage');
  return { status: 200, body: { runId: call.body.runId, event } };
}

function checkUsage(payload: Usage['payload']): void {
  if (JSON.stringify(payload).includes('secret:'))
    throw new HostError(
      'provider_usage_credential_leak',
      'The payload names a credential. Tokens, prices and names are all it may hold.',
    );
  const issues = checkPayload('provider.usage', payload);
  if (issues.length > 0)
    throw validationError(
      issues.map(({ pointer, message }) => ({ pointer: `/payload${pointer}`, message })),
      { field: 'payload' },
    );
}
