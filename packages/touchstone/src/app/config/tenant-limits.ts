/**
 * What one tenant may use of a host at a time, so that no tenant can slow the others down. Each row is a member of
 * `limits.perTenant` in the configuration; `touchstone_limit_reached_total` counts how often each was reached.
 */
export const TENANT_LIMITS = {
  /** Runs at work; further ones wait as `pending`. */
  activeRuns: { standard: 32, minimum: 1 },
  /** Runs that wait to begin; further ones are refused for a while. */
  pendingRuns: { standard: 1_000, minimum: 1 },
  /** Threads that check its content at a time; further checks wait. */
  checkThreads: { standard: 1, minimum: 1 },
  /** How long one check may take in such a thread, in seconds; then it is stopped, and its task is unscored. */
  checkSeconds: { standard: 30, minimum: 1 },
  /** Tasks at work: each may hold connections or a process. Further ones wait, and the wait is not the agent's time. */
  openInvocations: { standard: 512, minimum: 1 },
  /**
   * Milliseconds of the host's main thread that it may use beyond its share while other tenants use the thread, too. Its
   * next requests and tasks then wait; requests are refused if that takes long.
   */
  aheadMs: { standard: 50, minimum: 1 },
  /** Requests that are executed at a time; further ones wait, and are refused if that takes long. */
  openRequests: { standard: 64, minimum: 1 },
  /** Bytes of request bodies in memory; further bodies are not read yet, and refused if that takes long. */
  requestBytes: { standard: 64 * 1024 * 1024, minimum: 1024 * 1024 },
  /** Definitions that are being compiled, each of which may read a dataset; further ones wait. */
  compilations: { standard: 4, minimum: 1 },
  /** Names that are being looked up; further ones wait. */
  nameLookups: { standard: 8, minimum: 1 },
  /** Bytes in the store; beyond it nothing new is taken, and runs at work end. */
  storedBytes: { standard: 20 * 1024 ** 3, minimum: 1024 ** 2 },
  /** Versions of suites and of agents, webhooks, and annotations of one run; beyond them no more is taken. */
  suites: { standard: 10_000, minimum: 1 },
  agents: { standard: 10_000, minimum: 1 },
  webhooks: { standard: 100, minimum: 1 },
  annotationsPerRun: { standard: 1_000, minimum: 1 },
  /** Refusals of one principal at once that are audited one by one, and one more each minute; others are counted together. */
  recordedRefusals: { standard: 60, minimum: 1 },
  /** Event streams, progress streams and long polls open at a time; further ones are refused. */
  openStreams: { standard: 256, minimum: 1 },
  /** Bytes of answers and streams that callers have not read yet; further ones wait, and are refused if that takes long. */
  unreadBytes: { standard: 32 * 1024 * 1024, minimum: 1024 * 1024 },
  /** Bytes of events that wait to be posted to webhooks; the oldest are dropped. */
  webhookBytes: { standard: 32 * 1024 * 1024, minimum: 1024 * 1024 },
} as const;

export type TenantLimit = keyof typeof TENANT_LIMITS;
export type TenantLimits = { readonly [limit in TenantLimit]: number };

export const completeTenantLimits = (given: Partial<TenantLimits> = {}): TenantLimits => ({
  ...(Object.fromEntries(
    Object.entries(TENANT_LIMITS).map(([limit, { standard }]) => [limit, standard]),
  ) as TenantLimits),
  ...given,
});
