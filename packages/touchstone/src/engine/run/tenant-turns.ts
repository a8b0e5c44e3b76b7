import type { Owner } from '@touchstone/protocol';

export type TenantTurns = {
  /** The first of the tenant that was served the longest ago, or never. */
  next<T extends { readonly owner: Owner }>(waiting: readonly T[]): T | undefined;
};

/** Far more than wait at a time. Who is forgotten comes first once more. */
const KNOWN = 1_000;

/**
 * Tenants take turns. By age alone, a tenant with a hundred thousand short runs that wait would keep a younger run of another one
 * waiting until the last of them: it never has so many at work that its limit would stop it.
 */
export function createTenantTurns(): TenantTurns {
  const served = new Map<string, number>();
  let turn = 0;
  const turnOf = ({ owner: { tenant } }: { readonly owner: Owner }): number => served.get(tenant) ?? 0;
  return {
    next(waiting) {
      const [first, ...rest] = waiting;
      if (!first) return undefined;
      const next = rest.reduce((best, one) => (turnOf(one) < turnOf(best) ? one : best), first);
      if (served.size >= KNOWN) served.clear();
      turn += 1;
      served.set(next.owner.tenant, turn);
      return next;
    },
  };
}
