import { createHash } from 'node:crypto';
import {
  asId,
  defined,
  HostError,
  isHostError,
  isTerminal,
  type Owner,
  RUN_KINDS,
  RUN_STATUSES,
  RUN_VERDICTS,
  type RunId,
  type TaskId,
} from '@touchstone/protocol';
import type { RunEvent } from '@touchstone/protocol/bodies';
import { parseRunCreate, vendor } from '@touchstone/protocol/wire';
import { type CreateRunBody, evaluationOff, snapshotOf } from '../../../app/index.js';
import type { Run, RunLog } from '../../../ports/index.js';
import { type BodyRule, type Call, type Endpoint, endpoint, ok, type Reply } from '../../endpoint.js';
import { integerOr, optionalChoice, optionalText, optionalTime, type QueryOf } from '../../query.js';
import { payloadOf } from '../../seams/real-run.js';
import { createdRun, findRun, type Services } from '../../services.js';
import { matches } from '../discovery.js';
import { callbackOf } from './interrupts.js';

export const runEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'createRun',
    route: 'POST /v1/runs',
    auth: 'runs:create',
    summary: 'Start a run: of a suite against an agent, of one agent, or of a workflow',
    body: runBody(host),
    responses: { 201: { description: 'The run has been created.', schema: vendor.createdRun } },
    refusals: ['run_already_active', 'quota_exceeded', 'capability_not_provided'],
    handle: (call) => createRun(host, call),
  }),
  endpoint({
    operationId: 'previewRun',
    route: 'POST /v1/host/touchstone/runs:preview',
    auth: 'runs:create',
    summary: 'What a run of a suite would do, without creating it',
    body: runBody(host),
    responses: ok('Tasks, invocations and questions to judges.', vendor.runPreview),
    refusals: ['capability_not_provided'],
    async handle(call) {
      return { status: 200, body: await host.touchstone.previewRun(call.principal.owner, call.body) };
    },
  }),
  endpoint({
    operationId: 'getRun',
    route: 'GET /v1/runs/{runId}',
    auth: 'runs:read',
    summary: 'The state of a run',
    responses: {
      ...ok('The run.', 'run-snapshot'),
      304: { description: 'It is as it was when its ETag was If-None-Match.' },
    },
    refusals: ['not_found'],
    handle: (call) => readRun(host, call),
  }),
];

function runBody({ evalSuite }: Services): BodyRule<CreateRunBody> {
  return {
    schema: 'run-create',
    required: true,
    read(value) {
      const asksForEval =
        typeof value === 'object' && value !== null && 'mode' in value && value.mode === 'eval';
      if (asksForEval && !evalSuite) throw evaluationOff();
      return parseRunCreate(value);
    },
  };
}

async function createRun(host: Services, call: Call<unknown, CreateRunBody>): Promise<Reply> {
  const exclusiveScope = wantsExclusiveScope(call);
  const run = await host.touchstone
    .createRun(call.principal, call.body, { exclusiveScope, creationId: call.creationId })
    .catch(refused);
  host.follow(run);
  return createdRun(call, run, statusAtCreate(run));
}

function wantsExclusiveScope({ headers, body }: Call<unknown, CreateRunBody>): boolean {
  const dedup = headers['x-dedup'];
  if (dedup === undefined) return false;
  if (dedup !== 'enforce')
    throw new HostError('validation_error', 'Expected X-Dedup to be "enforce".', { field: 'X-Dedup' });
  if (!body.scopeId) {
    throw new HostError('validation_error', 'X-Dedup: enforce needs a scopeId in the body.', {
      field: 'scopeId',
    });
  }
  return true;
}

const RETRY_ACTIVE_S = 5;

function refused(error: unknown): never {
  if (!isHostError(error) || error.code !== 'run_already_active') throw error;
  throw new HostError(error.code, error.message, {
    activeHost: 'cloud',
    retryAfter: RETRY_ACTIVE_S,
    ...error.details,
  });
}

// A fast run may be over before its creator is answered, but a create never answers with a terminal status.
const statusAtCreate = ({ status }: Run): string => (status === 'pending' ? status : 'running');

async function readRun(host: Services, call: Call): Promise<Reply> {
  const run = await findRun(host, call);
  const extras = {
    spentUsd: await spentUsd(host, run),
    thresholds: await host.touchstone.thresholdsOf(run),
    now: host.clock.now(),
  };
  const beside = { ...(await callbackOf(host, call, run)), ...(await childrenOf(host, run)) };
  const body = { ...snapshotOf(run, extras), ...beside };
  // The count of events is what a change of state usually changes; the digest covers what it does not: a pause that has
  // been asked for, money that has been spent.
  return unlessKnown(call, `${run.eventCount}-${digestOf(body)}`, body);
}

const digestOf = (body: object): string =>
  createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 16);

