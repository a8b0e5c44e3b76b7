import { createContext, Script } from 'node:vm';
import { processorMs } from '../net/index.js';

/** Foreign work was stopped because it took too long. */
export class TookTooLong extends Error {}

const bounded: { work: (() => void) | undefined } = { work: undefined };
let boundedCall: ((timeoutMs: number) => void) | undefined;

/**
 * Runs synchronous work under a watchdog that can interrupt it at any point; costs a tenth of a millisecond. What the
 * work was changing when it was interrupted must not be used again. Bounded work may itself ask for bounded work.
 */
export function runBounded<T>(timeoutMs: number, work: () => T): T {
  boundedCall ??= prepareBoundedCall();
  const outer = bounded.work;
  let done: { readonly value: T } | undefined;
  bounded.work = () => {
    done = { value: work() };
  };
  try {
    boundedCall(timeoutMs);
  } catch (error) {
    throw isTimeout(error) ? new TookTooLong() : error;
  } finally {
    bounded.work = outer;
  }
  if (!done) throw new TookTooLong();
  return done.value;
}

/** Part of the time that interrupted work has to have used to be too long, and how much longer it gets at most. */
const ENOUGH = 0.8;
const MOST = 16;

/**
 * For work in a thread that may hardly get a processor: what counts is the time of the processor. Work that was interrupted
 * before it had that much is begun anew, with more time.
 */
export function withinProcessorTime<T>(
  limitMs: number,
  work: (timeoutMs: number) => T,
  now: () => number | undefined = processorMs,
): T {
  for (let timeoutMs = limitMs; ; timeoutMs *= 4) {
    const before = now() ?? 0;
    try {
      return work(timeoutMs);
    } catch (error) {
      const usedMs = (now() ?? Number.POSITIVE_INFINITY) - before;
      const isLast = usedMs >= limitMs * ENOUGH || timeoutMs >= limitMs * MOST;
      if (isLast || !(error instanceof TookTooLong)) throw error;
    }
  }
}

function prepareBoundedCall(): (timeoutMs: number) => void {
  const script = new Script('bounded.work()');
  const context = createContext({ bounded });
  return (timeout) => void script.runInContext(context, { timeout });
}

const isTimeout = (error: unknown): boolean =>
  (error as { readonly code?: unknown } | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
