import { type AuditRecord, timestampOf } from '@touchstone/protocol';
import type { Shape } from '@touchstone/protocol/wire';
import { verifyAudit } from '../../app/index.js';
import { type Endpoint, endpoint } from '../endpoint.js';
import { integerOr } from '../query.js';
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
  cursor: integerOr(0, 'Only records after this number.', { min: 0, max: Number.MAX_SAFE_INTEGER }),
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
    summary: 'The audit log, oldest first',
    parameters,
    responses: { 200: { description: 'A page of it.', schema: page } },
    async handle({ principal, query }) {
      const found = await touchstone.store.audit.read(principal.owner, query.cursor, query.limit + 1);
      const items = found.slice(0, query.limit);
      const last = items.at(-1);
      const more = found.length > query.limit && last;
      return {
        status: 200,
        body: { items: items.map(shown), ...(more && { nextCursor: String(more.seq) }) },
      };
    },
  }),
];

const shown = ({ at, ...record }: AuditRecord) => ({ ...record, at: timestampOf(at) });
