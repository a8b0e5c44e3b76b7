import { HostError } from '@touchstone/protocol';

/** Does a piece of work when it is its turn. Whoever leaves while waiting has nothing done. */
type Line = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** Lets so many work at once. The others wait, first come, first served. */
export function createLine(atOnce: number): Line {
  const waiting = new Set<() => void>();
  let working = 0;

  const turn = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting.delete(begin);
        reject(gone());
      };
      const begin = (): void => {
        waiting.delete(begin);
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      signal?.addEventListener('abort', leave, { once: true });
      waiting.add(begin);
    });
  /** The place goes to the next one, without being free in between. */
  const pass = (): void => {
    const [next] = waiting;
    if (next) next();
    else working -= 1;
  };

  return async (work, signal) => {
    checkStillThere(signal);
    if (working < atOnce) working += 1;
    else await turn(signal);
    try {
      return await work();
    } finally {
      pass();
    }
  };
}

/** Throws when nobody waits for the answer any more. */
export function checkStillThere(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw gone();
}

const gone = (): HostError =>
  new HostError('unavailable', 'The bundle was given up: its caller has left, or the host is closing.');
