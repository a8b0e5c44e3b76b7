import type { Owner } from '@touchstone/protocol';
import type { Checker } from '../../ports/index.js';
import { type Admission, createAdmission } from './admission.js';
import { createThreadPool, type PoolParts, type TimeBudget } from './thread-pool.js';
import { createTurn } from './turn.js';

/** Checks of content, for every tenant its own share: cheap ones are made at once, all others in a few threads. */
export type Checkers = Pick<Admission, 'admit'> & {
  /** For the tasks of a run. */
  forRun(owner: Owner): Checker;
  /** For one request of a caller, who waits: it goes before runs, and all of its checks together have the time of one. */
  forRequest(owner: Owner): Checker;
  close(): Promise<void>;
};

/** Too little to be counted. */
const FREE_US = 50;
/** At most so much is done at once, in the thread that serves everybody. */
const AT_ONCE_US = 5_000;

export function createCheckers(parts: PoolParts): Checkers {
  const { clock, limits } = parts;
  const turn = createTurn(clock);
  const pool = createThreadPool(parts, (tenant) => admission.moved(tenant));
  const admission = createAdmission(pool.waiting);

  const checker =
    (tenant: string, budget?: TimeBudget): Checker =>
    (work, input, costUs, signal) => {
      if (costUs <= FREE_US) return work.run(input);
      if (costUs <= AT_ONCE_US && turn.hasTime()) return turn.spend(() => work.run(input));
      return pool.submit({ tenant, work, input, ...(budget && { budget }), ...(signal && { signal }) });
    };

  return {
    forRun: ({ tenant }) => checker(tenant),
    forRequest: ({ tenant }) => checker(tenant, { leftMs: limits.seconds * 1_000 }),
    admit: admission.admit,
    close: pool.close,
  };
}
