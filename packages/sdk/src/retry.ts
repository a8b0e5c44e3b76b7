import { HostResponseError, isTransient } from './errors.js';

export type RetryOptions = {
  /** Tries in all, the first included. 1 switches retrying off. */
  readonly attempts?: number;
  /** Connections in a row that bring nothing before a stream gives up; a restarting host needs more than a request. */
  readonly streamAttempts?: number;
  /** The pause after the first failure, in milliseconds; it doubles with each further one. */
  readonly baseDelayMs?: number;
  /** The longest pause, in milliseconds. */
  readonly maxDelayMs?: number;
  /** A host that asks for a longer pause than this is not waited for: its refusal is thrown. */
  readonly maxRetryAfterMs?: number;
  /** Replaced in tests. */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
};
export type Retry = Required<RetryOptions>;

export const createRetry = (options: RetryOptions = {}): Retry => ({
  attempts: options.attempts ?? 5,
  streamAttempts: options.streamAttempts ?? 12,
  baseDelayMs: options.baseDelayMs ?? 250,
  maxDelayMs: options.maxDelayMs ?? 10_000,
  maxRetryAfterMs: options.maxRetryAfterMs ?? 60_000,
  sleep: options.sleep ?? sleep,
  random: options.random ?? Math.random,
});

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(finish, ms);
    signal?.addEventListener('abort', finish, { once: true });
    function finish(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', finish);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    }
  });
}

/** Doubling, with up to half of it left to chance so that many clients of a restarted host do not return as one. */
export function backoffMs(retry: Retry, failures: number): number {
  const full = Math.min(retry.maxDelayMs, retry.baseDelayMs * 2 ** (failures - 1));
  return full * (0.5 + retry.random() / 2);
}

/** Waits before the next try, or throws `error` when there is to be none. */
export async function pauseOrThrow(
  retry: Retry,
  error: unknown,
  failures: number,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  if (!isTransient(error) || failures >= retry.attempts) throw error;
  const asked = error instanceof HostResponseError ? (error.retryAfterMs ?? 0) : 0;
  if (asked > retry.maxRetryAfterMs) throw error;
  await retry.sleep(Math.max(asked, backoffMs(retry, failures)), signal);
}
