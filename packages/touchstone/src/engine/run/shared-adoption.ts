import type { Owner, RunId } from '@touchstone/protocol';
import type { Parts } from '../parts.js';
import { isUnseen } from '../work/presence.js';
import type { Adoption } from './adoption.js';
import { createTenantTurns } from './tenant-turns.js';

/** The head of each tenant's line is enough: one run is taken at a time. */
const LISTED = 10;
/** A process looks later the more runs it has, so that those who have less to do come first; but at once when one has ended. */
const PER_RUN_MS = 50;
const LATEST_MS = 500;
/** A run that is not to be executed here is left to others for a while. */
const PASSED_MS = 5_000;

/**
 * Takes up runs that several processes share: one at a time, then it looks again. What waits is spread by that over
 * all of them, and no process has to know the others.
 */
export function createSharedAdoption(
  { store, clock, log, works, sharing }: Pick<Parts, 'store' | 'clock' | 'log' | 'works' | 'sharing'>,
  activeRuns: ReadonlyMap<RunId, unknown>,
  driveSoon: (owner: Owner, runId: RunId) => void,
): Adoption {
  const passed = new Map<RunId, number>();
  const turns = createTenantTurns();
  let looking: Promise<void> | undefined;
  let isWanted = false;
  let leftSomeBehind = false;
  let closing = false;
  let endWait: () => void = () => undefined;

  /** False when nothing is left that this process could take. */
  const takeOne = async (): Promise<boolean> => {
    const free = await store.leases.adoptable(LISTED, sharing?.activeRuns);
    const now = clock.elapsed();
    for (const [runId, until] of passed) if (until <= now) passed.delete(runId);
    const open = free.filter(({ runId }) => !activeRuns.has(runId) && !passed.has(runId));
    const next = turns.next(open);
    if (next && !closing) driveSoon(next.owner, next.runId);
    leftSomeBehind = open.length > 1;
    return leftSomeBehind;
  };
  const waitForTurn = async (): Promise<void> => {
    if (activeRuns.size === 0) return;
    const over = new AbortController();
    endWait = () => over.abort();
    const waitMs = Math.min(LATEST_MS, activeRuns.size * PER_RUN_MS);
    await clock.sleep(waitMs, over.signal).catch(() => undefined);
  };
  const look = async (): Promise<void> => {
    for (let more = true; more && !closing; ) {
      await waitForTurn();
      isWanted = false;
      more = (await takeOne()) || isWanted;
    }
  };
  const adopt = (): Promise<void> => {
    if (!works || closing || isUnseen(sharing)) return Promise.resolve();
    isWanted = true;
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  };
  return {
    adopt,
    placeFreed() {
      endWait();
      if (leftSomeBehind) adopt().catch((error) => log.error('runs.adoption-failed', {}, error));
    },
    passedOver: (runId) => void passed.set(runId, clock.elapsed() + PASSED_MS),
    close() {
      closing = true;
      endWait();
    },
  };
}
