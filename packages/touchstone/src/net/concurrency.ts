import type { Clock } from '../ports/index.js';
import { FreeList } from './free-list.js';

/** A promise settled from outside. Node 20 has no `Promise.withResolvers`. */
export type Deferred<T> = {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(reason: unknown): void;
};

export function createDeferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

type Callbacks = FreeList<() => void>;

const fanOuts = new WeakMap<AbortSignal, Callbacks>();

/**
 * Calls back when the signal aborts; returns the function that stops listening. A run's signal is shared by all its
 * invocations, and Node warns of a leak from the eleventh listener on, so each signal gets one listener that fans out.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal) return () => undefined;
  const callbacks = fanOuts.get(signal) ?? startFanOut(signal);
  let index: number | undefined = callbacks.add(callback);
  return () => {
    if (index !== undefined) callbacks.remove(index);
    index = undefined;
  };
}

function startFanOut(signal: AbortSignal): Callbacks {
  const callbacks: Callbacks = new FreeList();
  const callAll = () => {
    for (const callback of [...callbacks]) callback();
  };
  signal.addEventListener('abort', callAll, { once: true });
  fanOuts.set(signal, callbacks);
  return callbacks;
}

/** The promise's value, unless the signal aborts first. The work behind the promise is shared and continues. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  signal?.throwIfAborted();
  const interruption = createDeferred<never>();
  const stopListening = onAbort(signal, () => interruption.reject(signal?.reason));
  try {
    return await Promise.race([interruption.promise, promise]);
  } finally {
    stopListening();
  }
}

export const TIMED_OUT = Symbol('timed out');

/** Ends work after `timeoutMs`, with TIMED_OUT, or when the signal aborts; `over` then aborts what the work has begun. */
export async function withinTime<T>(
  clock: Clock,
  timeoutMs: number,
  work: (over: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
): Promise<T | typeof TIMED_OUT> {
  signal?.throwIfAborted();
  const over = new AbortController();
  const timedOut = (): typeof TIMED_OUT => TIMED_OUT;
  const timer = clock.sleep(timeoutMs, over.signal).then(timedOut, timedOut);
  try {
    return await unlessAborted(Promise.race([timer, work(over.signal)]), signal);
  } finally {
    over.abort();
    await timer;
  }
}

export type Semaphore = {
  /** Runs the work when a place is free, first come, first served. Rejects when the signal aborts before that. */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
};

export function createSemaphore(places: number): Semaphore {
  const waiting = new Set<() => void>();
  let working = 0;

  async function enter(signal: AbortSignal | undefined): Promise<void> {
    const turn = createDeferred<void>();
    waiting.add(turn.resolve);
    try {
      await unlessAborted(turn.promise, signal);
    } catch (error) {
      // Without a place in the queue the turn has already been given, so it goes to the next one.
      if (!waiting.delete(turn.resolve)) leave();
      throw error;
    }
  }

  /** Hands the place to the next one in the queue, without being free in between. */
  function leave(): void {
    const [next] = waiting;
    if (!next) working -= 1;
    else {
      waiting.delete(next);
      next();
    }
  }

  return {
    async run(work, signal) {
      signal?.throwIfAborted();
      if (working < places) working += 1;
      else await enter(signal);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
