import { HostError } from '@touchstone/protocol';
import type { TenantLimit } from './config/tenant-limits.js';

/** How often the limits of tenants were reached in this process. Labels never name a tenant. */
export type LimitCounts = {
  reached(limit: Limit): void;
  /** Counts it, and gives the refusal of a request that goes beyond it. */
  refusal(limit: TenantLimit, message: string, retryAfter: number): HostError;
  read(): ReadonlyMap<Limit, number>;
};

/** Connections are not counted for a tenant: whose they are is not known before there is a request. */
type Limit = TenantLimit | 'connections';

export function createLimitCounts(): LimitCounts {
  const counts = new Map<Limit, number>();
  const reached = (limit: Limit): void => void counts.set(limit, (counts.get(limit) ?? 0) + 1);
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
