import { availableParallelism } from 'node:os';
import { createSlots, onAbort } from '../../net/index.js';
import {
  CheckOverLimit,
  type CheckWork,
  type Clock,
  type RunOrigin,
  type ThreadShares,
  UNSHARED,
} from '../../ports/index.js';
import { type CheckerThread, startCheckerThread, type ThreadOptions } from './checker-thread.js';

export type PoolLimits = {
  /** Threads that one tenant may use at a time. */
  readonly perTenant: number;
  /** Threads in all; a tenant never has more of them than are left for the others. */
  readonly total?: number;
  /** How long one check may take in a thread. */
  readonly seconds: number;
  /** Threads are executed only while nothing else wants a processor, until a check hardly gets one. */
  readonly whenIdle?: boolean;
};

/** A host has twice as many threads as a tenant may use, and goes first. The command line has but one tenant, who waits for them. */
export const threadLimits = (
  origin: RunOrigin,
  perTenant: number,
): Pick<PoolLimits, 'perTenant' | 'total' | 'whenIdle'> =>
  origin === 'host'
    ? { perTenant, total: 2 * perTenant, whenIdle: true }
    : { perTenant: Math.max(1, availableParallelism() - 1) };

export type PoolParts = {
  readonly clock: Clock;
  readonly limits: PoolLimits;
  readonly start?: (options: ThreadOptions) => CheckerThread;
  /** Called when a check has to wait for a thread. */
  readonly onWait?: () => void;
  /** Handing a check to a thread takes time of the thread that serves everybody. */
  readonly shares?: ThreadShares;
  /** Called when a check was stopped. */
  readonly onOverLimit?: () => void;
};

/** What is left of the time of several checks. */
export type TimeBudget = { leftMs: number };

type Submission<Input, Result> = {
  readonly tenant: string;
  /** Checks of one tenant take turns by it. */
  readonly group: string;
  readonly work: CheckWork<Input, Result>;
  readonly input: Input;
  readonly budget?: TimeBudget;
  readonly signal?: AbortSignal;
};

/** A few threads for the checks of all tenants, who get them in turns. */
export type ThreadPool = {
  submit<Input, Result>(submission: Submission<Input, Result>): Promise<Result>;
  close(): Promise<void>;
};

export function createThreadPool(parts: PoolParts): ThreadPool {
  const { clock, limits, onWait, start = startCheckerThread } = parts;
  const slots = createSlots({ ...limits, ...(onWait && { onWait }) });
  /** One for each check that is waited for. */
  const open = new Set<AbortController>();
  let closed: Error | undefined;
  const threads = new Map<CheckerThread, ThreadOptions>();
  const idle: CheckerThread[] = [];
  let busyUntil = Number.NEGATIVE_INFINITY;
  const whenIdle = (): boolean => limits.whenIdle === true && clock.elapsed() >= busyUntil;

  const launch = (): CheckerThread => {
    const options = { whenIdle: whenIdle() };
    const thread = start(options);
    threads.set(thread, options);
    void thread.ended.then(() => threads.delete(thread));
    return thread;
  };
  /** One of the class that is wanted now. The others go. */
  const anyThread = (): CheckerThread => {
    for (let thread = idle.pop(); thread; thread = idle.pop()) {
      if (thread.isAlive() && threads.get(thread)?.whenIdle === whenIdle()) return thread;
      thread.stop(new Error('Another thread takes its place.'));
    }
    return launch();
  };

  const make = async <Input, Result>(
    submission: Submission<Input, Result>,
    given: AbortSignal,
  ): Promise<Result> => {
    const leave = await slots.enter(submission.tenant, submission.group, given);
    if (!leave) throw given.reason;
    try {
      return await attempt(submission, given);
    } finally {
      leave();
    }
  };
  const attempt = async <Input, Result>(
    submission: Submission<Input, Result>,
    given: AbortSignal,
  ): Promise<Result> => {
    const thread = anyThread();
    try {
      return await execute(parts, thread, submission);
    } catch (error) {
      if (!(error instanceof Starvation)) throw error;
      busyUntil = clock.elapsed() + BUSY_MS;
    } finally {
      if (thread.isAlive()) idle.push(thread);
    }
    given.throwIfAborted();
    return attempt(submission, given);
  };

  return {
    async submit(submission) {
      if (closed) throw closed;
      const { signal } = submission;
      signal?.throwIfAborted();
      const giveUp = new AbortController();
      const stopListening = onAbort(signal, () => giveUp.abort(signal?.reason));
      open.add(giveUp);
      try {
        return await unlessAborted(make(submission, giveUp.signal), giveUp.signal);
      } finally {
        stopListening();
        open.delete(giveUp);
      }
    },
    async close() {
      closed = new Error('The host is closing.');
      for (const one of open) one.abort(closed);
      for (const thread of threads.keys()) thread.stop(closed);
      await Promise.all([...threads.keys()].map(({ ended }) => ended));
    },
  };
}

