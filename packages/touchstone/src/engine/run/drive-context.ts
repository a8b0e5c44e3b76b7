import type { Lease, ProgressListener } from '../../ports/index.js';
import type { Parts } from '../parts.js';
import type { AccessCount, Stop } from './next-step.js';

/** Facts of a drive that change while it goes on. The loop reads them and decides with `nextStep`. */
export type DriveState = {
  leaving: boolean;
  draining: boolean;
  crash: { readonly error: unknown } | undefined;
  halted: boolean;
  stop: Stop | undefined;
  /** Units that run here. */
  running: number;
  /** Units that run elsewhere, as far as this process knows. */
  runningElsewhere: number;
  /** Until when the lease is ours for certain, by the clock of this process. */
  heldUntil: number;
  /** The presence of this process when the lease was last ours for certain. */
  presence: number | undefined;
  readonly access: AccessCount;
  /** Work was aborted in the middle, so the run has unfinished work although nothing is left to start. */
  dropped: boolean;
  /** Wakes the loop when any of the above has changed. */
  wake: () => void;
};

/** What all parts of one drive share. */
export type DriveContext = {
  readonly parts: Parts;
  readonly lease: Lease;
  readonly state: DriveState;
  /** Stops the run; the first reason counts, and a cancel before all others. */
  readonly stop: (reason: Stop) => void;
  /** Lets go of the run without a trace. */
  readonly leave: () => void;
  /** The same, when what runs has finished. */
  readonly drain: () => void;
  readonly publish: ProgressListener;
  /** The work of the run, which other processes execute, has changed. Resolves when this process has looked at it. */
  readonly onWork: () => Promise<void>;
  /** Aborts when the drive has ended, however it did. */
  readonly over: AbortSignal;
};
