import { createDeferred, onAbort } from '../../net/index.js';
import type { Clock } from '../../ports/index.js';

export const TIMED_OUT = Symbol('it took too long');

/** Work that ends after `timeoutMs` at the latest, as TIMED_OUT, and with the signal; what it has begun is aborted then. */
export async function withinTime<T>(
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal,
  work: (over: AbortSignal) => Promise<T>,
): Promise<T | typeof TIMED_OUT> {
  signal.throwIfAborted();
  const over = new AbortController();
  const interruption = createDeferred<typeof TIMED_OUT>();
  const stopListening = onAbort(signal, () => interruption.reject(signal.reason));
  const timer = clock.sleep(timeoutMs, over.signal).then(
    () => interruption.resolve(TIMED_OUT),
    () => undefined,
  );
  try {
    return await Promise.race([interruption.promise, work(over.signal)]);
  } finally {
    stopListening();
    over.abort();
    await timer;
  }
}

/** The promise's value, unless the signal is first. What the promise stands for is shared and goes on. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const interruption = createDeferred<never>();
  const stopListening = onAbort(signal, () => interruption.reject(signal.reason));
  try {
    return await Promise.race([interruption.promise, promise]);
  } finally {
    stopListening();
  }
}
