import { setMaxListeners } from 'node:events';
import type { Clock } from '../../ports/index.js';

export type Bursts<T> = {
  /** What has the same key as something that was sent a moment ago waits, and is sent once however often it was added. */
  add(key: string, value: T): void;
  close(): void;
};

/** Sends the first of each key at once and the rest of them every so often; what falls into one turn is sent together. */
export function createBursts<T>(
  clock: Pick<Clock, 'sleep'>,
  everyMs: (value: T) => number,
  send: (values: readonly T[]) => void,
): Bursts<T> {
  const closing = new AbortController();
  // Every key that was sent a moment ago listens for the end.
  setMaxListeners(0, closing.signal);
  /** By key, what came since it was sent last. */
  const recent = new Map<string, { next: T | undefined }>();
  let outgoing: T[] = [];

  const sendSoon = (value: T): void => {
    if (outgoing.length === 0)
      queueMicrotask(() => {
        const values = outgoing;
        outgoing = [];
        if (!closing.signal.aborted) send(values);
      });
    outgoing.push(value);
  };
  const begin = async (key: string, first: T): Promise<void> => {
    const entry: { next: T | undefined } = { next: first };
    recent.set(key, entry);
    while (entry.next !== undefined) {
      const value = entry.next;
      entry.next = undefined;
      sendSoon(value);
      await clock.sleep(everyMs(value), closing.signal).catch(() => undefined);
    }
    recent.delete(key);
  };
  return {
    add(key, value) {
      const entry = recent.get(key);
      if (entry) entry.next = value;
      else if (!closing.signal.aborted) void begin(key, value);
    },
    close: () => closing.abort(),
  };
}
