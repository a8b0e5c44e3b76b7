import { createNames, createSlots } from '../../net/index.js';
import { UNSHARED } from '../../ports/index.js';
import { createLimitCounts } from '../limit-counts.js';
import { createStoreTimes } from '../store-times.js';
import { createThreadShares } from '../thread-shares.js';
import type { Basics } from './options.js';

export type Limits = ReturnType<typeof openLimits>;

/** What keeps one tenant from using what belongs to others. The command line has one tenant. */
export function openLimits({ config, clock, origin }: Basics) {
  const limitCounts = createLimitCounts();
  const { perTenant } = config.limits;
  const isHost = origin === 'host';
  const shares = isHost
    ? createThreadShares({
        clock,
        aheadMs: perTenant.aheadMs,
        onWait: () => limitCounts.reached('aheadMs'),
      })
    : UNSHARED;
  const names = createNames({
    clock,
    perTenant: perTenant.nameLookups,
    servers: config.egress.dnsServers,
    onWait: () => limitCounts.reached('nameLookups'),
  });
  const compilations = createSlots({
    perTenant: perTenant.compilations,
    onWait: () => limitCounts.reached('compilations'),
  });
  return { limitCounts, shares, names, compilations, storeTimes: isHost ? createStoreTimes() : undefined };
}
