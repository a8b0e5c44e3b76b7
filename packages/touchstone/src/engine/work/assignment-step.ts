import type { Control, WorkStop } from '../../ports/index.js';

/** What becomes of units that were claimed. `finish`: those that have begun are finished. */
export type AssignmentStop = 'finish' | 'abort';

/** Everything that the next step of an assignment depends on. */
export type AssignmentView = {
  /** Another process has it, or the work has ended: nothing that happens here counts any more. */
  readonly isOver: boolean;
  /** This process lets go of it now. */
  readonly leaving: boolean;
  /** This process lets go of it when what it has claimed is finished. */
  readonly releasing: boolean;
  /** What is asked of the run. */
  readonly stop: AssignmentStop | undefined;
  readonly aborted: boolean;
  /** Units that wait for a slot of the process have been let go. */
  readonly withdrawn: boolean;
  /** Nothing is left to be claimed. */
  readonly isExhausted: boolean;
  /** Claimed and not begun. */
  readonly ready: number;
  readonly running: number;
  /** Handed over ahead of a slot. */
  readonly waiting: number;
  /** How many more may be. */
  readonly ahead: number;
  /** Executed and not yet on disk. */
  readonly unsealed: number;
  /** A claim is on its way. */
  readonly isAsking: boolean;
  /** Units that it would claim now. */
  readonly wanted: number;
  readonly slots: number;
  /** Nothing was heard of the store for so long that another process may have it: nothing begins before it is looked at again. */
  readonly isUnsure: boolean;
  /** Units are executed one at a time, each when the one before is on disk: one of them may be what ends processes. */
  readonly isAlone: boolean;
};

/**
 * `queue`: hands a unit over that begins in the slot of another one. `leave`: without a word, because others have it. `release`: others may go on with it. `finish`: nothing is left to do.
 */
export type AssignmentStep =
  | 'start'
  | 'queue'
  | 'claim'
  | 'drop'
  | 'abort'
  | 'wait'
  | 'leave'
  | 'release'
  | 'finish';

/** Executed work may run ahead of the disk by this much. */
const AHEAD = 512;

/** How an assignment goes on, as one pure decision. */
export function nextAssignmentStep(view: AssignmentView): AssignmentStep {
  const { ready, unsealed, isAsking, stop } = view;
  const running = view.running + view.waiting;
  const aborts = view.isOver || view.leaving || stop === 'abort';
  if (aborts && running > 0 && !view.aborted) return 'abort';
  const isDropping = aborts || stop !== undefined;
  if (isDropping && (ready > 0 || (running > 0 && !view.withdrawn))) return 'drop';
  if (running > 0 && aborts) return 'wait';
  if (view.isOver) return 'leave';
  if (ready > 0 && !isDropping && mayStart(view))
    return view.isAlone || view.running < view.slots ? 'start' : 'queue';
  const isEnding = isDropping || view.releasing || view.isExhausted;
  if (!isEnding && !isAsking && view.wanted > 0) return 'claim';
  if (running > 0 || ready > 0 || unsealed > 0 || isAsking || !isEnding) return 'wait';
  return view.isExhausted && !isDropping ? 'finish' : 'release';
}

function mayStart({ isAlone, isUnsure, running, waiting, ahead, slots, unsealed }: AssignmentView): boolean {
  if (isUnsure) return false;
  if (isAlone) return running + waiting === 0 && unsealed === 0;
  return (running < slots || ahead > 0) && unsealed < AHEAD;
}

/** What is asked of those who execute, by what is asked of the run and by what stops its work. */
export function assignmentStop({
  control,
  stop,
}: {
  readonly control?: Control;
  readonly stop?: WorkStop;
}): AssignmentStop | undefined {
  if (control?.kind === 'cancel' || stop === 'changed' || stop === 'crashed') return 'abort';
  if (control?.kind === 'pause' && control.drainPolicy === 'immediate') return 'abort';
  return control || stop ? 'finish' : undefined;
}

/** A claim is to keep the assignment busy for so long: more would be lost to others, less would cost a trip for each unit. */
const BUSY_MS = 250;
const LARGEST = 256;

/** Units to claim now, asked for before the slots run dry; slow ones only as slots become free. */
export function unitsWanted(
  { slots, running, waiting, ready }: Pick<AssignmentView, 'slots' | 'running' | 'waiting' | 'ready'>,
  averageMs: number | undefined,
): number {
  const busy = averageMs === undefined ? slots : Math.ceil((slots * BUSY_MS) / Math.max(averageMs, 0.1));
  const target = Math.max(slots, Math.min(LARGEST, busy));
  const inHand = running + waiting + ready;
  return inHand >= slots && inHand >= target / 2 ? 0 : target - inHand;
}
