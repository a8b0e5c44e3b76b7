type Listener<T> = (value: T) => void;

type Listeners<T> = {
  /** Returns the function that ends it. */
  add(topic: string, listener: Listener<T>): () => void;
  /** The value is made only when there is a listener. */
  notify(topic: string, value: () => T): void;
};

/** Passes on every single value, in order; `createWatchers` is for callers who only need to know that something changed. */
export function createListeners<T>(): Listeners<T> {
  const topics = new Map<string, Set<Listener<T>>>();
  return {
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
