import type { Owner } from '@touchstone/protocol';
import { type Checker, type Clock, type RunOrigin, type ThreadShares, UNSHARED } from '../../ports/index.js';
import type { Config } from '../config/config.js';
import type { LimitCounts } from '../limit-counts.js';
import { createThreadPool, type PoolParts, type TimeBudget, threadLimits } from './thread-pool.js';
import { createTurn } from './turn.js';

/** Checks of content, for every tenant its own share: cheap ones are made at once, all others in a few threads. */
export type Checkers = {
  /** For the tasks of a run. */
  forRun(owner: Owner): Checker;
  /** For one request of a caller, who waits: it takes turns with runs, and all of its checks have the time of one. */
  forRequest(owner: Owner): Checker;
  close(): Promise<void>;
};

/** Too little to be counted. */
const FREE_US = 5;
/** At most so much is done at once, in the thread that serves everybody. */
const AT_ONCE_US = 5_000;

export function createCheckers(parts: PoolParts): Checkers {
  const { clock, limits, shares = UNSHARED } = parts;
  const turn = createTurn(clock);
  const pool = createThreadPool(parts);

  const checker =
    (tenant: string, budget?: TimeBudget): Checker =>
    (work, input, costUs, signal) => {
      if (costUs <= FREE_US) return work.run(input);
      if (costUs <= AT_ONCE_US && turn.hasTime())
        return turn.spend(
          costUs,
          () => work.run(input),
          (ms) => shares.charge(tenant, ms),
        );
      const group = budget ? 'requests' : 'runs';
      return pool.submit({
        tenant,
        group,
        work,
        input,
        ...(budget && { budget }),
        ...(signal && { signal }),
      });
    };

  return {
    forRun: ({ tenant }) => checker(tenant),
    forRequest: ({ tenant }) => checker(tenant, { leftMs: limits.seconds * 1_000 }),
    close: pool.close,
  };
}

type HostParts = {
  readonly config: Config;
  readonly clock: Clock;
  readonly origin: RunOrigin;
  readonly limitCounts: LimitCounts;
  readonly shares: ThreadShares;
};

/** The checkers of a host or of a command, with what the configuration gives a tenant. */
export function openCheckers({ config, clock, origin, limitCounts, shares }: HostParts): Checkers {
  const { checkThreads, checkSeconds } = config.limits.perTenant;
  return createCheckers({
    clock,
    limits: { ...threadLimits(origin, checkThreads), seconds: checkSeconds },
    onWait: () => limitCounts.reached('checkThreads'),
    shares,
    onOverLimit: () => limitCounts.reached('checkSeconds'),
  });
}
