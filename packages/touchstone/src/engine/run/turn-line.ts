import type { LeaveSlot } from '../../ports/index.js';
import type { UnitTurn } from '../kinds/run-kind.js';

/** The slot of one unit, or its wait for one. A class, because there is one for every task. */
export class UnitSlot implements UnitTurn {
  readonly line: object;
  readonly withdrawn: AbortSignal;
  isWaiting: boolean;
  /** Gives its slot back; absent before it has one. */
  leave: LeaveSlot | undefined = undefined;
  readonly #held: { count: number };
  readonly #elapsed: () => number;
  #since: number;

  constructor(parts: TurnLineParts, held: { count: number }, isWaiting: boolean) {
    this.line = held;
    this.withdrawn = parts.withdrawn;
    this.isWaiting = isWaiting;
    this.#held = held;
    this.#elapsed = parts.elapsed;
    this.#since = parts.elapsed();
  }

  /** How many of the line have a slot. Those that wait for one of the process have none. */
  get most(): number {
    return this.#held.count;
  }

  get isWithdrawn(): boolean {
    return this.isWaiting && this.withdrawn.aborted;
  }

  /** It may begin, or is not to begin any more. */
  enter(leave: LeaveSlot | undefined): void {
    this.leave = leave;
    if (leave) this.#held.count += 1;
  }

  begun(agoMs = 0): void {
    this.#since = this.#elapsed() - agoMs;
  }

  get spentMs(): number {
    return this.#elapsed() - this.#since;
  }
}

type TurnLineParts = {
  /** Units that have a slot, or wait for one of the process. */
  readonly state: { running: number };
  readonly withdrawn: AbortSignal;
  readonly elapsed: () => number;
};

/**
 * The units of one run that a process executes. Some are handed to the agent ahead of a slot. When one ends, the unit that waits
 * longest takes its slot over, and the agent, which knows the order, has begun with it already.
 */
export type TurnLine = {
  /** Units that were handed over and wait for a slot. */
  readonly waiting: number;
  /** Units that have a slot. */
  readonly held: number;
  /** How long a unit takes, the last dozen counting most; undefined before the first has ended. */
  readonly averageMs: number | undefined;
  /** Of a unit that has a slot, or is about to. */
  take(): UnitSlot;
  /** Of a unit that is handed over ahead of one. */
  wait(): UnitSlot;
  /** What was not executed does not count for the average. */
  end(slot: UnitSlot, isExecuted: boolean): void;
};

export function createTurnLine(parts: TurnLineParts): TurnLine {
  const { state } = parts;
  const held = { count: 0 };
  const waiting: UnitSlot[] = [];
  let averageMs: number | undefined;

  function release({ leave }: UnitSlot): void {
    const next = leave && waiting.shift();
    if (next) [next.isWaiting, next.leave] = [false, leave];
    else {
      if (leave) held.count -= 1;
      leave?.();
      state.running -= 1;
    }
  }

  return {
    get waiting() {
      return waiting.length;
    },
    get held() {
      return held.count;
    },
    get averageMs() {
      return averageMs;
    },
    take() {
      state.running += 1;
      return new UnitSlot(parts, held, false);
    },
    wait() {
      const slot = new UnitSlot(parts, held, true);
      waiting.push(slot);
      return slot;
    },
    end(slot, isExecuted) {
      if (isExecuted) averageMs = average(averageMs, slot.spentMs);
      if (slot.isWaiting) waiting.splice(waiting.indexOf(slot), 1);
      else release(slot);
    },
  };
}

const average = (before: number | undefined, ms: number): number =>
  before === undefined ? ms : before + (ms - before) / 12;

/** Tasks that take longer lose little by a wait for this process, and bind themselves to it for long. */
const LONG_MS = 250;

/**
 * How many more units may be handed over ahead: as many as have a slot, so that each of them gets one in its turn. A unit that is
 * alone with its agent is to stay alone: what it does is then known to be its own.
 */
export const mayWait = ({ averageMs, waiting, held }: TurnLine, slots: number): number =>
  slots < 2 || averageMs === undefined || averageMs >= LONG_MS ? 0 : Math.min(slots, held) - waiting;
