/**
 * What one tenant may use of a host at a time, so that no tenant can slow the others down. Each row is a member of
 * `limits.perTenant` in the configuration; `touchstone_limit_reached_total` counts how often each was reached.
 */
export const TENANT_LIMITS = {
  /** Runs at work; further ones wait as `pending`. */
  activeRuns: { standard: 32, minimum: 1 },
  /** Threads that check its content at a time; further checks wait. */
  checkThreads: { standard: 1, minimum: 1 },
  /** How long one check may take in such a thread, in seconds; then it is stopped, and its task is unscored. */
  checkSeconds: { standard: 30, minimum: 1 },
} as const;

export type TenantLimit = keyof typeof TENANT_LIMITS;
export type TenantLimits = { readonly [limit in TenantLimit]: number };

export const completeTenantLimits = (given: Partial<TenantLimits> = {}): TenantLimits => ({
  ...(Object.fromEntries(
    Object.entries(TENANT_LIMITS).map(([limit, { standard }]) => [limit, standard]),
  ) as TenantLimits),
  ...given,
});
