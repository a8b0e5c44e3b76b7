import { type AuditRecord, asId, type RunPlan, type RunStatus } from '@touchstone/protocol';
import type { MemoryEntry } from '@touchstone/protocol/bodies';
import type {
  Annotation,
  BoundAgent,
  PackHead,
  Run,
  RunHead,
  RunRequest,
  SealedUnit,
  StoredKey,
  TaskRecord,
  Webhook,
} from '../ports/index.js';
import { damagedError } from './damaged.js';
import type { Row, SqlValue } from './db.js';

// The only place that knows both the columns' names and the members' names of what is read back.

// What is of another type than was written, or does not parse, has been damaged since.
export function textAt(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw damagedError(column);
  return value;
}

export function numberAt(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw damagedError(column);
  return value;
}

/** Reads JSON this store wrote itself, hence the trust in its shape. */
export const jsonAt = <T>(row: Row, column: string): T => parseJson(column, textAt(row, column)) as T;

function parseJson(column: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw damagedError(column);
  }
}

export const jsonOrNull = (value: unknown): string | null => (value == null ? null : JSON.stringify(value));

/** `{ [member]: value }`, or nothing when the column is NULL. */
const given = (member: string, value: SqlValue | undefined): object =>
  value == null ? {} : { [member]: value };
export const jsonIfGiven = (member: string, value: SqlValue | undefined): object =>
  value == null ? {} : { [member]: parseJson(member, String(value)) };

/** The columns of `RUN_TABLES` that make a Run, but for what its caller sent along. */
export const RUN_OWN_COLUMNS = `u.run_id, u.tenant, u.workspace, u.principal, u.origin, u.workflow_id, u.status, u.created_at,
  u.started_at, u.completed_at, u.paused_at, u.paused_ms, u.control, u.error, u.headline, u.event_count,
  u.engine_version, u.run_no, u.lease_until, u.wait_until, u.waiting_node, u.bodies_removed_at, u.log_digest, o.figures`;
export const RUN_COLUMNS = `${RUN_OWN_COLUMNS}, q.plan, q.request`;
/** Runs of the columns above. */
export const RUN_TABLES = `runs u JOIN run_requests q ON q.run_no = u.run_no LEFT JOIN run_outcomes o ON o.run_no = u.run_no`;

/**
 * Where a run stands by its log. The row says `paused` from the moment a pause is asked for, so that no second one can be;
 * readers are told so when `run.paused` has been written, which takes what was asked for away.
 */
function statusOf({ status, control, started_at }: Row): SqlValue | undefined {
  if (status !== 'paused' || control === null) return status;
  return started_at === null ? 'pending' : 'running';
}

const DRAINING = `u.status = 'paused' AND u.control IS NOT NULL`;
const STATUS_IS: { readonly [status: string]: string } = {
  pending: `(u.status = 'pending' OR (${DRAINING} AND u.started_at IS NULL))`,
  running: `(u.status = 'running' OR (${DRAINING} AND u.started_at IS NOT NULL))`,
  paused: `(u.status = 'paused' AND u.control IS NULL)`,
};

/** The condition on `runs u` that a run's status, as `toRun` tells it, is this one. */
export const statusIs = (status: RunStatus): readonly [condition: string, ...values: SqlValue[]] => {
  const condition = STATUS_IS[status];
  return condition === undefined ? ['u.status = ?', status] : [condition];
};

export const toRunHead = (row: Row): RunHead =>
  ({ status: statusOf(row), eventCount: row.event_count }) as RunHead;

export const toRun = (row: Row): Run =>
  ({
    runId: row.run_id,
    owner: { tenant: row.tenant, workspace: row.workspace },
    principal: row.principal,
    origin: row.origin,
    workflowId: row.workflow_id,
    plan: planOf(row),
    request: requestOf(row),
    status: statusOf(row),
    createdAt: numberAt(row, 'created_at'),
    ...given('startedAt', row.started_at),
    ...given('completedAt', row.completed_at),
    ...given('pausedAt', row.paused_at),
    pausedMs: row.paused_ms,
    ...given('waitUntil', row.wait_until),
    ...given('waitingNode', row.waiting_node),
    ...jsonIfGiven('control', row.control),
    ...jsonIfGiven('error', row.error),
    ...jsonIfGiven('headline', row.headline),
    ...jsonIfGiven('figures', row.figures),
    ...given('leaseUntil', row.lease_until),
    eventCount: row.event_count,
    engineVersion: row.engine_version,
    ...given('bodiesRemovedAt', row.bodies_removed_at),
    ...given('logDigest', row.log_digest),
  }) as Run;

