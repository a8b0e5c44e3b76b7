import type { RunId } from '@touchstone/protocol';

/** Listeners by run. Publishing to nobody costs a map look-up. */
export type Feed<Args extends unknown[]> = {
  subscribe(runId: RunId, listener: (...args: Args) => void): () => void;
  publish(runId: RunId, ...args: Args): void;
};

export function createFeed<Args extends unknown[]>(): Feed<Args> {
  const listeners = new Map<RunId, Set<(...args: Args) => void>>();
  return {
    subscribe(runId, listener) {
      const all = listeners.get(runId) ?? new Set();
      listeners.set(runId, all.add(listener));
      return () => {
        all.delete(listener);
        if (all.size === 0) listeners.delete(runId);
      };
    },
    publish(runId, ...args) {
      for (const listener of listeners.get(runId) ?? []) listener(...args);
    },
  };
}
