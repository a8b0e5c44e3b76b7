import { setMaxListeners } from 'node:events';
import { isHostError, isTerminal } from '@touchstone/contract';
import {
  type Control,
  type Lease,
  LeaseLost,
  type ProgressListener,
  type Run,
} from '@touchstone/contract/ports';
import { createBacklog } from './backlog.js';
import { createCommitter } from './committer.js';
import { beginning, failure } from './endings.js';
import { type DriveState, type Loop, openingOf, runLoop } from './loop.js';
import { graverStop, type Stop } from './next-step.js';
import type { Parts } from './parts.js';
import { openProgram } from './programs/open.js';
import type { Program } from './programs/program.js';
import { createProgress } from './progress.js';
import { restoreBacklog } from './restore.js';
import { openPurse } from './spending.js';
import { createUnits } from './units.js';

/** A run being driven by this process. */
export type Drive = {
  /** Asks the run to stop; the graver of several reasons counts. */
  stop(stop: Stop): void;
  /** Lets go of the run without a trace. */
  leave(): void;
  readonly done: Promise<void>;
};

export function startDrive(parts: Parts, lease: Lease, publish: ProgressListener): Drive {
  const state: DriveState = {
    leaving: false,
    crash: undefined,
    halted: false,
    stop: undefined,
    running: 0,
    dropped: false,
    wake: () => undefined,
  };
  const stop = (reason: Stop): void => {
    state.stop = graverStop(state.stop, reason);
    state.wake();
  };
  const leave = (): void => {
    state.leaving = true;
    state.wake();
  };
  return { stop, leave, done: drive(parts, lease, state, stop, leave, publish) };
}

async function drive(
  parts: Parts,
  lease: Lease,
  state: DriveState,
  stop: (reason: Stop) => void,
  leave: () => void,
  publish: ProgressListener,
): Promise<void> {
  const run = await parts.store.runs.get(lease.owner, lease.runId);
  if (!run || isTerminal(run.status)) return;
  if (run.control) stop(stopFrom(run.control));
  const over = new AbortController();
  void keepLease(parts, lease, stop, leave, over.signal);
  try {
    await driveProgram(parts, lease, run, state, stop, publish, over.signal);
  } catch (error) {
    await giveUp(parts, lease, run, error);
  } finally {
    over.abort();
  }
}

async function driveProgram(
  parts: Parts,
  lease: Lease,
  found: Run,
  state: DriveState,
  stop: (reason: Stop) => void,
  publish: ProgressListener,
  over: AbortSignal,
): Promise<void> {
  const program = await openProgram(parts, found);
  try {
    const loop = await openLoop(parts, lease, found, program, state, stop, publish);
    void watchClock(parts, loop.run, stop, over);
    loop.committer.flush();
    await runLoop(loop);
  } finally {
    await program.close();
  }
}

async function openLoop(
  parts: Parts,
  lease: Lease,
  found: Run,
  program: Program,
  state: DriveState,
  stop: (reason: Stop) => void,
  publish: ProgressListener,
): Promise<Loop> {
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  const backlog = createBacklog(program.steps, program.repeats);
  const durable = await restoreBacklog(parts, found, program, backlog);
  const progress = createProgress(program.steps, parts.clock, publish);
  progress.restore(durable);
  const ceiling = program.ceilingUsd;
  const purse = await openPurse(parts.store, found.owner, found.runId, parts.priceOf, (spentUsd) => {
    if (ceiling !== undefined && spentUsd >= ceiling)
      stop({ kind: 'budget', limitUsd: ceiling, observedUsd: spentUsd });
  });
  const committer = createCommitter({
    log: parts.store.log,
    lease,
    firstSequence: found.eventCount,
    takeReady: backlog.takeReady,
    gather: createGathering(parts),
    onCommitted: (results) => {
      progress.committed(results, state.running, purse.spentUsd);
      state.wake();
    },
    onFailed: (error) => {
      if (error instanceof LeaseLost) state.leaving = true;
      else state.crash ??= { error };
      state.wake();
    },
  });
  const now = parts.clock.now();
  // Asked for rather than set: a cancel or a pause that came in between must not be overwritten.
  const pending = { from: ['pending'], status: 'running', control: null } as const;
  if (found.status === 'pending') await parts.store.runs.request(found.owner, found.runId, pending);
  const opening = openingOf(found, program, now);
  if (opening) await committer.write([{ kind: 'events', events: opening.events }], opening.run);
  const run = {
    ...found,
    startedAt: found.startedAt ?? now,
    ...(opening && { pausedMs: opening.run.pausedMs ?? found.pausedMs }),
  };
  return {
    parts,
    run,
    program,
    state,
    backlog,
    units: createUnits(program.steps, program.repeats, backlog),
    committer,
    purse,
    obey: () => obey(parts, lease, stop),
    abort,
  };
}

