import type { BucketLimits, Clock, Paces } from '../ports/index.js';
import { unlessAborted } from './concurrency.js';

/** A declared limit, as those see it who keep to it. */
export type Bucket = {
  /** Takes one, as soon as there is one. */
  take(signal: AbortSignal): Promise<void>;
  /** Waits until something is left, and takes nothing: what it costs is known afterwards. */
  wait(signal: AbortSignal): Promise<void>;
  /** Takes so much, whether it is left or not. Who comes next waits until it is made up for. */
  spend(amount: number): void;
};

type BucketParts = {
  readonly clock: Pick<Clock, 'sleep'>;
  /** Where the limit is kept, for all processes that share it. */
  readonly take: Paces['take'];
};

export type BucketOf = (name: string, perMinute: number) => Bucket;

/** The same bucket for everybody in this process who names it. */
export function createBuckets(parts: BucketParts): BucketOf {
  const buckets = new Map<string, Bucket>();
  return (name, perMinute) => {
    const bucket = buckets.get(name) ?? createBucket(parts, name, perMinute);
    buckets.set(name, bucket);
    return bucket;
  };
}

/** A provider counts a minute however it is spent; a burst of a tenth of it goes beyond its limit by no more than that. */
const BURST = 10;
const AGAIN_MS = 250;
const LONGEST_WAIT_MS = 1_000;

/** Takes a second's worth at a time, so that few calls ask for what is left. */
function createBucket({ clock, take }: BucketParts, name: string, perMinute: number): Bucket {
  const limits: BucketLimits = { perMinute, atOnce: Math.max(1, perMinute / BURST) };
  let left = 0;
  let asking: Promise<void> | undefined;
  const ask = async (): Promise<void> => {
    const wanted = Math.max(1, perMinute / 60) - Math.min(0, left);
    // A store that is away does not let anybody go beyond a limit.
    const { taken, waitMs } = await take(name, limits, wanted).catch(() => ({ taken: 0, waitMs: AGAIN_MS }));
    left += taken;
    if (taken === 0) await clock.sleep(Math.min(waitMs, LONGEST_WAIT_MS));
  };
  const until = async (mayGoOn: () => boolean, signal: AbortSignal): Promise<void> => {
    while (!mayGoOn()) {
      signal.throwIfAborted();
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      await unlessAborted(asking, signal);
    }
  };
  return {
    take: (signal) =>
      until(() => {
        if (left < 1) return false;
        left -= 1;
        return true;
      }, signal),
    wait: (signal) => until(() => left > 0, signal),
    spend(amount) {
      left -= amount;
    },
  };
}

const MINUTE_MS = 60_000;

/** Buckets of this process alone. */
export function createOwnBuckets(clock: Pick<Clock, 'elapsed'>): Paces['take'] {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return async (name, { perMinute, atOnce }, wanted) => {
    const now = clock.elapsed();
    const { tokens, at } = buckets.get(name) ?? { tokens: atOnce, at: now };
    const filled = Math.min(atOnce, tokens + ((now - at) * perMinute) / MINUTE_MS);
    const taken = filled < 1 ? 0 : Math.min(filled, wanted);
    buckets.set(name, { tokens: filled - taken, at: now });
    return { taken, waitMs: taken > 0 ? 0 : Math.ceil(((1 - filled) * MINUTE_MS) / perMinute) };
  };
}
