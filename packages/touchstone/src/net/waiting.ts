/** Runs a piece of work during which neither the latency nor the timeout of an invocation counts. */
export type Waiting = <T>(wait: () => Promise<T>) => Promise<T>;

const waits = new WeakMap<AbortSignal, Waiting>();

/**
 * What waits on behalf of an invocation finds out by its signal how to wait. A request passes through packages of
 * providers, which hand on the signal and nothing else of ours.
 */
export const setWaiting = (signal: AbortSignal, waiting: Waiting): void => void waits.set(signal, waiting);

export const waitingOf = (signal: AbortSignal | undefined): Waiting =>
  (signal && waits.get(signal)) ?? ((wait) => wait());
