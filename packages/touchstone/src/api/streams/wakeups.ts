import type { RunId } from '@touchstone/protocol';
import type { Clock, RunLog } from '../../ports/index.js';

/** One reader's ear at a run's log. */
export type Wakeup = {
  /** Resolves when something may have happened since the last call: a commit, a second gone by, `limitMs`, or close. */
  next(limitMs?: number): Promise<void>;
  close(): void;
};
export type Wakeups = {
  open(runId: RunId): Wakeup;
  /** Runs that are listened to now. */
  readonly size: number;
};

/** Commits of other processes ring no bell here, so every run with a reader is looked at this often. */
const LOOK_AGAIN_MS = 1_000;

type Bell = {
  /** Grows with every ring: a reader that was busy while it rang notices afterwards. */
  rings: number;
  readers: number;
  readonly waiting: Set<() => void>;
  stop(): void;
};

/** Many readers of one run share one subscription and one timer. */
export function createWakeups(log: Pick<RunLog, 'watch'>, clock: Pick<Clock, 'sleep'>): Wakeups {
  const bells = new Map<RunId, Bell>();

  const hang = (runId: RunId): Bell => {
    const stopped = new AbortController();
    const unwatch = log.watch(runId, () => ring(bell));
    const bell: Bell = {
      rings: 0,
      readers: 0,
      waiting: new Set(),
      stop() {
        stopped.abort();
        unwatch();
        bells.delete(runId);
      },
    };
    bells.set(runId, bell);
    void ringEverySecond(bell, clock, stopped.signal);
    return bell;
  };

  return {
    open: (runId) => attach(bells.get(runId) ?? hang(runId), clock),
    get size() {
      return bells.size;
    },
  };
}

function ring(bell: Bell): void {
  bell.rings += 1;
  for (const wake of [...bell.waiting]) wake();
}

async function ringEverySecond(bell: Bell, clock: Pick<Clock, 'sleep'>, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    await clock.sleep(LOOK_AGAIN_MS, stopped).catch(() => undefined);
    ring(bell);
  }
}

function attach(bell: Bell, clock: Pick<Clock, 'sleep'>): Wakeup {
  let heard = bell.rings;
  let closed = false;
  let wakeThis: (() => void) | undefined;
  bell.readers += 1;

  const rung = (): Promise<void> =>
    new Promise((resolve) => {
      wakeThis = () => {
        bell.waiting.delete(wakeThis as () => void);
        resolve();
      };
      bell.waiting.add(wakeThis);
    });

  return {
    async next(limitMs) {
      if (!closed && heard === bell.rings) {
        if (limitMs === undefined) await rung();
        else await firstOf(rung(), limitMs, clock, () => wakeThis?.());
      }
      heard = bell.rings;
    },
    close() {
      if (closed) return;
      closed = true;
      wakeThis?.();
      bell.readers -= 1;
      if (bell.readers === 0) bell.stop();
    },
  };
}

async function firstOf(
  rung: Promise<void>,
  limitMs: number,
  clock: Pick<Clock, 'sleep'>,
  wake: () => void,
): Promise<void> {
  const over = new AbortController();
  const timeUp = clock.sleep(Math.max(0, limitMs), over.signal).then(wake, () => undefined);
  await Promise.race([rung, timeUp]);
  over.abort();
}

/** Listens at a run for as long as `use` works, or until the signal aborts; then `next` resolves at once. */
export async function listening<T>(
  wakeups: Wakeups,
  runId: RunId,
  gone: AbortSignal,
  use: (wakeup: Wakeup) => Promise<T>,
): Promise<T> {
  const wakeup = wakeups.open(runId);
  const stop = () => wakeup.close();
  gone.addEventListener('abort', stop);
  try {
    return await use(wakeup);
  } finally {
    gone.removeEventListener('abort', stop);
    wakeup.close();
  }
}
