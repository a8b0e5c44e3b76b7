import { isTerminal, type Owner, type RunId, type RunStatus } from '@touchstone/protocol';
import type { Engine, ProgressListener, Run } from '../../ports/index.js';
import { childIdOf, startsChild } from '../approvals/child-flow.js';
import { isDue, isWaiting, openFlow } from '../approvals/drive-flow.js';
import { createInterrupts } from '../approvals/interrupts.js';
import { ENGINE_VERSION, type Parts } from '../parts.js';
import { createAssignmentPool } from '../work/assignment-pool.js';
import { isUnseen } from '../work/presence.js';
import { createTurnsAlone } from '../work/turns-alone.js';
import { createAdoption } from './adoption.js';
import { createAlarms } from './alarms.js';
import { type ActiveRun, createControls } from './controls.js';
import { startDrive } from './drive.js';
import { createProgressFeed } from './progress.js';
import { createSharedAdoption } from './shared-adoption.js';

const WORKING: readonly RunStatus[] = ['pending', 'running', 'cancelling'];

export function createEngine(given: Parts): Engine {
  const alone = given.sharing && createTurnsAlone(given.slots.tasks);
  const parts: Parts = alone ? { ...given, slots: { ...given.slots, tasks: alone.slots } } : given;
  const { sharing } = parts;
  const pool =
    alone && sharing && parts.works ? createAssignmentPool(parts, sharing.environment, alone) : undefined;
  // The next regular look tells what is in the way.
  const lookForWork = async (): Promise<void> => pool?.look().catch(() => undefined);
  const unwatchWork = pool && parts.store.assignments.watchOffers(lookForWork);
  const activeRuns = new Map<RunId, ActiveRun>();
  const feed = createProgressFeed();
  const { leaseMs } = parts.limits;
  const alarms = createAlarms(parts.clock, ({ owner, runId }) => driveSoon(owner, runId));
  /** Nothing new is taken up. */
  let closing = false;
  let takeovers = 0;

  /** One attempt: take the lease, drive, let go. False when the run is left to another process, which may have it already. */
  const attempt = async (owner: Owner, runId: RunId, mine: ActiveRun, most?: number): Promise<boolean> => {
    const presence = parts.sharing?.presence();
    const lease = await parts.store.leases.take(owner, runId, leaseMs, most);
    if (!lease) return false;
    if (lease.lostDrives > 0) takeovers += 1;
    try {
      if (closing) return false;
      const publish: ProgressListener = (progress, finished) => feed.publish(runId, progress, finished);
      mine.drive = startDrive(parts, { lease, presence }, publish, lookForWork);
      const isOurs = await mine.drive.done;
      if (!isOurs) adoption.passedOver(runId);
      return isOurs;
    } finally {
      mine.drive = undefined;
      await parts.store.leases.release(lease);
      if (closing) parts.store.leases.offer(runId);
    }
  };

  /** Waits for a slot of the tenant first. A run that only has to end something waits for none. */
  const attemptInSlot = async (owner: Owner, runId: RunId, mine: ActiveRun): Promise<boolean> => {
    const leave = await parts.slots.runs.enter(owner.tenant, runId, mine.hurry.signal);
    try {
      return !closing && (await attempt(owner, runId, mine, leave && parts.sharing?.activeRuns));
    } finally {
      leave?.();
    }
  };

  /** Runs that ask people do no work worth a slot; a promotion does not stand in line behind evaluations. */
  const attemptRun = async (run: Run, mine: ActiveRun): Promise<boolean> => {
    const { owner, runId } = run;
    if (openFlow(parts, run)) return attempt(owner, runId, mine);
    // Others would take it away at once, and count that as a loss.
    if (parts.works && isUnseen(parts.sharing)) return false;
    const isOurs = parts.works && ((await parts.sharing?.suits(run)) ?? true);
    if (isOurs) return attemptInSlot(owner, runId, mine);
    if (parts.works) adoption.passedOver(runId);
    else parts.store.leases.offer(runId);
    return false;
  };

  /** Drives until the run is at rest. A run resumed while it was still pausing is taken up again. */
  const holdRun = async (owner: Owner, runId: RunId, mine: ActiveRun): Promise<void> => {
    for (let active = true; active && !closing; ) {
      mine.again = false;
      const run = await parts.store.runs.get(owner, runId);
      if (!run || !needsDriver(run, parts.clock.now())) return;
      if (run.control) mine.hurry.abort();
      active = await attemptRun(run, mine);
      const after = await parts.store.runs.get(owner, runId);
      if (after && isWaiting(after)) alarms.set(after);
      if (after) await tellRelatives(after);
      active = active && ((after !== undefined && needsDriver(after, parts.clock.now())) || mine.again);
    }
  };

  const drive = (owner: Owner, runId: RunId): Promise<void> => {
    const present = activeRuns.get(runId);
    if (present) {
      present.again = true;
      return present.done;
    }
    const mine: ActiveRun = {
      drive: undefined,
      again: false,
      done: Promise.resolve(),
      hurry: new AbortController(),
    };
    activeRuns.set(runId, mine);
    mine.done = holdRun(owner, runId, mine).finally(() => {
      activeRuns.delete(runId);
      adoption.placeFreed();
    });
    return mine.done;
  };

  /** Drives in the background: no caller awaits it, so its failure goes to the operator's log. */
  const driveSoon = (owner: Owner, runId: RunId): void => {
    drive(owner, runId).catch((error) => parts.log.error('run.abandoned', { runId }, error));
  };

  const adoption = parts.sharing
    ? createSharedAdoption(parts, activeRuns, driveSoon)
    : createAdoption(parts, driveSoon);

  /** A run that a workflow starts is driven with it, and its end is what the workflow waits for. */
  const tellRelatives = async ({ owner, runId, plan, status }: Run): Promise<void> => {
    if (plan.kind !== 'workflow') return;
    if (startsChild(plan)) driveSoon(owner, childIdOf(runId));
    if (!plan.parent || !isTerminal(status)) return;
    const awake = { from: ['waiting-approval'], status: 'running', control: null, settled: true } as const;
    await parts.store.runs.request(owner, plan.parent.runId, awake);
    driveSoon(owner, plan.parent.runId);
  };

  const takeNoMore = (): void => {
    closing = true;
    adoption.close();
    alarms.close();
    // Those that wait for a slot wait no longer.
    for (const one of activeRuns.values()) one.hurry.abort();
    unwatchWork?.();
  };
  const allDone = () =>
    Promise.allSettled([pool?.done(), ...[...activeRuns.values()].map((one) => one.done)]);

  return {
    drive,
    ...createControls(parts, activeRuns, driveSoon),
    interrupts: createInterrupts(parts, drive),
    async adopt() {
      await Promise.all([adoption.adopt(), closing ? undefined : pool?.look()]);
    },
    watch: (runId, listener) => feed.subscribe(runId, listener),
    drives: (runId) => activeRuns.get(runId)?.drive !== undefined,
    get load() {
      return { atWork: activeRuns.size, takeovers, assignments: pool?.size ?? 0 };
    },
    async drain(limitMs) {
      takeNoMore();
      for (const one of activeRuns.values()) one.drive?.drain();
      pool?.drain();
      const over = new AbortController();
      await Promise.race([allDone(), parts.clock.sleep(limitMs, over.signal).catch(() => undefined)]);
      over.abort();
    },
    async shutdown() {
      takeNoMore();
      for (const one of activeRuns.values()) one.drive?.leave();
      pool?.leave();
      await allDone();
    },
  };
}

/** Working runs need a driver, those among them that have been asked to pause, and a run that has waited long enough. */
function needsDriver(run: Run, now: number): boolean {
  if (run.engineVersion > ENGINE_VERSION) return false;
  if (isWaiting(run)) return isDue(run, now);
  return WORKING.includes(run.status);
}