/** Nothing but its name when the caller has it already. */
function unlessKnown(
  { headers: { 'if-none-match': known } }: Pick<Call, 'headers'>,
  tag: string,
  body: object,
): Reply {
  const headers = { etag: `"${tag}"`, 'cache-control': 'private, no-cache' };
  return matches(known, headers.etag) ? { status: 304, headers } : { status: 200, body, headers };
}

/** The run that a workflow has started. Its log is short, and begins with that. */
async function childrenOf({ touchstone: { store } }: Services, { owner, runId, plan }: Run): Promise<object> {
  if (plan.kind !== 'workflow') return {};
  const payload = payloadOf(await firstEvents(store.log, owner, runId), 'node.dispatched');
  const child = payload && (await store.runs.head(owner, asId<RunId>(payload.childRunId)));
  return child ? { childRuns: [{ runId: payload.childRunId, status: child.status }] } : {};
}

const FIRST_EVENTS = 4;
/** A page may be shorter: what the run was given is in its first event. */
async function firstEvents(log: RunLog, owner: Owner, runId: RunId): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for (let length = -1; length < events.length && events.length < FIRST_EVENTS; ) {
    length = events.length;
    events.push(...(await log.read(owner, runId, length - 1, FIRST_EVENTS)));
  }
  return events;
}

/** Known cost of a run that has no scorecard to say it. */
async function spentUsd({ touchstone }: Services, run: Run): Promise<number | undefined> {
  if (!('agent' in run.plan) || (run.headline && isTerminal(run.status))) return undefined;
  const { usd } = await touchstone.store.ledger.total(run.owner, run.runId);
  return usd > 0 ? usd : undefined;
}

const listQuery = {
  agentId: optionalText('Only runs of this agent.'),
  suiteId: optionalText('Only runs of this suite.'),
  status: optionalChoice('Only runs that stand like this.', RUN_STATUSES),
  kind: optionalChoice(
    'Only evaluations, moves of deployments, or runs of one agent or workflow.',
    RUN_KINDS,
  ),
  verdict: optionalChoice('Only completed evaluations on this side.', RUN_VERDICTS),
  tag: optionalText('Only runs with this tag.'),
  since: optionalTime('Only runs that were created then or later, ISO 8601.'),
  until: optionalTime('Only runs that were created before, ISO 8601.'),
  q: optionalText('Only runs with this in their id, or in the name of their suite, their agent or a tag.'),
  limit: integerOr(50, 'The most runs of one page.', { min: 1, max: 200 }),
  cursor: optionalText('The nextCursor of the page before.'),
};

async function readRuns(host: Services, call: Call<QueryOf<typeof listQuery>>): Promise<Reply> {
  const { since, until, limit, verdict, tag, q, ...given } = call.query;
  const filter = {
    limit,
    verdict,
    tag,
    q,
    ...defined({ ...given, createdFrom: since, createdBefore: until }),
  };
  const page = await host.touchstone.listRuns(call.principal.owner, filter);
  const { nextCursor } = page;
  const items = page.items.map((run) => snapshotOf(run, { now: host.clock.now() }));
  const body = { items, ...defined({ nextCursor }) };
  return unlessKnown(call, digestOf(body), body);
}

async function readTask(
  { touchstone }: Services,
  owner: Owner,
  runId: RunId,
  { params, query }: Call<QueryOf<typeof taskQuery>>,
): Promise<Reply> {
  const view = await touchstone.viewTask(owner, runId, asId<TaskId>(params.taskId ?? ''), query.fromRepeat);
  if (!view) throw new HostError('not_found', 'This run has no such task, or has not finished it yet.');
  return { status: 200, body: view };
}

const taskQuery = {
  fromRepeat: integerOr(0, 'The nextRepeat of the part before: repeats of long answers come in parts.', {
    min: 0,
  }),
};

export const runListEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'listRuns',
    route: 'GET /v1/host/touchstone/runs',
    auth: 'runs:read',
    summary: "The caller's runs, newest first",
    parameters: listQuery,
    responses: {
      ...ok(
        'Snapshots of runs. With verdict, tag or q a page may be short or empty and still have a nextCursor.',
        vendor.page({ $ref: 'run-snapshot' }),
      ),
      304: { description: 'They are as they were when their ETag was If-None-Match.' },
    },
    handle: (call) => readRuns(host, call),
  }),
  endpoint({
    operationId: 'getTask',
    route: 'GET /v1/host/touchstone/runs/{runId}/tasks/{taskId}',
    auth: 'runs:read',
    summary: 'One task of a run, with what the agent was given and what it answered',
    parameters: taskQuery,
    responses: ok('The task.', vendor.taskView),
    refusals: ['not_found'],
    async handle(call) {
      const { owner, runId } = await findRun(host, call);
      return { large: () => readTask(host, owner, runId, call) };
    },
  }),
];
