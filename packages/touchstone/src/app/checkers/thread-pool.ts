import { availableParallelism } from 'node:os';
import { CheckOverLimit, type CheckWork, type Clock, type RunOrigin } from '../../ports/index.js';
import { type CheckerThread, startCheckerThread } from './checker-thread.js';
import { createFairQueue } from './fair-queue.js';

export type PoolLimits = {
  readonly threads: number;
  /** Threads that one tenant may use at a time. */
  readonly threadsPerTenant: number;
  /** How long one check may take in a thread. */
  readonly seconds: number;
};

/**
 * A host has one thread more than a tenant may use, so that no tenant ever has them all. On the command line there is one
 * tenant, and nobody to leave a thread to.
 */
export function poolLimits(
  origin: RunOrigin,
  perTenant: number,
): Pick<PoolLimits, 'threads' | 'threadsPerTenant'> {
  if (origin === 'host') return { threads: perTenant + 1, threadsPerTenant: perTenant };
  const threads = Math.max(1, availableParallelism() - 1);
  return { threads, threadsPerTenant: threads };
}

export type PoolParts = {
  readonly clock: Clock;
  readonly limits: PoolLimits;
  readonly start?: () => CheckerThread;
  /** Called when a check has to wait because its tenant uses as many threads as it may. */
  readonly onWait?: () => void;
  /** Called when a check was stopped. */
  readonly onOverLimit?: () => void;
};

/** What is left of the time of several checks. */
export type TimeBudget = { leftMs: number };

type Submission<Input, Result> = {
  readonly tenant: string;
  readonly work: CheckWork<Input, Result>;
  readonly input: Input;
  /** Given for a caller who waits, who goes before the others of the tenant. */
  readonly budget?: TimeBudget;
  readonly signal?: AbortSignal;
};
type Job = {
  readonly submission: Submission<unknown, unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
};

/** A few threads for the checks of all tenants, who get them in turns. */
export type ThreadPool = {
  submit<Input, Result>(submission: Submission<Input, Result>): Promise<Result>;
  /** How many checks of the tenant wait for a thread. */
  waiting(tenant: string): number;
  close(): Promise<void>;
};

/** `onMoved` is called when a check of the tenant waits no longer. */
export function createThreadPool(parts: PoolParts, onMoved: (tenant: string) => void): ThreadPool {
  const { limits, start = () => startCheckerThread() } = parts;
  const queue = createFairQueue<Job>(limits.threadsPerTenant);
  const threads = new Set<CheckerThread>();
  const idle: CheckerThread[] = [];
  let closing: Error | undefined;

  const launch = (): CheckerThread => {
    const thread = start();
    threads.add(thread);
    void thread.ended.then(() => threads.delete(thread));
    return thread;
  };

  const hasThread = (): boolean => {
    while (idle.at(-1)?.isAlive() === false) idle.pop();
    return idle.length > 0 || threads.size < limits.threads;
  };

  const dispatch = (): void => {
    while (!closing && hasThread()) {
      const next = queue.next();
      if (!next) return;
      onMoved(next.tenant);
      const thread = idle.pop() ?? launch();
      void execute(parts, thread, next.job).then(() => {
        queue.done(next.tenant);
        if (thread.isAlive()) idle.push(thread);
        dispatch();
      });
    }
  };

  return {
    submit: <Input, Result>(submission: Submission<Input, Result>) =>
      new Promise<Result>((resolve, reject) => {
        const { tenant, signal, budget } = submission;
        signal?.throwIfAborted();
        if (closing) throw closing;
        const heed = heeding(signal, () => {
          queue.remove(tenant, job);
          onMoved(tenant);
          reject(signal?.reason);
        });
        const job: Job = {
          submission: submission as Submission<unknown, unknown>,
          resolve: heed(resolve as (result: unknown) => void),
          reject: heed(reject),
        };
        if (queue.isFull(tenant)) parts.onWait?.();
        queue.add(tenant, job, budget !== undefined);
        dispatch();
      }),
    waiting: queue.waiting,
    async close() {
      closing = new Error('The host is closing.');
      for (const job of queue.drain()) job.reject(closing);
      for (const thread of threads) thread.stop(closing);
      await Promise.all([...threads].map(({ ended }) => ended));
    },
  };
}

/**
 * Calls `giveUp` when the signal aborts, until the first of the returned functions is called. A check that is under way is brought
 * to its end all the same: a tenant that cancels gets no more threads by it.
 */
function heeding(signal: AbortSignal | undefined, giveUp: () => void) {
  signal?.addEventListener('abort', giveUp, { once: true });
  return <Value>(settle: (value: Value) => void) =>
    (value: Value): void => {
      signal?.removeEventListener('abort', giveUp);
      settle(value);
    };
}

/** Makes one check in a thread, within the time that is left for it. */
async function execute(
  { clock, limits, onOverLimit }: PoolParts,
  thread: CheckerThread,
  { submission: { work, input, budget }, resolve, reject }: Job,
): Promise<void> {
  const done = new AbortController();
  let startedAt = clock.elapsed();
  try {
    await thread.ready;
    startedAt = clock.elapsed();
    const limitMs = Math.min(limits.seconds * 1_000, budget?.leftMs ?? Number.POSITIVE_INFINITY);
    if (limitMs <= 0) throw overTime(limits);
    const stop = () => (done.signal.aborted ? undefined : thread.stop(overTime(limits)));
    clock.sleep(limitMs, done.signal).then(stop, () => undefined);
    resolve(await thread.run(JSON.stringify([work.name, input])));
  } catch (error) {
    if (error instanceof CheckOverLimit) onOverLimit?.();
    reject(error);
  } finally {
    done.abort();
    if (budget) budget.leftMs -= clock.elapsed() - startedAt;
  }
}

const overTime = ({ seconds }: PoolLimits): CheckOverLimit =>
  new CheckOverLimit(
    `Checking took longer than ${seconds} s and was stopped. Simplify the patterns and schemas, or let the agent answer with less; the operator can raise limits.perTenant.checkSeconds.`,
  );
