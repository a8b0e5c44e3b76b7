import type { RunId } from '@touchstone/protocol';

type Listener = () => void;

export type Watchers = {
  watch(runId: RunId, listener: Listener): () => void;
  notify(runId: RunId): void;
  /** Wakes the listeners of this process alone. */
  notifyHere(runId: RunId): void;
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

  const notify = (runId: RunId): void => {
    if (!listeners.has(runId)) return;
    if (changed.size === 0) queueMicrotask(wake);
    changed.add(runId);
  };

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
    notify,
    notifyHere: notify,
  };
}

type ValueListener<T> = (value: T) => void;

type Listeners<T> = {
  /** Topics that are listened to. */
  readonly size: number;
  /** Returns the function that ends it. */
  add(topic: string, listener: ValueListener<T>): () => void;
  /** The value is made only when there is a listener. */
  notify(topic: string, value: () => T): void;
};

/** Passes on every single value, in order; `createWatchers` is for callers who only need to know that something changed. */
export function createListeners<T>(): Listeners<T> {
  const topics = new Map<string, Set<ValueListener<T>>>();
  return {
    get size() {
      return topics.size;
    },
    add(topic, listener) {
      // Wrapped, so that the same function added twice listens twice, with an end each.
      const entry = (value: T) => listener(value);
      const set = topics.get(topic) ?? new Set();
      topics.set(topic, set.add(entry));
      return () => {
        set.delete(entry);
        if (set.size === 0 && topics.get(topic) === set) topics.delete(topic);
      };
    },
    notify(topic, value) {
      const set = topics.get(topic);
      if (!set) return;
      const made = value();
      // Each in its own microtask: a listener that throws fails by itself and not the write.
      for (const entry of set) queueMicrotask(() => set.has(entry) && entry(made));
    },
  };
}
