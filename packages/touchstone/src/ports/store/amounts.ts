import type { Owner, RunId } from '@touchstone/protocol';

/** What the number of is limited: their rows are so small that bytes would not bound them. */
export type CountedThing = 'suites' | 'agents' | 'webhooks';

/**
 * How much a tenant keeps, in all its workspaces. The store counts bytes as it writes and removes, so asking is one small
 * read however much there is.
 */
export type Amounts = {
  /**
   * Bytes of suites, contracts, packs, agents, runs with their content, annotations, baselines, webhooks, memory, and answers that
   * are cached or kept for repetition. Without indexes, and without the audit log.
   */
  bytes(owner: Owner): Promise<number>;
  /** Versions of suites and agents, or webhooks. */
  count(owner: Owner, thing: CountedThing): Promise<number>;
  /** Runs of the tenant that wait to begin; counted up to `most`. */
  pendingRuns(owner: Owner, most: number): Promise<number>;
  /** Annotations of one run of this owner. */
  annotations(owner: Owner, runId: RunId): Promise<number>;
};
