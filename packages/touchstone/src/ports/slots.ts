import type { MaybePromise } from './system.js';

/** Slots for one kind of work. No tenant's queue holds up another's, and no tenant can take all slots. */
export type Slots = {
  /**
   * Waits for a slot; resolves with the function that gives it back, or with undefined when the signal aborts first. Work
   * of the same tenant takes turns by `group`, which is usually its run: one with many tasks does not hold up the next.
   */
  enter(tenant: string, group: string, signal: AbortSignal): MaybePromise<LeaveSlot | undefined>;
  /** Whether any work waits. */
  readonly isFull: boolean;
};

export type LeaveSlot = () => void;
