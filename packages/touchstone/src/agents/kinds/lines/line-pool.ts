import { createDeferred, type Deferred, onAbort } from '../../../net/index.js';
import type { LineProcess } from './line-process.js';

/** So many processes at most, each lent to one user at a time. They start when they are needed. */
export type LinePool = {
  /** Rejects when the signal aborts; undefined when the pool is closed. */
  take(signal: AbortSignal): Promise<LineProcess | undefined>;
  /** A process that is not fit for the next user is ended, and another one is started when it is needed. */
  release(process: LineProcess, isFit: boolean): void;
  close(): Promise<void>;
};

type Waiter = Deferred<LineProcess | undefined>;

export function createLinePool(most: number, start: () => LineProcess): LinePool {
  const alive = new Set<LineProcess>();
  const free: LineProcess[] = [];
  const endings = new Set<Promise<void>>();
  let waiters: Waiter[] = [];
  let isClosed = false;

  const end = (process: LineProcess): void => {
    alive.delete(process);
    const ending = process.kill().finally(() => endings.delete(ending));
    endings.add(ending);
  };
  /** One that is free and still fit, or a new one while there is room. */
  const next = (): LineProcess | undefined => {
    for (let process = free.pop(); process; process = free.pop()) {
      if (process.isIdle) return process;
      end(process);
    }
    if (alive.size >= most) return undefined;
    const fresh = start();
    alive.add(fresh);
    return fresh;
  };

  return {
    async take(signal) {
      signal.throwIfAborted();
      if (isClosed) return undefined;
      const process = next();
      if (process) return process;
      const waiter: Waiter = createDeferred();
      waiters.push(waiter);
      const stopListening = onAbort(signal, () => {
        waiters = waiters.filter((other) => other !== waiter);
        waiter.reject(signal.reason);
      });
      return waiter.promise.finally(stopListening);
    },
    release(process, isFit) {
      if (!alive.has(process)) return;
      if (isFit && process.isIdle) free.push(process);
      else end(process);
      if (waiters.length > 0) waiters.shift()?.resolve(next());
    },
    async close() {
      isClosed = true;
      for (const waiter of waiters) waiter.resolve(undefined);
      waiters = [];
      for (const process of alive) end(process);
      await Promise.all(endings);
    },
  };
}
