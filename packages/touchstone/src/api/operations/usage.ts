import { type TenantUsage, timestampOf, type WorkerEntry } from '@touchstone/protocol';
import { vendor } from '@touchstone/protocol/wire';
import type { OwnerUsage, WorkerRow } from '../../ports/index.js';
import { type Endpoint, endpoint, ok } from '../endpoint.js';
import type { Services } from '../services.js';

/** What looks across tenants answers numbers alone, and no role of a tenant brings its scope. */
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
  endpoint({
    operationId: 'listWorkers',
    route: 'GET /v1/host/touchstone/workers',
    auth: 'metrics:read',
    summary: 'The processes that take up runs of this store',
    responses: ok('Those that have told of themselves lately.', vendor.page(vendor.workerEntry)),
    handle: async () => ({
      status: 200,
      body: { items: (await store.workers.list()).map(shownWorker) },
    }),
  }),
];

const shownWorker = ({ name, version, environment, atWork, beatAt }: WorkerRow): WorkerEntry => ({
  name,
  version,
  environment,
  runsAtWork: atWork,
  lastBeatAt: timestampOf(beatAt),
});

const shown = ({ owner, oldestAt, newestAt, ...numbers }: OwnerUsage): TenantUsage => ({
  ...owner,
  ...numbers,
  oldestAt: timestampOf(oldestAt),
  newestAt: timestampOf(newestAt),
});
