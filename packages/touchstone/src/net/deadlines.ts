import type { Clock } from '../ports/index.js';

export type Deadline = {
  dueAt: number;
  stopped: boolean;
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
  const running = new Set<Deadline>();
  let wakesAt = Number.POSITIVE_INFINITY;
  let asleep: AbortController | undefined;
  const stoodStill = (): number => clock.stoodStillMs?.() ?? 0;

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
      if (deadline.dueAt > now) continue;
      running.delete(deadline);
      deadline.expire();
    }
    for (const { dueAt } of running) wakeBy(dueAt);
  }

  return {
    start(expire) {
      const dueAt = clock.elapsed() + timeoutMs;
      const deadline = { dueAt, stopped: false, stoodStillMs: stoodStill(), expire };
      running.add(deadline);
      wakeBy(deadline.dueAt);
      return deadline;
    },
    stop(deadline) {
      deadline.stopped = true;
      running.delete(deadline);
    },
    pause(deadline) {
      if (!running.delete(deadline)) return () => undefined;
      extend(deadline);
      const leftMs = deadline.dueAt - clock.elapsed();
      return () => {
        if (deadline.stopped) return;
        deadline.dueAt = clock.elapsed() + leftMs;
        deadline.stoodStillMs = stoodStill();
        running.add(deadline);
        wakeBy(deadline.dueAt);
      };
    },
    close() {
      running.clear();
      asleep?.abort();
    },
  };
}