/** The members that every reader of a plan relies on, by its kind. */
const PLAN_MEMBERS: { readonly [kind in RunPlan['kind']]: readonly string[] } = {
  eval: ['suite', 'agent', 'modes', 'totalTasks', 'repeats', 'concurrency'],
  agent: ['agent'],
  workflow: ['workflowId'],
  deployment: ['agentId', 'request'],
};

/** A plan that has lost one of them was not written like this. */
function planOf(row: Row): RunPlan {
  const plan = jsonAt<RunPlan & { readonly [member: string]: unknown }>(row, 'plan');
  const members = Object.hasOwn(PLAN_MEMBERS, plan?.kind) ? PLAN_MEMBERS[plan.kind] : undefined;
  if (!members?.every((member) => plan[member] !== undefined)) throw damagedError('plan');
  return plan;
}

/** What the caller sent along is content like an answer. */
function requestOf(row: Row): RunRequest {
  const request = jsonAt<RunRequest>(row, 'request');
  if (row.bodies_removed_at == null) return request;
  const { inputs: _, ...rest } = request;
  return rest;
}

export const toRecord = (row: Row): TaskRecord => ({
  ordinal: numberAt(row, 'ordinal'),
  repeat: numberAt(row, 'repeat'),
  events: jsonAt(row, 'events'),
  ...jsonIfGiven('score', row.score),
  ...jsonIfGiven('bodies', row.bodies),
});

export const toSealedUnit = (row: Row): SealedUnit => ({
  ordinal: numberAt(row, 'ordinal'),
  repeat: numberAt(row, 'repeat'),
  ...jsonIfGiven('score', row.score),
  eventCount: numberAt(row, 'event_count'),
  at: numberAt(row, 'sealed_at'),
});

export const toBoundAgent = (row: Row): BoundAgent => ({
  agentId: asId(textAt(row, 'agent_id')),
  version: asId(textAt(row, 'version')),
  digest: asId(textAt(row, 'digest')),
  spec: jsonAt(row, 'spec'),
});

export const toPackHead = (row: Row): PackHead => ({
  name: textAt(row, 'name'),
  version: asId(textAt(row, 'version')),
  integrity: textAt(row, 'integrity'),
  digest: asId(textAt(row, 'digest')),
  ...given('signedBy', row.signed_by),
  filesSigned: row.files_signed === 1,
  ...(row.draft === 1 && { draft: true as const }),
  agents: jsonAt(row, 'agents'),
});

export const toMemoryEntry = (row: Row): MemoryEntry => ({
  id: textAt(row, 'entry_id'),
  content: jsonAt(row, 'content'),
  tags: jsonAt(row, 'tags'),
  createdAt: textAt(row, 'created_at'),
  ...given('expiresAt', row.expires_at),
});

export const toStoredKey = (row: Row): StoredKey => ({
  keyHash: textAt(row, 'key_hash'),
  owner: { tenant: textAt(row, 'tenant'), workspace: textAt(row, 'workspace') },
  principal: textAt(row, 'principal'),
  roles: jsonAt(row, 'roles'),
  createdAt: numberAt(row, 'created_at'),
  ...given('expiresAt', row.expires_at),
  ...given('revokedAt', row.revoked_at),
});

export const toAnnotation = (row: Row): Annotation => ({
  annotationId: asId(textAt(row, 'annotation_id')),
  runId: asId(textAt(row, 'run_id')),
  ...jsonAt<Pick<Annotation, 'eventId' | 'nodeId'>>(row, 'target'),
  signal: jsonAt(row, 'signal'),
  ...jsonIfGiven('note', row.note),
  by: asId(textAt(row, 'principal')),
  at: numberAt(row, 'at'),
  ...jsonIfGiven('override', row.score_override),
});

export const toWebhook = (row: Row): Webhook => ({
  webhookId: textAt(row, 'webhook_id'),
  url: jsonAt(row, 'url'),
  events: jsonAt(row, 'events'),
  ...jsonIfGiven('tags', row.tags),
  secret: textAt(row, 'secret'),
  principal: textAt(row, 'principal'),
  createdAt: numberAt(row, 'created_at'),
  failures: numberAt(row, 'failures'),
  ...given('openUntil', row.open_until),
});

export const toAuditRecord = (row: Row): AuditRecord => ({
  seq: numberAt(row, 'seq'),
  at: numberAt(row, 'at'),
  principal: asId(textAt(row, 'principal')),
  action: asId(textAt(row, 'action')),
  resource: asId(textAt(row, 'resource')),
  allowed: row.allowed === 1,
  ...given('reason', row.reason),
  ...given('runId', row.run_id),
  previous: textAt(row, 'previous'),
  digest: textAt(row, 'digest'),
});
