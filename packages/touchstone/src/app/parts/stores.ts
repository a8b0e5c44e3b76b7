import { asId, type Id } from '@touchstone/protocol';
import type { Store } from '../../ports/index.js';
import {
  isOpenToOthers,
  isPostgresUrl,
  openPostgresStore,
  openStore,
  withRecentResults,
  withRetriedReads,
} from '../../store/index.js';
import { storeAddress } from '../config/data-folder.js';
import { createQuotas, withQuotas } from '../quotas.js';
import { createRefusals } from '../refusals.js';
import { createResults } from '../views/results.js';
import type { Limits } from './limits.js';
import type { Basics } from './options.js';

export type Stores = Awaited<ReturnType<typeof openStores>>;

/** The store, and what stands between it and everybody else. */
export async function openStores(parts: Basics & Limits) {
  const { config, clock, log, origin, limitCounts } = parts;
  const { perTenant } = config.limits;
  const opened = await openConfiguredStore(parts);
  // The operator at the machine has the whole disk.
  const quotas = origin === 'host' ? createQuotas(opened, perTenant, limitCounts) : undefined;
  const store = quotas ? withQuotas(opened, quotas) : withRecentResults(opened);
  const atOnce = perTenant.recordedRefusals;
  return {
    store,
    storeOfRuns: withRetriedReads(store, clock),
    quotas,
    refusals: createRefusals({ audit: store.audit, clock, log, atOnce, counts: limitCounts }),
    results: createResults(store.log),
  };
}

/** SQLite or PostgreSQL, as the configuration or the data folder says. */
async function openConfiguredStore(parts: Basics & Limits): Promise<Store> {
  const { config, clock, log, dataDir, origin, role, shares, storeTimes: times } = parts;
  const shared = origin === 'host' ? { shares, times } : {};
  const address = await storeAddress(config, dataDir);
  if (isPostgresUrl(address)) {
    const onSkew = (skewMs: number) => log.warn('store.clock-differs', { ms: Math.round(skewMs) });
    const onUnsafe = (setting: string) => log.warn('store.unsafe', { setting: asId<Id<'setting'>>(setting) });
    const withPeers = { onPooled: () => log.warn('store.pooled') };
    const lasting = origin === 'host' ? { withPeers, onUnsafe } : {};
    const mayPrepare = role.prepares;
    return openPostgresStore({ url: address, clock, onSkew, mayPrepare, ...shared, ...lasting });
  }
  const opened = await openStore({ file: address, clock, ...shared });
  if (isOpenToOthers(address)) log.warn('store.open-to-others', { file: asId<Id<'file'>>(address) });
  return opened;
}
