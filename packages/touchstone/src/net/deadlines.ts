import type { Clock } from '../ports/index.js';

export type Deadline = { dueAt: number; stopped: boolean; readonly expire: () => void };

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
      if (deadline.dueAt > now) continue;
      running.delete(deadline);
      deadline.expire();
    }
    for (const { dueAt } of running) wakeBy(dueAt);
  }

  return {
    start(expire) {
      const deadline = { dueAt: clock.elapsed() + timeoutMs, stopped: false, expire };
      running.add(deadline);
      wakeBy(deadline.dueAt);
      return deadline;
    },
    stop(deadline) {
      deadline.stopped = true;
      running.delete(deadline);
    },
    pause(deadline) {
      const leftMs = deadline.dueAt - clock.elapsed();
      if (!running.delete(deadline)) return () => undefined;
      return () => {
        if (deadline.stopped) return;
        deadline.dueAt = clock.elapsed() + leftMs;
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
