import {
  type AuditRecord,
  type HostError,
  type KeyEntry,
  type Owner,
  timestampOf,
  validationError,
} from '@touchstone/protocol';
import { vendor } from '@touchstone/protocol/wire';
import { keyIdOf, verifyAudit } from '../../app/index.js';
import type { Audit, KeptCheckpoint } from '../../ports/index.js';
import { type Endpoint, endpoint, ok } from '../endpoint.js';
import { integerOr, optionalChoice, optionalInteger, optionalText, type QueryOf } from '../query.js';
import type { Services } from '../services.js';

// No operation makes a key: approvals count principals, and a caller who could make keys could approve as two of them.
export const keyEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'listKeys',
    route: 'GET /v1/host/touchstone/keys',
    auth: 'keys:read',
    summary: 'The API keys of the caller and of others in the same tenant and workspace',
    responses: ok('Keys by the beginning of their hash.', vendor.page(vendor.keyEntry)),
    handle: async ({ principal: { owner } }) => ({ status: 200, body: { items: await keysOf(host, owner) } }),
  }),
];

async function keysOf({ config, touchstone }: Services, owner: Owner): Promise<readonly KeyEntry[]> {
  const stored = (await touchstone.store.keys.list()).filter((key) => isSame(key.owner, owner));
  const revokedAt = new Map(stored.map((key) => [key.keyHash, key.revokedAt]));
  const configured = config.keys.filter((key) => isSame(key, owner));
  const known = new Set(configured.map(({ keyHash }) => keyHash));
  return [
    ...configured.map((key) => entryOf({ ...key, revokedAt: revokedAt.get(key.keyHash) }, 'config')),
    ...stored.filter(({ keyHash }) => !known.has(keyHash)).map((key) => entryOf(key, 'store')),
  ];
}

const isSame = (one: Owner, other: Owner): boolean =>
  one.tenant === other.tenant && one.workspace === other.workspace;

type Key = {
  readonly keyHash: string;
  readonly principal: string;
  readonly roles: readonly string[];
  readonly expiresAt?: number | undefined;
  readonly revokedAt?: number | undefined;
};

const entryOf = (
  { keyHash, principal, roles, expiresAt, revokedAt }: Key,
  from: KeyEntry['from'],
): KeyEntry => ({
  keyId: keyIdOf(keyHash),
  principal,
  roles,
  from,
  ...(expiresAt !== undefined && { expiresAt: timestampOf(expiresAt) }),
  ...(revokedAt !== undefined && { revokedAt: timestampOf(revokedAt) }),
});

const parameters = {
  limit: integerOr(100, 'Records of one page.', { min: 1, max: 1_000 }),
  cursor: integerOr(0, 'The nextCursor of the page before.', { min: 0, max: Number.MAX_SAFE_INTEGER }),
  order: optionalChoice('Oldest first (asc, the default) or newest first.', ['asc', 'desc']),
  runId: optionalText('Only records of this run.'),
  agentId: optionalText('Only records about this agent, one of its versions, or a run of it.'),
};

const rangeQuery = {
  fromSeq: optionalInteger('The first record to verify; 0 when absent.', { min: 0 }),
  toSeq: optionalInteger('The last record to verify; the newest when absent.', { min: 0 }),
};

/** A range without a record would be found unbroken whatever is in the log. */
function checkRange({ fromSeq = 0, toSeq = fromSeq }: QueryOf<typeof rangeQuery>, newest: number): void {
  if (fromSeq > newest) throw rangeError('fromSeq', `expected at most ${newest}, the newest record`);
  if (fromSeq > toSeq) throw rangeError('toSeq', `expected at least fromSeq, which is ${fromSeq}`);
}

const rangeError = (field: string, message: string): HostError =>
  validationError([{ pointer: `/${field}`, message }], { field });

/** Who asked for what, and was let or not. Each owner has a chain of its own. */
export const auditEndpoints = ({ touchstone }: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'verifyAudit',
    route: 'GET /v1/audit/verify',
    auth: 'audit:read',
    summary: 'Whether the audit log of the caller is unbroken',
    parameters: rangeQuery,
    responses: ok('What was found.', vendor.auditVerdict),
    async handle({ principal, query }) {
      const { audit } = touchstone.store;
      checkRange(query, (await audit.last(principal.owner))?.seq ?? 0);
      const { checkpoints, ...verdict } = await verifyAudit(audit, principal.owner, query);
      const told = checkpoints.map(({ at, ...one }) => ({ ...one, at: timestampOf(at) }));
      return { status: 200, body: { ...verdict, checkpoints: told } };
    },
  }),
  endpoint({
    operationId: 'listAudit',
    route: 'GET /v1/host/touchstone/audit',
    auth: 'audit:read',
    summary: 'The audit log',
    parameters,
    responses: ok('A page of it.', vendor.auditPage),
    async handle({ principal, query }) {
      const { items, more } = await readPage(touchstone.store.audit, principal.owner, query);
      const next = more && items.at(-1)?.seq;
      return { status: 200, body: { items: items.map(shown), ...(next && { nextCursor: String(next) }) } };
    },
  }),
];

const checkpointQuery = {
  fromSeq: integerOr(0, 'Only checkpoints that cover this record.', { min: 0, max: Number.MAX_SAFE_INTEGER }),
  limit: integerOr(100, 'The most checkpoints, those of the earliest records.', { min: 1, max: 1_000 }),
};

/** What this host has signed of the audit log of the caller. */
export const checkpointEndpoints = ({ touchstone }: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'makeAuditCheckpoint',
    route: 'POST /v1/host/touchstone/audit/checkpoints',
    auth: 'audit:read',
    summary: 'Sign the head of the audit log of the caller with the key of this host, and keep the signature',
    responses: { 201: { description: 'The checkpoint.', schema: vendor.auditCheckpoint } },
    refusals: ['not_found', 'capability_not_provided'],
    handle: async ({ principal }) => ({
      status: 201,
      body: checkpointShown(await touchstone.checkpoints.make(principal.owner)),
    }),
  }),
  endpoint({
    operationId: 'listAuditCheckpoints',
    route: 'GET /v1/host/touchstone/audit/checkpoints',
    auth: 'audit:read',
    summary: 'The checkpoints of the audit log of the caller, by the record that they cover',
    parameters: checkpointQuery,
    responses: ok('Those of the earliest records.', vendor.page(vendor.auditCheckpoint)),
    async handle({ principal: { owner }, query: { fromSeq, limit } }) {
      const items = await touchstone.store.audit.checkpoints(owner, fromSeq, limit);
      return { status: 200, body: { items: items.map(checkpointShown) } };
    },
  }),
];

const checkpointShown = ({ seq, keyId, head, at, envelope }: KeptCheckpoint) => ({
  seq,
  head,
  keyId,
  at: timestampOf(at),
  envelope: JSON.parse(envelope) as unknown,
});

/** A cursor is the number of the last record of the page before; 0 is before all of them, in either order. */
async function readPage(audit: Audit, owner: Owner, query: QueryOf<typeof parameters>) {
  const { limit, cursor, order = 'asc', runId, agentId } = query;
  const found = await audit.list(owner, {
    order,
    limit: limit + 1,
    ...(cursor > 0 && { cursor }),
    runId,
    agentId,
  });
  return { items: found.slice(0, limit), more: found.length > limit };
}

const shown = ({ at, ...record }: AuditRecord) => ({ ...record, at: timestampOf(at) });
