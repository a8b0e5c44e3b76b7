import type { OpenWork } from '../../ports/index.js';
import type { DriveContext } from '../run/drive-context.js';
import type { Loop } from '../run/loop.js';
import { positions } from '../run/restore.js';
import { isStillAt } from '../run/watching.js';
import { absorb, shareWork } from './shared-work.js';
import { areShort, canSpread, slotsAfter } from './spread.js';

/** How often the driver looks whether its run is worth spreading. */
const LOOK_MS = 500;
const STEP_MS = 50;

/**
 * Decides who executes a run that several processes could. Its driver begins with it. Once units prove long, others get those from
 * some unit on, and the driver's slots as it finishes its own.
 */
export async function watchSpreading(context: DriveContext, loop: Loop): Promise<void> {
  const { parts, lease } = context;
  const { run, kind } = loop;
  if (!parts.sharing || !canSpread(run, kind)) return;
  const found = await findWork(context, loop);
  if (found) return shareWork(context, loop, found);
  const isAlone = await isOnlyOne(context, loop);
  // What the last driver was lost by may be one of its units. Others execute them so that it is found out which.
  if (lease.lostDrives > 0 && !isAlone) return spread(context, loop, 0);
  if (!isAlone) loop.slots = () => slotsAfter(kind.concurrency, finishedHere(loop));
  void spreadLater(context, loop);
}

/** Work that goes on as it is. Units that an earlier driver had kept and was lost with go to others, in work that begins anew. */
async function findWork(context: DriveContext, loop: Loop): Promise<OpenWork | undefined> {
  const { parts, lease } = context;
  const found = await parts.store.work.find(lease);
  if (!found) return undefined;
  loop.units.leaveFrom(found.firstUnit);
  const isLeft = lease.lostDrives > 0 && loop.units.leftHere;
  if (found.stop !== 'drain' && !isLeft) return found;
  loop.units.leaveFrom(Number.POSITIVE_INFINITY);
  await parts.store.work.end(lease);
  // The others may have sealed something since this driver has read what there is.
  const sealed = await parts.store.log.pending(lease.owner, lease.runId);
  await absorb({ context, loop, positionOf: positions(loop.kind) }, sealed);
  return undefined;
}

const isOnlyOne = async ({ parts: { sharing } }: DriveContext, { run }: Loop): Promise<boolean> =>
  ((await sharing?.processes(run).catch(() => 1)) ?? 1) < 2;

const finishedHere = ({ units, state, line }: Loop): number => units.taken - state.running - line.waiting;

/** Looks until the run is spread, or what is left can begin here at once. */
async function spreadLater(context: DriveContext, loop: Loop): Promise<void> {
  const { clock } = context.parts;
  const { kind, state } = loop;
  await untilFirstEnd(context, loop);
  for (let isAlone = true; ; ) {
    const [before, since] = [finishedHere(loop), clock.elapsed()];
    if (!(await isStillAt(clock.sleep(LOOK_MS, context.over)))) return;
    const lately = finishedHere(loop) - before;
    if (!areShort(lately, clock.elapsed() - since, kind.concurrency))
      isAlone = await isOnlyOne(context, loop);
    if (!goesOn(context, loop)) break;
    if (!isAlone) return spread(context, loop, keptOf(lately, loop.units.remaining));
  }
  loop.slots = () => kind.concurrency;
  state.wake();
}

/** Whether nothing ends the drive, and more is left than can begin here at once. */
const goesOn = ({ state, over }: DriveContext, { units, slots }: Loop): boolean =>
  !(over.aborted || state.leaving || state.draining || state.halted || state.crash || state.stop) &&
  units.remaining > slots();

/** A unit that begins with its agent takes longer than the others. None is waited for any longer than a look. */
async function untilFirstEnd({ parts, over }: DriveContext, loop: Loop): Promise<void> {
  for (let ms = 0; ms < LOOK_MS && finishedHere(loop) === 0 && !over.aborted; ms += STEP_MS)
    await isStillAt(parts.clock.sleep(STEP_MS, over));
}

/**
 * What the driver finishes in a look, while the others open their agents. That may take two looks; in a run in which it makes no difference
 * to the others, it keeps enough for both.
 */
const keptOf = (lately: number, remaining: number): number =>
  Math.max(lately, Math.min(2 * lately, Math.floor(remaining / 8)));

/** The driver goes on with so many more units, while the others open their agents. */
function spread(context: DriveContext, loop: Loop, kept: number): void {
  const { units, kind, state } = loop;
  const firstUnit = units.leaveFrom(units.next + kept);
  shareWork(context, loop, { firstUnit, slots: units.leftHere ? 0 : kind.concurrency - state.running });
}
