import type { RepeatScore, TaskResult } from '@touchstone/protocol';
import type { LogEntry } from '../../ports/index.js';

/** What the log needs to know of a sealed repeat once its events are stored. */
export type SealedRepeat = {
  readonly score?: RepeatScore | undefined;
  readonly eventCount: number;
  readonly at: number;
};

type StepEntry = Extract<LogEntry, { kind: 'step' }>;

/**
 * Steps between seal and log. Seals come in any order; entries leave in plan order, each once. The steps already in
 * the log are one byte each, the waiting ones a few dozen, so a million-task run fits.
 */
export type Backlog = {
  /** The scores of all repeats when this seal was the step's last one, otherwise undefined. */
  seal(position: number, repeat: number, sealed: SealedRepeat): readonly SealedRepeat[] | undefined;
  isSealed(position: number, repeat: number): boolean;
  /** The step's result is known; it may enter the log when its turn comes. */
  finish(
    position: number,
    ordinal: number,
    repeats: readonly SealedRepeat[],
    result: TaskResult | undefined,
  ): void;
  markAppended(position: number): void;
  isAppended(position: number): boolean;
  /** Finished steps that stand next in order. */
  takeReady(): readonly StepEntry[];
  /** All finished steps in order, gaps skipped: for a run that stops early. */
  takeRest(): readonly StepEntry[];
};

export function createBacklog(steps: number, repeats: number): Backlog {
  const appended = new Uint8Array(steps);
  const sealed = new Map<number, (SealedRepeat | undefined)[]>();
  const finished = new Map<number, StepEntry>();
  let next = 0;

  const take = (position: number): StepEntry => {
    const entry = finished.get(position) as StepEntry;
    finished.delete(position);
    sealed.delete(position);
    appended[position] = 1;
    return entry;
  };

  return {
    seal(position, repeat, one) {
      if (repeats === 1) {
        const only = [one];
        sealed.set(position, only);
        return only;
      }
      const slots = sealed.get(position) ?? new Array<SealedRepeat | undefined>(repeats).fill(undefined);
      slots[repeat] = one;
      sealed.set(position, slots);
      return slots.every((slot) => slot !== undefined) ? (slots as SealedRepeat[]) : undefined;
    },
    isSealed: (position, repeat) => appended[position] === 1 || sealed.get(position)?.[repeat] !== undefined,
    finish(position, ordinal, all, result) {
      let eventCount = 0;
      let at = 0;
      for (const one of all) {
        eventCount += one.eventCount;
        at = Math.max(at, one.at);
      }
      finished.set(
        position,
        result
          ? { kind: 'step', ordinal, repeats, eventCount, at, result }
          : { kind: 'step', ordinal, repeats, eventCount, at },
      );
    },
    markAppended(position) {
      appended[position] = 1;
    },
    isAppended: (position) => appended[position] === 1,
    takeReady() {
      const entries: StepEntry[] = [];
      for (; next < steps && (appended[next] === 1 || finished.has(next)); next++) {
        if (appended[next] !== 1) entries.push(take(next));
      }
      return entries;
    },
    takeRest: () => [...finished.keys()].sort((a, b) => a - b).map(take),
  };
}
