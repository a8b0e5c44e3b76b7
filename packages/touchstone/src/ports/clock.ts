/** The time. Every part gets it handed in, so that a test can move it. */
export type Clock = {
  /** Wall clock, milliseconds since the epoch. */
  now(): number;
  /** Monotonic milliseconds, for durations. */
  elapsed(): number;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};
