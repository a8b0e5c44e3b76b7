import type { RunStatus } from '@touchstone/protocol';
import type { Control, Run } from '../../ports/index.js';
import type { DriveContext } from './drive-context.js';
import type { Stop } from './next-step.js';

/** Where a run may be cancelled. */
export const CANCELLABLE: readonly RunStatus[] = [
  'pending',
  'running',
  'paused',
  'waiting-approval',
  'waiting-input',
  'waiting-external',
];

/** How long an order given through another process may wait. */
const LISTEN_MS = 1_000;

/** Renews the lease and listens for orders given through other processes, until the drive is over or the lease is lost. */
export async function keepLease(context: DriveContext): Promise<void> {
  const { parts, lease, state, leave, over } = context;
  const { leaseMs } = parts.limits;
  let renewAt = parts.clock.elapsed() + leaseMs / 3;
  let isFailing = false;
  let isHeld = true;
  const look = async (): Promise<void> => {
    await obey(context);
    const [askedAt, presence] = [parts.clock.elapsed(), parts.sharing?.presence()];
    const isSeenAgain = presence !== undefined && presence !== state.presence;
    if (askedAt < renewAt && !isSeenAgain) return;
    isHeld = await parts.store.leases.renew(lease, leaseMs);
    renewAt = parts.clock.elapsed() + leaseMs / 3;
    // Who waited because it was unsure goes on.
    if (isHeld) [state.heldUntil, state.presence] = [askedAt + leaseMs, presence];
    state.wake();
  };
  while (isHeld && (await isStillAt(parts.clock.sleep(Math.min(LISTEN_MS, leaseMs / 3), over)))) {
    // A database that is away for a while costs no run its driver: the lease is renewed when it is back.
    const failure = await look().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    if (failure && !isFailing && !over.aborted)
      parts.log.error('lease.failed', { runId: lease.runId }, failure.error);
    isFailing = failure !== undefined;
  }
  if (!isHeld) leave();
}

/** False when the drive was over before the pause was. */
export const isStillAt = (pause: Promise<void>): Promise<boolean> =>
  pause.then(
    () => true,
    () => false,
  );

/** Reads what has been asked of the run, and stops for it. */
export async function obey({ parts, lease, stop }: DriveContext): Promise<void> {
  const run = await parts.store.runs.get(lease.owner, lease.runId);
  if (run?.control) stop(stopFrom(run.control));
}

export const stopFrom = (control: Control): Stop =>
  control.kind === 'cancel'
    ? control
    : {
        kind: 'pause',
        drainPolicy: control.drainPolicy,
        ...(control.reason !== undefined && { reason: control.reason }),
      };

/** The run's own timeout, counted from its start; pauses do not count. */
export async function watchClock({ parts, stop, over }: DriveContext, run: Run): Promise<void> {
  const limitMs = run.plan.runTimeoutMs;
  if (limitMs === undefined || run.startedAt === undefined) return;
  const spentMs = (): number => parts.clock.now() - (run.startedAt as number) - run.pausedMs;
  try {
    // A timer may fire a moment before the clock says so. Only the clock decides: no breach tells less than its limit.
    while (spentMs() < limitMs) await parts.clock.sleep(limitMs - spentMs(), over);
    stop({ kind: 'timeout', limitMs, observedMs: spentMs() });
  } catch {
    // The run ended before its limit.
  }
}

/** Ends a run whose tenant has no room left for what it would store. Looked at every second: a run cannot store much in one. */
export async function watchStorage({ parts, lease, stop, over }: DriveContext): Promise<void> {
  const { clock, log, isStorageFull } = parts;
  if (!isStorageFull) return;
  let isFailing = false;
  while (await isStillAt(clock.sleep(LISTEN_MS, over))) {
    const look = await isStorageFull(lease.owner).then(
      (isFull) => ({ isFull, error: undefined }),
      (error: unknown) => ({ isFull: false, error }),
    );
    if (look.isFull) return stop({ kind: 'storage' });
    if (look.error && !isFailing && !over.aborted)
      log.error('storage.unwatched', { runId: lease.runId }, look.error);
    isFailing = look.error !== undefined;
  }
}
