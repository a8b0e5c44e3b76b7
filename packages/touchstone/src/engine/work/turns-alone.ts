import type { LeaveSlot, Slots } from '../../ports/index.js';

/**
 * Lets one task of a process be executed while no other is: when the process ends then, it was that task. Slots are the
 * ordinary way in, and are passed through while nobody wants to be alone.
 */
export type TurnsAlone = {
  /** Waits until nothing else is being executed, and lets nothing else begin before the answer is called. */
  enter(signal: AbortSignal): Promise<LeaveSlot | undefined>;
  /** The same slots, for everything else. */
  readonly slots: Slots;
};

export function createTurnsAlone(slots: Slots): TurnsAlone {
  let [inside, wanting] = [0, 0];
  let isAlone = false;
  let waiters: (() => void)[] = [];
  const wakeAll = (): void => {
    const woken = waiters;
    waiters = [];
    for (const wake of woken) wake();
  };
  const until = async (isFree: () => boolean, signal: AbortSignal): Promise<boolean> => {
    signal.addEventListener('abort', wakeAll);
    while (!isFree() && !signal.aborted) await new Promise<void>((resolve) => waiters.push(resolve));
    signal.removeEventListener('abort', wakeAll);
    return !signal.aborted;
  };
  const counted = (leave: LeaveSlot): LeaveSlot => {
    inside += 1;
    return () => {
      inside -= 1;
      leave();
      if (wanting > 0) wakeAll();
    };
  };
  const pass = (leave: LeaveSlot | undefined, signal: AbortSignal): ReturnType<Slots['enter']> => {
    if (!leave || wanting === 0) return leave && counted(leave);
    return until(() => wanting === 0, signal).then((may) => {
      if (may) return counted(leave);
      leave();
      return undefined;
    });
  };
  return {
    async enter(signal) {
      wanting += 1;
      const leave = (): void => {
        wanting -= 1;
        wakeAll();
      };
      if (!(await until(() => inside === 0 && !isAlone, signal))) {
        leave();
        return undefined;
      }
      isAlone = true;
      return () => {
        isAlone = false;
        leave();
      };
    },
    slots: {
      get isFull() {
        return slots.isFull || wanting > 0;
      },
      enter(tenant, group, signal) {
        const entered = slots.enter(tenant, group, signal);
        return entered instanceof Promise
          ? entered.then((leave) => pass(leave, signal))
          : pass(entered, signal);
      },
    },
  };
}
