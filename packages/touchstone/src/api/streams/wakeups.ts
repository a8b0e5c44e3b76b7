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

/** Commits of other processes notify no signal here, so every run with a reader is looked at this often. */
const LOOK_AGAIN_MS = 1_000;

type RunSignal = {
  /** Grows with every notify: a reader that was busy while it rang notices afterwards. */
  count: number;
  readers: number;
  readonly waiting: Set<() => void>;
  stop(): void;
};

/** Many readers of one run share one subscription and one timer. */
export function createWakeups(log: Pick<RunLog, 'watch'>, clock: Pick<Clock, 'sleep'>): Wakeups {
  const signals = new Map<RunId, RunSignal>();

  const subscribe = (runId: RunId): RunSignal => {
    const stopped = new AbortController();
    const unwatch = log.watch(runId, () => notify(signal));
    const signal: RunSignal = {
      count: 0,
      readers: 0,
      waiting: new Set(),
      stop() {
        stopped.abort();
        unwatch();
        signals.delete(runId);
      },
    };
    signals.set(runId, signal);
    void ringEverySecond(signal, clock, stopped.signal);
    return signal;
  };

  return {
    open: (runId) => attach(signals.get(runId) ?? subscribe(runId), clock),
    get size() {
      return signals.size;
    },
  };
}

function notify(signal: RunSignal): void {
  signal.count += 1;
  for (const wake of [...signal.waiting]) wake();
}

async function ringEverySecond(
  signal: RunSignal,
  clock: Pick<Clock, 'sleep'>,
  stopped: AbortSignal,
): Promise<void> {
  while (!stopped.aborted) {
    await clock.sleep(LOOK_AGAIN_MS, stopped).catch(() => undefined);
    notify(signal);
  }
}

function attach(signal: RunSignal, clock: Pick<Clock, 'sleep'>): Wakeup {
  let heard = signal.count;
  let closed = false;
  let wakeThis: (() => void) | undefined;
  signal.readers += 1;

  const rung = (): Promise<void> =>
    new Promise((resolve) => {
      wakeThis = () => {
        signal.waiting.delete(wakeThis as () => void);
        resolve();
      };
      signal.waiting.add(wakeThis);
    });

  return {
    async next(limitMs) {
      if (!closed && heard === signal.count) {
        if (limitMs === undefined) await rung();
        else await firstOf(rung(), limitMs, clock, () => wakeThis?.());
      }
      heard = signal.count;
    },
    close() {
      if (closed) return;
      closed = true;
      wakeThis?.();
      signal.readers -= 1;
      if (signal.readers === 0) signal.stop();
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
