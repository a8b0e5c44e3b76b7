import { type TenantUsage, timestampOf } from '@touchstone/protocol';
import { vendor } from '@touchstone/protocol/wire';
import type { OwnerUsage } from '../../ports/index.js';
import { type Endpoint, endpoint, ok } from '../endpoint.js';
import type { Services } from '../services.js';

/** The one operation that looks across tenants. It answers numbers alone, and no role of a tenant brings its scope. */
export const usageEndpoints = ({ touchstone: { store } }: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'listUsage',
    route: 'GET /v1/host/touchstone/usage',
    auth: 'host:usage',
    summary: 'Runs, cost and size of every tenant',
    responses: ok('A row per tenant and workspace.', vendor.page(vendor.tenantUsage)),
    handle: async () => ({
      status: 200,
      body: { items: (await store.retention.usage()).map(shown) },
    }),
  }),
];

const shown = ({ owner, oldestAt, newestAt, ...numbers }: OwnerUsage): TenantUsage => ({
  ...owner,
  ...numbers,
  oldestAt: timestampOf(oldestAt),
  newestAt: timestampOf(newestAt),
});
