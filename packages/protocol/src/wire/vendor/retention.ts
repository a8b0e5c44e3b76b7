// Removal of old runs, what each tenant has in the store, and who works on it.

import type { Digest, RunId, Timestamp } from '../../model/ids.js';
import { amount, choice, closed, count, flag, id, integer, list, text, type Wire } from '../schema/build.js';

/**
 * Why a run stays although it is old enough to go.
 * - `blessed`: a reviewer made it a baseline
 * - `evidence`: a deployment rests on it; `by` is the agent and its version
 * - `evidence_baseline`: the proof of a deployment was measured by it
 * - `in_use`: a run that goes on reads it; `by` is that run
 * - `unfinished`: it has not ended
 */
export const KEPT_REASONS = ['blessed', 'evidence', 'evidence_baseline', 'in_use', 'unfinished'] as const;
/** Why a run stays although it is old enough to go. */
export type KeptReason = (typeof KEPT_REASONS)[number];

/** Schema of a span of time, as `keys create --expires` takes it. */
export const span = text('A span of time: 45m, 12h, 90d or 8w.', {
  pattern: '^[1-9][0-9]{0,4}[mhdw]$',
  title: 'a span such as 12h, 90d or 8w',
});
const keep = integer('Keep so many of the newest runs of each suite and agent.', {
  minimum: 0,
  maximum: 1_000_000,
});

/** Schema of the body of `POST …/runs:prune`. */
export const pruneBody = closed(
  {},
  {
    /** Only runs that ended so long ago, e.g. `90d`. One of `olderThan` and `keep` is needed. */
    olderThan: span,
    /** Only runs that are not among the newest so many of their suite and agent. */
    keep,
    /** Remove answers, tool calls and reasons, and keep scores; false when absent. */
    bodiesOnly: flag('Remove the content of the runs and keep their scores.'),
    /** Remove nothing, and answer what would be removed; false when absent. */
    dryRun: flag('Remove nothing.'),
  },
);
/** Which runs are to go. With `olderThan` and `keep`, those that both let go. */
export type PruneRuns = Wire<typeof pruneBody>;

/** Schema of the answer of `POST …/runs:prune`. */
export const prunedRuns = closed({
  /** The runs that were removed, or would be; newest first, at most 1000. */
  removed: list(id<RunId>()),
  /** The runs that would have been removed if nothing needed them. */
  kept: list(
    closed(
      {
        /** The run. */
        runId: id<RunId>(),
        /** Why it stays. */
        reason: choice(KEPT_REASONS),
      },
      {
        /** What needs it; absent when the reason says it all. */
        by: text(),
      },
    ),
  ),
  /** There are more to remove; the same request again removes them. */
  more: flag(),
});
/** What became of old runs. */
export type PrunedRuns = Wire<typeof prunedRuns>;

/** Schema of what one tenant and workspace have in the store. */
export const tenantUsage = closed({
  /** The tenant. */
  tenant: text(),
  /** Its part. */
  workspace: text(),
  /** Runs that are kept. */
  runs: count(),
  /** Of them, those that have not ended. */
  unfinished: count(),
  /** Their known cost in US dollars. */
  costUsd: amount(),
  /** Model calls without a known price; they are not part of the cost. */
  unpricedCalls: count(),
  /** Bytes of their logs and records, without indexes. */
  bytes: count(),
  /** When the oldest of them was created, ISO 8601. */
  oldestAt: id<Timestamp>(),
  /** When the newest of them was created, ISO 8601. */
  newestAt: id<Timestamp>(),
});
/** What one tenant and workspace have in the store: numbers alone. */
export type TenantUsage = Wire<typeof tenantUsage>;

/** Schema of a process that takes up runs of a store. */
export const workerEntry = closed({
  /** Its machine and the number of its process. */
  name: text(),
  /** Of its program. */
  version: text(),
  /** Digest of what it brings along besides the store: agents with their files, models, judges, tools. */
  environment: id<Digest>(),
  /** Runs that it has taken up. */
  runsAtWork: count(),
  /** When it told of itself last, ISO 8601. */
  lastBeatAt: id<Timestamp>(),
});
/** A process that takes up runs of a store. */
export type WorkerEntry = Wire<typeof workerEntry>;