/**
 * Waits until `gatherMs` have passed since the last commit. Work that comes rarely, and is dear to repeat, is therefore
 * written at the end of the turn; only work that comes in a stream waits for company.
 */
function createGathering({ clock, limits }: Parts): () => Promise<void> {
  let lastAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const leftMs = lastAt + limits.gatherMs - clock.elapsed();
    if (leftMs > 0) await clock.sleep(leftMs);
    else await new Promise((resolve) => setImmediate(resolve));
    lastAt = clock.elapsed();
  };
}

/** The run's own timeout, counted from its start; pauses do not count. */
async function watchClock(
  parts: Parts,
  run: Run,
  stop: (reason: Stop) => void,
  over: AbortSignal,
): Promise<void> {
  const limitMs = run.plan.runTimeoutMs;
  if (limitMs === undefined || run.startedAt === undefined) return;
  const spentMs = (): number => parts.clock.now() - (run.startedAt as number) - run.pausedMs;
  try {
    await parts.clock.sleep(Math.max(0, limitMs - spentMs()), over);
    stop({ kind: 'timeout', limitMs, observedMs: spentMs() });
  } catch {
    // The run ended before its limit.
  }
}

/** How long an order given through another process may wait. */
const LISTEN_MS = 1_000;

/** Renews the lease and listens for orders given through other processes, until the drive is over or the lease is lost. */
async function keepLease(
  parts: Parts,
  lease: Lease,
  stop: (reason: Stop) => void,
  leave: () => void,
  over: AbortSignal,
): Promise<void> {
  const { leaseMs } = parts.limits;
  let renewAt = parts.clock.elapsed() + leaseMs / 3;
  try {
    for (;;) {
      await parts.clock.sleep(Math.min(LISTEN_MS, leaseMs / 3), over);
      await obey(parts, lease, stop);
      if (parts.clock.elapsed() < renewAt) continue;
      if (!(await parts.store.leases.renew(lease, leaseMs))) return leave();
      renewAt = parts.clock.elapsed() + leaseMs / 3;
    }
  } catch (error) {
    if (!over.aborted) parts.log.error('lease.failed', { runId: lease.runId }, error);
  }
}

async function obey(parts: Parts, lease: Lease, stop: (reason: Stop) => void): Promise<void> {
  const run = await parts.store.runs.get(lease.owner, lease.runId);
  if (run?.control) stop(stopFrom(run.control));
}

/** A run whose agent or suite is gone can never go on and fails; any other trouble leaves it for another attempt. */
async function giveUp(parts: Parts, lease: Lease, run: Run, error: unknown): Promise<void> {
  if (error instanceof LeaseLost) return;
  if (!isHostError(error) || (error.code !== 'not_found' && error.code !== 'conflict')) throw error;
  const now = parts.clock.now();
  const opening = run.eventCount === 0 ? beginning(run, [], now) : undefined;
  const ending = failure(run, { code: 'agent_unavailable', message: error.message }, now);
  await parts.store.log.commit(lease, {
    entries: [{ kind: 'events', events: [...(opening?.events ?? []), ...ending.events] }],
    firstSequence: run.eventCount,
    run: { ...opening?.run, ...ending.run },
  });
}

export const stopFrom = (control: Control): Stop =>
  control.kind === 'cancel'
    ? { kind: 'cancel', by: control.by, ...(control.reason !== undefined && { reason: control.reason }) }
    : {
        kind: 'pause',
        drainPolicy: control.drainPolicy,
        ...(control.reason !== undefined && { reason: control.reason }),
      };