/**
 * The same, but rejects as soon as the signal aborts. A check that is under way keeps its thread all the same: a tenant that
 * cancels gets no more threads by it.
 */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    onAbort(signal, () => reject(signal.reason));
    work.then(resolve, reject);
  });
}

type Execution<Input, Result> = Pick<Submission<Input, Result>, 'tenant' | 'work' | 'input' | 'budget'>;

/** About what it takes to copy an answer of very many values for a thread. A long text takes less. */
const HAND_OVER_MS = 5;

/** Makes one check in a thread, within the time that is left for it. */
async function execute<Input, Result>(
  { clock, limits, shares = UNSHARED, onOverLimit }: PoolParts,
  thread: CheckerThread,
  { tenant, work, input, budget }: Execution<Input, Result>,
): Promise<Result> {
  const done = new AbortController();
  let startedAt = clock.elapsed();
  try {
    await thread.ready;
    await shares.enter(tenant, HAND_OVER_MS);
    startedAt = clock.elapsed();
    const limitMs = Math.min(limits.seconds * 1_000, budget?.leftMs ?? Number.POSITIVE_INFINITY);
    if (limitMs <= 0) throw overTime(limits);
    const stop = () => (done.signal.aborted ? undefined : thread.stop(overTime(limits)));
    clock.sleep(limitMs, done.signal).then(stop, () => undefined);
    stopStarving(clock, thread, Math.min(LOOK_MS, limitMs / 4), done.signal).catch(() => undefined);
    const result = thread.run(work.name, input) as Promise<Result>;
    shares.charge(tenant, clock.elapsed() - startedAt);
    return await result;
  } catch (error) {
    if (error instanceof CheckOverLimit) onOverLimit?.();
    // The time in which it was not executed is not its own.
    if (error instanceof Starvation) startedAt = clock.elapsed();
    throw error;
  } finally {
    done.abort();
    if (budget) budget.leftMs -= clock.elapsed() - startedAt;
  }
}

/** A thread that is executed only while nothing else wants a processor is looked at so often, and has to get this part of the time. */
const LOOK_MS = 1_000;
const LEAST_PART = 0.05;
/** A look that comes so late was kept by this process itself, which stood still or was busy. It says nothing about the thread. */
const LATE = 1.2;
/** So long threads take part of a processor after one has hardly got any. */
const BUSY_MS = 300_000;

class Starvation extends Error {}

/** Stops a thread that hardly gets a processor. Its check is made again, in a thread that takes part of one. */
async function stopStarving(
  clock: Clock,
  thread: CheckerThread,
  lookMs: number,
  signal: AbortSignal,
): Promise<void> {
  for (let used = thread.idleMs(); used !== undefined; ) {
    const since = clock.elapsed();
    await clock.sleep(lookMs, signal);
    const [now, passedMs] = [thread.idleMs(), clock.elapsed() - since];
    const isStarved = now !== undefined && now - used < passedMs * LEAST_PART;
    if (isStarved && passedMs < lookMs * LATE) return thread.stop(new Starvation());
    used = now;
  }
}

const overTime = ({ seconds }: PoolLimits): CheckOverLimit =>
  new CheckOverLimit(
    `Checking took longer than ${seconds} s and was stopped. Simplify the patterns and schemas, or let the agent answer with less; the operator can raise limits.perTenant.checkSeconds.`,
  );
