import { setMaxListeners } from 'node:events';
import { LeaseLost, type LeaveSlot, type Run, type Slots } from '../../ports/index.js';
import type { SpendMeter } from '../invoke/spend-meter.js';
import type { Executor, RunKind } from '../kinds/run-kind.js';
import { type Backlog, createBacklog } from '../log/backlog.js';
import { type Committer, createCommitter } from '../log/committer.js';
import { withMaskedInputs } from '../log/masked-inputs.js';
import type { Parts } from '../parts.js';
import type { DriveContext } from './drive-context.js';
import { type Loop, openingOf } from './loop.js';
import { createProgress, type ProgressFold } from './progress.js';
import { restoreBacklog } from './restore.js';
import { createTurnLine } from './turn-line.js';
import { createUnits } from './units.js';
import { obey } from './watching.js';

/** Restores what is durable, writes the opening of the log, and returns a loop that is ready to run. */
export async function openLoop(
  context: DriveContext,
  found: Run,
  kind: RunKind,
  executor: Executor,
  meter: SpendMeter,
): Promise<Loop> {
  const { parts, state } = context;
  const abort = new AbortController();
  const withdrawal = new AbortController();
  setMaxListeners(0, abort.signal);
  const backlog = createBacklog(kind.steps, kind.repeats);
  const durable = await restoreBacklog(parts, found, kind, backlog);
  const progress = createProgress(kind.steps, parts.clock, context.publish);
  progress.restore(durable);
  state.access.answered = durable.some(({ unscored }) => !unscored?.startsWith('agent_'));
  const committer = openCommitter(context, found, backlog, progress, meter);
  const run = await openRun(context, found, kind, committer);
  const units = createUnits(kind, backlog);
  return {
    parts,
    run,
    kind,
    executor,
    state,
    backlog,
    units,
    committer,
    meter,
    obey: () => obey(context),
    abort,
    enterSlot: (isAhead) => enterSlot(parts, run, withdrawal.signal, isAhead),
    withdrawal,
    line: createTurnLine({ state, withdrawn: withdrawal.signal, elapsed: parts.clock.elapsed }),
    slots: () => kind.concurrency,
    shared: undefined,
  };
}

/**
 * A slot, once the tenant may use the thread. Without waiting where neither has to be waited for, as for most tasks. A unit that is
 * handed over ahead gets its slot later, from another unit.
 */
export function enterSlot(
  { slots, shares }: Parts,
  { owner: { tenant }, runId }: Run,
  withdrawn: AbortSignal,
  isAhead: boolean,
): ReturnType<Slots['enter']> {
  const enter = () => (isAhead ? NO_SLOT : slots.tasks.enter(tenant, runId, withdrawn));
  if (withdrawn.aborted) return undefined;
  const turn = shares.enter(tenant, TASK_MS, withdrawn);
  return turn ? turn.then(enter, () => undefined) : enter();
}

const NO_SLOT: LeaveSlot = () => undefined;

/** About what one short task takes of the thread. */
const TASK_MS = 0.2;

function openCommitter(
  { parts, lease, state }: DriveContext,
  found: Run,
  backlog: Backlog,
  progress: ProgressFold,
  meter: SpendMeter,
): Committer {
  return createCommitter({
    log: parts.store.log,
    lease,
    firstSequence: found.eventCount,
    takeReady: backlog.takeReady,
    gather: createGathering(parts),
    onCommitted: (results) => {
      progress.committed(results, state.running + state.runningElsewhere, meter.spentUsd);
      state.wake();
    },
    onFailed: (error) => {
      if (error instanceof LeaseLost) state.leaving = true;
      else state.crash ??= { error };
      state.wake();
    },
  });
}

/**
 * Waits until `gatherMs` have passed since the last commit. Work that comes rarely, and is dear to repeat, is therefore
 * written at the end of the turn; only work that comes in a stream waits for more.
 */
export function createGathering({ clock, limits }: Pick<Parts, 'clock' | 'limits'>): () => Promise<void> {
  let lastAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const leftMs = lastAt + limits.gatherMs - clock.elapsed();
    if (leftMs > 0) await clock.sleep(leftMs);
    else await new Promise((resolve) => setImmediate(resolve));
    lastAt = clock.elapsed();
  };
}

/** The beginning of the log, or the end of a pause. Returns the run as it stands after that. */
async function openRun(
  { parts }: DriveContext,
  found: Run,
  kind: RunKind,
  committer: Committer,
): Promise<Run> {
  const now = parts.clock.now();
  // Asked for rather than set: a cancel or a pause that came in between must not be overwritten.
  const pending = { from: ['pending'], status: 'running', control: null } as const;
  if (found.status === 'pending') await parts.store.runs.request(found.owner, found.runId, pending);
  const opening = openingOf(await withMaskedInputs(parts, found), kind, now);
  if (opening) await committer.write([{ kind: 'events', events: opening.events }], opening.run);
  return { ...found, startedAt: found.startedAt ?? now, pausedMs: opening?.run.pausedMs ?? found.pausedMs };
}
