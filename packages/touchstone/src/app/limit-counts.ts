import { HostError } from '@touchstone/protocol';
import type { TenantLimit } from './config/tenant-limits.js';

/** How often the limits of tenants were reached in this process. Labels never name a tenant. */
export type LimitCounts = {
  reached(limit: TenantLimit): void;
  /** Counts it, and gives the refusal of a request that goes beyond it. */
  refusal(limit: TenantLimit, message: string, retryAfter: number): HostError;
  read(): ReadonlyMap<TenantLimit, number>;
};

export function createLimitCounts(): LimitCounts {
  const counts = new Map<TenantLimit, number>();
  const reached = (limit: TenantLimit): void => void counts.set(limit, (counts.get(limit) ?? 0) + 1);
  return {
    reached,
    refusal(limit, message, retryAfter) {
      reached(limit);
      const details = { limit, scope: 'tenant', retryAfter, retryAfterMs: retryAfter * 1_000 };
      return new HostError('rate_limited', message, details);
    },
    read: () => counts,
  };
}
