import type { Clock } from '../ports/index.js';
import type { Bucket, BucketOf } from './buckets.js';
import { createDeferred, unlessAborted } from './concurrency.js';
import { NO_OTHERS, type SharedPaces, watchOthers } from './other-processes.js';

/**
 * The rate at which one provider is asked, shared by all its callers. Unlimited until the provider objects: a 429
 * halves how many requests may be open at once, each success lets it grow a little, and a `Retry-After` holds all
 * requests back until it is over.
 */
export type Pace = {
  /** Resolves when a request may start, with the ticket to hand back at its end. */
  enter(signal: AbortSignal): Promise<Ticket>;
  holdFor(ms: number): void;
};
export type Ticket = { leave(result: 'success' | 'limited' | 'other'): void };

/** By who shares a limit and by origin. The limit that the provider has declared is kept to, beside what it objects to. */
export type PaceOf = (origin: string, requestsPerMinute?: number) => Pace;

type PacesOptions = {
  /** Without it, each process goes by what it has met itself. */
  readonly shared?: SharedPaces | undefined;
  readonly bucketOf?: BucketOf;
};

export function createPaces(clock: Clock, { shared, bucketOf }: PacesOptions = {}): PaceOf {
  const paces = new Map<string, Pace>();
  return (origin, requestsPerMinute) => {
    const pace = paces.get(origin) ?? createPace(clock, origin, shared);
    paces.set(origin, pace);
    if (requestsPerMinute === undefined || !bucketOf) return pace;
    return withinLimit(pace, bucketOf(`requests ${origin}`, requestsPerMinute));
  };
}

const withinLimit = (pace: Pace, bucket: Bucket): Pace => ({
  ...pace,
  async enter(signal) {
    await bucket.take(signal);
    return pace.enter(signal);
  },
});

// A timer cannot be set further ahead than 24 days; longer holds are slept in pieces.
const LONGEST_SLEEP_MS = 86_400_000;

function createPace(clock: Clock, name: string, shared: SharedPaces | undefined): Pace {
  const waiters = new Set<() => void>();
  let heldUntil = Number.NEGATIVE_INFINITY;
  let limit = Number.POSITIVE_INFINITY;
  let open = 0;
  /** Requests that were already open at the last halving say nothing new: a burst of refusals is one refusal. */
  let halvings = 0;

  function wake(): void {
    let free = Math.floor(limit) - open;
    for (const waiter of waiters) {
      if (free < 1) return;
      free -= 1;
      waiters.delete(waiter);
      waiter();
    }
  }

  function halve(): void {
    limit = Math.max(1, Math.floor(Math.min(limit, open) / 2));
    halvings += 1;
  }

  const hold = (ms: number): void => {
    heldUntil = Math.max(heldUntil, clock.elapsed() + ms);
  };
  const others = shared ? watchOthers({ clock, name, shared }, { hold, halve }) : NO_OTHERS;

  function issueTicket(): Ticket {
    const issuedAt = halvings;
    open += 1;
    return {
      leave(result) {
        if (result === 'limited' && issuedAt === halvings) {
          halve();
          others.tellRefusal();
        }
        if (result === 'success') limit += 1 / limit;
        open -= 1;
        wake();
      },
    };
  }

  async function enter(signal: AbortSignal): Promise<Ticket> {
    try {
      for (;;) {
        signal.throwIfAborted();
        const looking = others.look();
        if (looking) await looking;
        const holdMs = heldUntil - clock.elapsed();
        if (holdMs > 0) await clock.sleep(Math.min(holdMs, LONGEST_SLEEP_MS), signal);
        else if (open < Math.floor(limit)) return issueTicket();
        else await untilWoken(waiters, signal);
      }
    } catch (error) {
      // The caller that gives up may have been the one that was woken; the place goes to the next.
      wake();
      throw error;
    }
  }

  return {
    enter,
    holdFor(ms) {
      hold(ms);
      others.tellHold(ms);
    },
  };
}

async function untilWoken(waiters: Set<() => void>, signal: AbortSignal): Promise<void> {
  const turn = createDeferred<void>();
  waiters.add(turn.resolve);
  try {
    await unlessAborted(turn.promise, signal);
  } finally {
    waiters.delete(turn.resolve);
  }
}
