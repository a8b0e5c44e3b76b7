import type { Clock } from '../ports/index.js';
import { FreeList } from './free-list.js';

export type Deadline = {
  dueAt: number;
  stopped: boolean;
  /** Where it is kept; absent when it is not counted. */
  index: number | undefined;
  /** What the process had stood still when `dueAt` was last set. */
  stoodStillMs: number;
  readonly expire: () => void;
};

/** Deadlines of one agent's invocations. One sleep serves them all, because a timer each would cost more than the work. */
export type Deadlines = {
  start(expire: () => void): Deadline;
  stop(deadline: Deadline): void;
  /** Time spent waiting for others does not count. Returns the way to let it count again. */
  pause(deadline: Deadline): () => void;
  close(): void;
};

export function createDeadlines(clock: Clock, timeoutMs: number): Deadlines {
  const running = new FreeList<Deadline>();
  let wakesAt = Number.POSITIVE_INFINITY;
  let asleep: AbortController | undefined;
  const stoodStill = (): number => clock.stoodStillMs?.() ?? 0;

  function count(deadline: Deadline): void {
    deadline.index = running.add(deadline);
    wakeBy(deadline.dueAt);
  }

  /** False when it was not counted. */
  function uncount(deadline: Deadline): boolean {
    if (deadline.index === undefined) return false;
    running.remove(deadline.index);
    deadline.index = undefined;
    return true;
  }

  /** An answer may have come while this process stood still: that time is not the other side's. */
  function extend(deadline: Deadline): void {
    const before = deadline.stoodStillMs;
    deadline.stoodStillMs = stoodStill();
    deadline.dueAt += deadline.stoodStillMs - before;
  }

  function wakeBy(dueAt: number): void {
    if (dueAt >= wakesAt) return;
    asleep?.abort();
    asleep = new AbortController();
    wakesAt = dueAt;
    const { signal } = asleep;
    const whenDue = clock.sleep(Math.max(0, dueAt - clock.elapsed()), signal);
    whenDue.then(expireDue, (error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  function expireDue(): void {
    wakesAt = Number.POSITIVE_INFINITY;
    const now = clock.elapsed();
    for (const deadline of [...running]) {
      if (deadline.dueAt <= now) extend(deadline);
      // One that has expired may have stopped another one.
      if (deadline.dueAt <= now && uncount(deadline)) deadline.expire();
    }
    for (const { dueAt } of running) wakeBy(dueAt);
  }

  return {
    start(expire) {
      const dueAt = clock.elapsed() + timeoutMs;
      const stoodStillMs = stoodStill();
      const deadline: Deadline = { dueAt, stopped: false, index: undefined, stoodStillMs, expire };
      count(deadline);
      return deadline;
    },
    stop(deadline) {
      deadline.stopped = true;
      uncount(deadline);
    },
    pause(deadline) {
      if (!uncount(deadline)) return () => undefined;
      extend(deadline);
      const leftMs = deadline.dueAt - clock.elapsed();
      return () => {
        if (deadline.stopped) return;
        deadline.dueAt = clock.elapsed() + leftMs;
        deadline.stoodStillMs = stoodStill();
        count(deadline);
      };
    },
    close() {
      for (const deadline of running) uncount(deadline);
      asleep?.abort();
    },
  };
}
