import type { Run } from '../../ports/index.js';
import { openSpendMeter, type SpendMeter } from '../invoke/spend-meter.js';
import { openExecutor, openRunKind } from '../kinds/open.js';
import type { Executor, RunKind } from '../kinds/run-kind.js';
import { taskSourceOf } from '../kinds/task-source.js';
import { watchSpreading } from '../work/spreading.js';
import type { DriveContext } from './drive-context.js';
import { runLoop } from './loop.js';
import { openLoop } from './open-loop.js';
import { watchClock, watchStorage } from './watching.js';

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
  // Opened before the first word of the log: a run whose agent is gone says so instead of beginning.
  const opened = isLost ? IDLE : await openExecutor(parts, run, meter, taskAt).catch(unavailable);
  if (!opened) return;
  const executor = closedOnce(opened);
  try {
    const loop = await openLoop(context, run, kind, executor, meter);
    void watchClock(context, loop.run);
    void watchStorage(context);
    if (!isLost) await watchSpreading(context, loop);
    loop.committer.flush();
    await runLoop(loop);
  } finally {
    await executor.close();
  }
}

/** A run that completes closes its executor before the drive ends. */
function closedOnce(executor: Executor): Executor {
  let closing: Promise<void> | undefined;
  return {
    ...executor,
    close() {
      closing ??= executor.close();
      return closing;
    },
  };
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
