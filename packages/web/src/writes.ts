const listeners = new Set<() => void>();

/** Calls when this page has changed something on the host. Gives back how to end that. */
export function onWrite(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function tellWritten(): void {
  for (const listener of listeners) listener();
}
