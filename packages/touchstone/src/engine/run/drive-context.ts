import type { Lease, ProgressListener } from '../../ports/index.js';
import type { Parts } from '../parts.js';
import type { DriveState } from './loop.js';
import type { Stop } from './next-step.js';

/** What everyone at work on one drive shares. */
export type Driving = {
  readonly parts: Parts;
  readonly lease: Lease;
  readonly state: DriveState;
  /** Asks the run to stop; the first reason counts, and a cancel before all. */
  readonly stop: (reason: Stop) => void;
  /** Lets go of the run without a trace. */
  readonly leave: () => void;
  readonly publish: ProgressListener;
  /** Aborts when the drive has ended, however it did. */
  readonly over: AbortSignal;
};
