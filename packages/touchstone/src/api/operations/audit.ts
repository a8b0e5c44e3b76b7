import { type AuditRecord, type Owner, timestampOf } from '@touchstone/protocol';
import type { Shape } from '@touchstone/protocol/wire';
import { verifyAudit } from '../../app/index.js';
import type { Audit } from '../../ports/index.js';
import { type Endpoint, endpoint } from '../endpoint.js';
import { integerOr, optionalChoice } from '../query.js';
import type { Services } from '../services.js';

const text: Shape = { type: 'string' };
const count: Shape = { type: 'integer', minimum: 0 };
const verified: Shape = {
  type: 'object',
  properties: { valid: { type: 'boolean' }, records: count, head: text, trouble: { type: 'object' } },
  required: ['valid', 'records', 'head'],
};
const page: Shape = {
  type: 'object',
  properties: { items: { type: 'array', items: { type: 'object' } }, nextCursor: text },
  required: ['items'],
};
const parameters = {
  limit: integerOr(100, 'Records of one page.', { min: 1, max: 1_000 }),
  cursor: integerOr(0, 'The nextCursor of the page before.', { min: 0, max: Number.MAX_SAFE_INTEGER }),
  order: optionalChoice('Oldest first (asc, the default) or newest first.', ['asc', 'desc']),
};

/** Who asked for what, and was let or not. Each owner has a chain of its own. */
export const auditEndpoints = ({ touchstone }: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'verifyAudit',
    method: 'GET',
    path: '/v1/audit/verify',
    auth: 'audit:read',
    summary: 'Whether the audit log of the caller is unbroken',
    responses: { 200: { description: 'What was found.', schema: verified } },
    handle: async ({ principal }) => ({
      status: 200,
      body: await verifyAudit(touchstone.store.audit, principal.owner),
    }),
  }),
  endpoint({
    operationId: 'listAudit',
    method: 'GET',
    path: '/v1/host/touchstone/audit',
    auth: 'audit:read',
    summary: 'The audit log',
    parameters,
    responses: { 200: { description: 'A page of it.', schema: page } },
    async handle({ principal, query }) {
      const { items, more } = await readPage(touchstone.store.audit, principal.owner, query);
      const next = more && items.at(-1)?.seq;
      return { status: 200, body: { items: items.map(shown), ...(next && { nextCursor: String(next) }) } };
    },
  }),
];

type PageQuery = {
  readonly limit: number;
  readonly cursor: number;
  readonly order?: 'asc' | 'desc' | undefined;
};

/** A cursor is the number of the last record of the page before. */
async function readPage(audit: Audit, owner: Owner, { limit, cursor, order }: PageQuery) {
  if (order !== 'desc') {
    const found = await audit.read(owner, cursor, limit + 1);
    return { items: found.slice(0, limit), more: found.length > limit };
  }
  const end = cursor > 0 ? cursor - 1 : ((await audit.last(owner))?.seq ?? 0);
  const start = Math.max(0, end - limit);
  return { items: (await audit.read(owner, start, end - start)).toReversed(), more: start > 0 };
}

const shown = ({ at, ...record }: AuditRecord) => ({ ...record, at: timestampOf(at) });
