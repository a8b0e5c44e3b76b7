import { HostResponseError, isTransient } from './errors.js';

/** When to try again: after a lost connection, 408, 429, 5xx, or `idempotency_in_flight`. */
export type RetryOptions = {
  /** Tries of one request in all, the first included; 5 when absent. 1 switches retrying off. */
  readonly attempts?: number;
  /**
   * Connections in a row that bring nothing before a stream gives up; 12 when absent. A restarting host needs more
   * than a request.
   */
  readonly streamAttempts?: number;
  /**
   * The pause after the first failure, in milliseconds; 250 when absent. It doubles with each further failure, and up
   * to half of it is random.
   */
  readonly baseDelayMs?: number;
  /** The longest pause, in milliseconds; 10,000 when absent. */
  readonly maxDelayMs?: number;
  /**
   * A host that asks for a longer pause than this many milliseconds is not waited for: its refusal is thrown. 60,000
   * when absent.
   */
  readonly maxRetryAfterMs?: number;
  /** Waits for that many milliseconds, or rejects when the signal aborts; a timer when absent. Replaced in tests. */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** A number from 0 up to, not including, 1; `Math.random` when absent. */
  readonly random?: () => number;
};
/** The options with every default filled in. */
export type Retry = Required<RetryOptions>;

/** Fills in the defaults. */
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
