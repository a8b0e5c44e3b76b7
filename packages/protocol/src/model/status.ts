/** Where a run stands. The last of an execution is `completed`, `failed` or `cancelled`. */
export const RUN_STATUSES = [
  'pending',
  'running',
  'paused',
  'waiting-approval',
  'waiting-input',
  'waiting-external',
  'completed',
  'failed',
  'cancelling',
  'cancelled',
] as const;
/**
 * Where a run stands.
 * - `pending`: created, not started
 * - `running`: a driver works on it
 * - `paused`: a caller stopped it; `:resume` continues it
 * - `waiting-approval`, `waiting-input`, `waiting-external`: suspended until an answer comes
 * - `cancelling`: a cancel was requested, and the driver has not obeyed yet
 * - `completed`, `failed`, `cancelled`: ended; the log has its last event
 */
export type RunStatus = (typeof RUN_STATUSES)[number];

/** Whether a run has ended: its log grows no more and its status never changes again. */
export const isTerminal = (status: RunStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

/** `replay` reads the recorded facts of another run again; `branch` runs on from a point of it. */
export const FORK_MODES = ['replay', 'branch'] as const;
/** How a fork continues: `replay` ends with the recorded facts, `branch` executes what comes after `fromSeq`. */
export type ForkMode = (typeof FORK_MODES)[number];
