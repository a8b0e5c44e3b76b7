import { isTerminal } from '@touchstone/protocol';
import type { Run } from '../../ports/index.js';
import { openSpendMeter, type SpendMeter } from '../invoke/spend-meter.js';
import { openExecutor, openRunKind } from '../kinds/open.js';
import type { Executor, RunKind } from '../kinds/run-kind.js';
import { taskSourceOf } from '../kinds/task-source.js';
import { openSharedWork } from '../work/shared-work.js';
import { canSpread } from '../work/spread.js';
import type { DriveContext } from './drive-context.js';
import { type Loop, runLoop } from './loop.js';
import { openLoop } from './open-loop.js';
import { watchClock, watchJoining, watchStorage } from './watching.js';

/** What a run is driven with. */
type Steps = {
  readonly context: DriveContext;
  readonly kind: RunKind;
  readonly executor: Executor;
  readonly meter: SpendMeter;
};

/** Drives the steps of a run: opens its kind and its executor, and loops until there is nothing to do here. */
export async function driveSteps(
  context: DriveContext,
  run: Run,
  unavailable: (error: unknown) => Promise<undefined>,
): Promise<void> {
  const { parts } = context;
  const taskAt = taskSourceOf(parts, run);
  const kind = await openRunKind(parts, run, taskAt).catch(unavailable);
  if (!kind) return;
  const meter = await openRunMeter(context, kind);
  const isLost = context.state.stop?.kind === 'lost';
  if (isLost && parts.sharing) await parts.store.work.end(context.lease);
  const isShared = !isLost && (await isExecutedByOthers(context, run, kind));
  // Opened before the first word of the log: a run whose agent is gone says so instead of beginning.
  const executor = isLost ? IDLE : await openExecutor(parts, run, meter, taskAt).catch(unavailable);
  if (!executor) return;
  try {
    const steps: Steps = { context, kind, executor, meter };
    const rest = isShared ? run : await driveWhole(steps, run);
    // The agent stays open: this process executes a part of the run as well, and need not open it a second time.
    if (rest) await driveShared(steps, rest, isShared);
  } finally {
    await executor.close();
  }
}

/** The units are executed here. Answers the run as it stands when the rest of it is to be executed by others, too. */
async function driveWhole({ context, kind, executor, meter }: Steps, run: Run): Promise<Run | undefined> {
  const { parts, lease, state, stop } = context;
  const loop = await openLoop(context, run, kind, executor, meter);
  watchLimits(context, loop);
  void watchJoining(context, loop);
  loop.committer.flush();
  const isLeft = await runLoop(loop);
  if (!isLeft || !state.spreading || state.leaving || state.draining) return undefined;
  // What was executed here is worth nothing if it has changed.
  if (await executor.hasChanged?.()) stop({ kind: 'changed' });
  [state.spreading, state.dropped] = [false, false];
  const found = await parts.store.runs.get(lease.owner, lease.runId);
  return found && !isTerminal(found.status) ? found : undefined;
}

/** The units are executed by all processes that share runs, this one among them, each with an executor of its own. */
async function driveShared(steps: Steps, run: Run, isFirst: boolean): Promise<void> {
  const loop = await openSharedLoop(steps, run);
  if (isFirst) watchLimits(steps.context, loop);
  loop.committer.flush();
  await runLoop(loop);
}

function watchLimits(context: DriveContext, { run }: Loop): void {
  void watchClock(context, run);
  void watchStorage(context);
}

/** Whether the units are left to all processes that share runs, this one among them. Work that is open stays open. */
async function isExecutedByOthers({ parts, lease }: DriveContext, run: Run, kind: RunKind): Promise<boolean> {
  if (!parts.sharing || !canSpread(run, kind)) return false;
  return (await parts.store.work.isOpen(lease)) || (await parts.sharing.processes(run)) > 1;
}

/** A loop that starts nothing: what it decides about running units is done by those who execute them. */
async function openSharedLoop(
  { context, kind, executor: { modelClass }, meter }: Steps,
  run: Run,
): Promise<Loop> {
  const absent: Executor = { ...IDLE, ...(modelClass && { modelClass }) };
  const loop = await openLoop(context, run, { ...kind, concurrency: 0 }, absent, meter);
  const { running } = await openSharedWork(context, loop, kind.concurrency);
  return { ...loop, runningElsewhere: running };
}

/** For a driver that executes nothing: it has no agent open, which may be what the last drivers were lost by. */
const IDLE: Executor = {
  execute: () => Promise.reject(new Error('This driver executes nothing.')),
  close: async () => undefined,
};

function openRunMeter({ parts, lease, stop }: DriveContext, { ceilingUsd }: RunKind): Promise<SpendMeter> {
  return openSpendMeter(parts.store, lease.owner, lease.runId, parts, (spentUsd) => {
    if (ceilingUsd !== undefined && spentUsd >= ceilingUsd) stop({ kind: 'budget', limitUsd: ceilingUsd });
  });
}
