import type { Digest, Owner, RunId } from '@touchstone/protocol';
import type { Usage } from '../usage.js';

/** Proof that its holder is the one driver of a run. A newer token fences off every write of an older one. */
export type Lease = {
  readonly runId: RunId;
  readonly owner: Owner;
  readonly token: number;
  /** The store's own short name for the run, so that sealing need not look it up each time. */
  readonly runNo: number;
  /**
   * How many drivers in a row were lost at the same place of the log: each ended without letting go of its lease, and the
   * log has not grown in between. 0 when the last driver let go.
   */
  readonly lostDrives: number;
};

/** The one place that looks across owners, because adopting a run is the host's business and not a tenant's. */
export type Leases = {
  /**
   * Takes the lease if it is free, expired, or held by a process that is known to be gone; and, with `most`, if the
   * tenant has fewer leases than that, in all processes together.
   */
  take(owner: Owner, runId: RunId, ttlMs: number, most?: number): Promise<Lease | undefined>;
  renew(lease: Lease, ttlMs: number): Promise<boolean>;
  release(lease: Lease): Promise<void>;
  /**
   * Unfinished `host` runs (pending, running, cancelling, pausing and not yet at rest, or waiting past `waitUntil`) whose
   * lease is free: the oldest of each tenant, and of each tenant so many at most. With `most`, a tenant that has so many
   * leases is left out, but for runs that only have to stop.
   */
  adoptable(
    perTenant: number,
    most?: number,
  ): Promise<readonly { readonly owner: Owner; readonly runId: RunId }[]>;
  /**
   * Tells other processes that a run waits for a driver. Not every process hears it: all look from time to time. Of many that have the
   * environment, a few with little to do are told.
   */
  offer(runId: RunId, environment?: Digest): void;
  /** Called when another process offers a run. Returns the function that ends it. */
  watchOffers(listener: () => void): () => void;
};

/** Money spent, committed before the answer it bought is used. A crash loses no cents. */
export type Ledger = {
  /** Answers the known cost of the run so far, in all processes together. */
  record(owner: Owner, runId: RunId, usage: readonly Usage[]): Promise<number>;
  /** Known cost so far, repeats of crashed invocations included. */
  total(owner: Owner, runId: RunId): Promise<{ readonly usd: number; readonly unpriced: number }>;
};
