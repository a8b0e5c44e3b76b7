import type { TenantLimit } from './config/tenant-limits.js';

/** How often the limits of tenants were reached in this process. Labels never name a tenant. */
export type LimitCounts = {
  reached(limit: TenantLimit): void;
  read(): ReadonlyMap<TenantLimit, number>;
};

export function createLimitCounts(): LimitCounts {
  const counts = new Map<TenantLimit, number>();
  return {
    reached: (limit) => void counts.set(limit, (counts.get(limit) ?? 0) + 1),
    read: () => counts,
  };
}
