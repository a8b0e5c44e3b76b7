/**
 * Calls back when the signal aborts; returns the way to stop listening. A run's signal is shared by all its
 * invocations, and Node warns of a leak from the eleventh listener on, so each signal gets one listener that fans out.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  let callbacks = fanOuts.get(signal);
  if (!callbacks) {
    callbacks = startFanOut(signal);
    fanOuts.set(signal, callbacks);
  }
  const all = callbacks;
  all.add(callback);
  return () => all.delete(callback);
}

const fanOuts = new WeakMap<AbortSignal, Set<() => void>>();

function startFanOut(signal: AbortSignal): Set<() => void> {
  const callbacks = new Set<() => void>();
  const callAll = () => {
    for (const callback of [...callbacks]) callback();
  };
  signal.addEventListener('abort', callAll, { once: true });
  return callbacks;
}
