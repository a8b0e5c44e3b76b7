import {
  asId,
  type ErrorCode,
  HostError,
  isHostError,
  type RunId,
  validationError,
} from '@touchstone/protocol';
import type { Wire } from '@touchstone/protocol/schema';
import { vendor } from '@touchstone/protocol/wire';
import type { Run } from '../../../ports/index.js';
import { type BodyRule, bodyOf, type Call, type Endpoint, endpoint, ok, type Reply } from '../../endpoint.js';
import { findRun, type Services } from '../../services.js';

/** What a person may ask of a run in progress. */
export const runControlEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'cancelRun',
    route: 'POST /v1/runs/{runId}/cancel',
    auth: 'runs:cancel',
    summary: 'Cancel a run',
    body: bodyOf(vendor.reasonBody, false),
    responses: ok('It is being cancelled, or was.', vendor.runStatus),
    refusals: ['not_found', 'run_terminal'],
    handle: (call) => cancelOne(host, call),
  }),
  endpoint({
    operationId: 'bulkCancelRuns',
    route: 'POST /v1/runs:bulk-cancel',
    auth: 'runs:cancel',
    summary: 'Cancel several runs',
    body: bulkBody,
    responses: ok('What became of each, in the order asked.', vendor.bulkResults),
    handle: (call) => cancelMany(host, call),
  }),
  endpoint({
    operationId: 'pauseRun',
    route: 'POST /v1/runs/{runId}:pause',
    auth: 'runs:cancel',
    summary: 'Pause a run',
    body: bodyOf(vendor.pauseBody, false),
    responses: { 202: { description: 'It is paused.', schema: vendor.pausedRun } },
    refusals: ['not_found', 'run_state_conflict'],
    handle: (call) => pause(host, call),
  }),
  endpoint({
    operationId: 'resumeRun',
    route: 'POST /v1/runs/{runId}:resume',
    auth: 'runs:cancel',
    summary: 'Go on with a paused run',
    body: bodyOf(vendor.reasonBody, false),
    responses: { 202: { description: 'It goes on.', schema: vendor.resumedRun } },
    refusals: ['not_found', 'run_state_conflict'],
    handle: (call) => resume(host, call),
  }),
];

type ReasonBody = Wire<typeof vendor.reasonBody>;
type PauseBody = Wire<typeof vendor.pauseBody>;
type BulkCancelBody = Wire<typeof vendor.bulkCancelBody>;

const iso = (at: number): string => new Date(at).toISOString();

async function cancelOne(host: Services, call: Call<unknown, ReasonBody>): Promise<Reply> {
  const { runId, owner } = await findRun(host, call);
  const run = await host.touchstone.engine.cancel(owner, runId, call.principal.id, call.body.reason);
  return { status: 200, body: { runId, status: run.status } };
}

// Too many ids is told with the limit, so that a client can cut its list; everything else is an ordinary refusal.
const bulkBody: BodyRule<BulkCancelBody> = {
  ...bodyOf(vendor.bulkCancelBody),
  read(value, call) {
    const ids = typeof value === 'object' && value !== null && 'runIds' in value ? value.runIds : undefined;
    if (Array.isArray(ids) && ids.length > vendor.MAX_BULK) {
      const issue = {
        pointer: '/runIds',
        message: `expected at most ${vendor.MAX_BULK} ids, got ${ids.length}`,
      };
      throw validationError([issue], { field: 'runIds', maxRunIds: vendor.MAX_BULK });
    }
    return bodyOf(vendor.bulkCancelBody).read(value, call);
  },
};

async function cancelMany(host: Services, call: Call<unknown, BulkCancelBody>): Promise<Reply> {
  const results: object[] = [];
  for (const runId of call.body.runIds) results.push(await cancelInBulk(host, call, asId<RunId>(runId)));
  return { status: 200, body: { results } };
}

/** One id of many: its failure does not keep the others from being cancelled. */
async function cancelInBulk(
  host: Services,
  call: Call<unknown, BulkCancelBody>,
  runId: RunId,
): Promise<object> {
  try {
    const found = await host.touchstone.store.runs.get(call.principal.owner, runId);
    if (!found) return failed(runId, 'not_found', 'There is no such run.');
    const run = await host.touchstone.engine.cancel(found.owner, runId, call.principal.id, call.body.reason);
    return { runId, ok: true, status: run.status };
  } catch (error) {
    if (isHostError(error)) return failed(runId, error.code, error.message);
    host.log.error('run.notCancelled', { runId }, error);
    return failed(
      runId,
      'internal_error',
      'The host could not cancel it. The log of the host has the cause.',
    );
  }
}

const failed = (runId: RunId, code: ErrorCode, message: string): object => ({
  runId,
  ok: false,
  error: { code, message },
});

async function pause(host: Services, call: Call<unknown, PauseBody>): Promise<Reply> {
  const { runId, owner } = await findRun(host, call);
  const { drainPolicy = 'drain-current-node', reason } = call.body;
  const paused = host.touchstone.engine.pause(owner, runId, call.principal.id, drainPolicy, reason);
  const run = await paused.catch((error: unknown) => explainConflict(host, call, error));
  return {
    status: 202,
    body: { runId, status: 'paused', ...(run.pausedAt !== undefined && { pausedAt: iso(run.pausedAt) }) },
  };
}

async function resume(host: Services, call: Call<unknown, ReasonBody>): Promise<Reply> {
  const { runId, owner } = await findRun(host, call);
  const resumed = host.touchstone.engine.resume(owner, runId, call.principal.id, call.body.reason);
  await resumed.catch((error: unknown) => explainConflict(host, call, error));
  return { status: 202, body: { runId, status: 'running', resumedAt: iso(host.clock.now()) } };
}

/** A refusal because of the run's state says what that state is. */
async function explainConflict(host: Services, call: Call, error: unknown): Promise<never> {
  if (!isHostError(error) || error.status !== 409) throw error;
  const run: Run = await findRun(host, call);
  const pausedAt =
    run.status === 'paused' && run.pausedAt !== undefined ? { pausedAt: iso(run.pausedAt) } : {};
  throw new HostError(error.code, error.message, { runStatus: run.status, ...pausedAt, ...error.details });
}
