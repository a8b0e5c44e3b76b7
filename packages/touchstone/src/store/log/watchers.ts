import type { RunId } from '@touchstone/protocol';

type Listener = () => void;

export type Watchers = {
  watch(runId: RunId, listener: Listener): () => void;
  notify(runId: RunId): void;
};

/** Wakes the listeners that wait for a run's next event. Commits that became durable together wake a listener once. */
export function createWatchers(): Watchers {
  const listeners = new Map<RunId, Set<Listener>>();
  let changed = new Set<RunId>();

  function wake(): void {
    const woken = changed;
    changed = new Set();
    // Each in its own microtask: a listener that throws fails by itself and not the commit.
    for (const runId of woken) for (const listener of listeners.get(runId) ?? []) queueMicrotask(listener);
  }

  return {
    watch(runId, listener) {
      // Wrapped, so that watching twice with the same function makes two watches with an end each.
      const entry = () => listener();
      const set = listeners.get(runId) ?? new Set();
      listeners.set(runId, set.add(entry));
      return () => {
        set.delete(entry);
        if (set.size === 0 && listeners.get(runId) === set) listeners.delete(runId);
      };
    },
    notify(runId) {
      if (!listeners.has(runId)) return;
      if (changed.size === 0) queueMicrotask(wake);
      changed.add(runId);
    },
  };
}
