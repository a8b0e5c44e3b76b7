import type { AuditEntry, Digest, Owner, RunId } from '@touchstone/protocol';

/**
 * Removal of ended runs. A removal is decided in one small write, together with its audit record: from then on the run, or
 * what it held of content, can no longer be read. Its rows go later, piece by piece, with `sweep`: a long run has too many
 * to delete while others wait.
 */
export type Retention = {
  /**
   * Removes a run. False when it is not this owner's, has not ended, or a blessing or a deployment of the owner names it
   * at that moment.
   */
  remove(owner: Owner, runId: RunId, audit: AuditEntry): Promise<boolean>;
  /**
   * The same for the content of a run: answers, tool calls, reasons. Its scores, costs and events without content stay, and
   * the digest of its log as it was, if there is one.
   */
  removeBodies(owner: Owner, runId: RunId, audit: AuditEntry, logDigest?: Digest): Promise<boolean>;
  /**
   * Deletes some rows of what has been removed, whoever owned it, and gives some of the space back. True while there is
   * more to do. Several processes may do it side by side.
   */
  sweep(): Promise<boolean>;
  /**
   * Rewrites a store that cannot give space back piece by piece, and does nothing to any other. Writers wait meanwhile.
   */
  rewrite(): Promise<void>;
  /** Runs that a deployment of this owner names as the proof of a version, with that version. */
  evidence(owner: Owner): Promise<readonly EvidenceRun[]>;
  /** Every owner with runs; for the rules of the host's configuration. */
  owners(): Promise<readonly Owner[]>;
  /** What each owner has in the store. Looks across owners, because it is for the operator of the host. */
  usage(): Promise<readonly OwnerUsage[]>;
};

export type EvidenceRun = { readonly runId: RunId; readonly agent: string };

/** Numbers alone: no name of an agent, a suite or a run. */
export type OwnerUsage = {
  readonly owner: Owner;
  readonly runs: number;
  /** Of them, those that have not ended. */
  readonly unfinished: number;
  /** Known cost in US dollars, and model calls without a known price. */
  readonly costUsd: number;
  readonly unpricedCalls: number;
  /** Bytes of the logs and records, without indexes. */
  readonly bytes: number;
  /** When the oldest and the newest run were created. */
  readonly oldestAt: number;
  readonly newestAt: number;
};
