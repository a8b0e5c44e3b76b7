import {
  asId,
  HostError,
  isTerminal,
  type Principal,
  type PrincipalId,
  type PrunedRuns,
  type PruneRuns,
  type RunId,
  validationError,
} from '@touchstone/protocol';
import type { Clock, Log, Run, Store } from '../../ports/index.js';
import { spanMs } from '../config/span.js';
import { ownRun } from '../views/run-measurement.js';
import { readNeeds } from './needed-runs.js';
import { pruneRuns, removeOne } from './prune.js';

/** Removal of runs that have ended. Nothing that a deployment, a baseline or a run in progress needs is removed. */
export type Retention = {
  /** Refuses, with the reason, what has not ended or is needed. */
  remove(principal: Principal, runId: RunId): Promise<void>;
  /** The same for its content: scores stay. */
  removeBodies(principal: Principal, runId: RunId): Promise<void>;
  prune(principal: Principal, request: PruneRuns): Promise<PrunedRuns>;
  /** Clears the rows of what has been removed, in small steps, until none is left or the host closes. */
  sweep(): Promise<void>;
  /** Ends a sweep after its current step. */
  close(): Promise<void>;
};

type Parts = {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** A host clears in the background; a command says when. */
  readonly origin: 'host' | 'cli';
};

export function createRetention(parts: Parts): Retention {
  const { store, clock, log, origin } = parts;
  const sweeper = createSweeper(store, clock);
  const sweepSoon = (): void => {
    if (origin === 'host') sweeper.sweep().catch((error) => log.error('retention.failed', {}, error));
  };
  const removeRun = async ({ id, owner }: Principal, runId: RunId, bodiesOnly: boolean): Promise<void> => {
    const run = await ownRun(store, owner, runId);
    await checkRemovable(store, run);
    const removal = { bodiesOnly, principal: asId<PrincipalId>(id), now: clock.now() };
    // Between the two looks it was removed by another caller, or is needed now.
    if (!(await removeOne(store, run, removal)))
      await checkRemovable(store, await ownRun(store, owner, runId));
    sweepSoon();
  };
  return {
    remove: (principal, runId) => removeRun(principal, runId, false),
    removeBodies: (principal, runId) => removeRun(principal, runId, true),
    async prune({ id, owner }, request) {
      const now = clock.now();
      const { keep, bodiesOnly = false, dryRun = false } = request;
      const rule = { keep, bodiesOnly, endedBefore: endedBefore(request, now) };
      const pruned = await pruneRuns(store, owner, { rule, dryRun, now, principal: asId<PrincipalId>(id) });
      if (!dryRun) sweepSoon();
      return pruned;
    },
    ...sweeper,
  };
}

function endedBefore({ olderThan, keep }: PruneRuns, now: number): number | undefined {
  if (olderThan !== undefined) return now - (spanMs(olderThan) ?? 0);
  if (keep !== undefined) return undefined;
  throw validationError([
    { pointer: '', message: 'Expected "olderThan", "keep" or both: which runs may go.' },
  ]);
}

async function checkRemovable(store: Store, run: Run): Promise<void> {
  const { runId, status } = run;
  if (!isTerminal(status))
    throw new HostError('run_state_conflict', `The run is ${status}; cancel it, then remove it.`, {
      runStatus: status,
    });
  const need = await (await readNeeds(store, run.owner))(run);
  if (need) throw new HostError('conflict', `The run stays: ${WORDS[need.reason]}.`, { runId, ...need });
}

const WORDS = {
  blessed: 'it is a baseline',
  evidence: 'a deployment rests on it',
  evidence_baseline: 'the proof of a deployment was measured by it',
  in_use: 'a run in progress reads it',
  unfinished: 'it has not ended',
} as const;

/** Between two steps, so that requests and runs get their turn. */
const PAUSE_MS = 2;

function createSweeper(store: Store, clock: Clock): Pick<Retention, 'sweep' | 'close'> {
  const closing = new AbortController();
  let current: Promise<void> | undefined;
  let requests = 0;
  const sweepAll = async (): Promise<void> => {
    for (let answered = -1; answered !== requests && !closing.signal.aborted; ) {
      answered = requests;
      while (!closing.signal.aborted && (await store.retention.sweep()))
        await clock.sleep(PAUSE_MS, closing.signal).catch(() => undefined);
    }
  };
  return {
    sweep() {
      // A removal during the last step of a sweep is cleared by one more look.
      requests += 1;
      current ??= sweepAll().finally(() => {
        current = undefined;
      });
      return current;
    },
    async close() {
      closing.abort();
      await current?.catch(() => undefined);
    },
  };
}
