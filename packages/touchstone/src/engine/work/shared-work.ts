import { type EvalPlan, isHostError } from '@touchstone/protocol';
import {
  type Assignment,
  LeaseLost,
  type OpenWork,
  type SealedUnit,
  type WorkStop,
} from '../../ports/index.js';
import type { DriveContext } from '../run/drive-context.js';
import { foldStep, type Loop } from '../run/loop.js';
import { countAccess } from '../run/next-step.js';
import { positions } from '../run/restore.js';
import { type FollowedUnits, firstUnsealed, hasSealed, unsealedIn } from './followed-units.js';
import { slotsOf } from './spread.js';
import { unitNumbers } from './unit-numbers.js';

/**
 * How often the driver looks for what others have sealed: soon while there is something, later otherwise. The run waits for nothing else
 * when its last units are at work, and when all is sealed and the others let go of the work within milliseconds.
 */
const AT_ONCE_MS = 10;
/** So long: units may be slow, and who has not let go by then is lost, or stands still. */
const ENDING_MS = 500;
const SOON_MS = 50;
const LATER_MS = 250;
/** Claims have this many units at most, so that one which begins before a unit by more ends before it. */
const LARGEST_CLAIM = 256;

type Following = FollowedUnits & {
  readonly context: DriveContext;
  readonly positionOf: (ordinal: number) => number;
  epoch: number;
  lastClaim: number;
  /** How many of these units may run at a time. */
  slots: number;
  isDraining: boolean;
  isEnded: boolean;
  /** The unit after the last one that is claimed. */
  claimedTo: number;
  /** When the last units were seen to be at work, and when all was sealed. */
  lastAt: number | undefined;
  sealedAt: number | undefined;
  /** Ends the pause between two looks. */
  wake: () => void;
};

/**
 * Leaves units to all processes that share runs, this one among them, from the first unit on. The driver learns what they have sealed, and
 * stops them. They get its slots as it finishes the units before that one.
 */
export function shareWork(
  context: DriveContext,
  loop: Loop,
  { firstUnit, slots }: Pick<OpenWork, 'firstUnit' | 'slots'>,
): void {
  const { state } = context;
  const numbers = unitNumbers(loop.run.plan as EvalPlan);
  const units: FollowedUnits = { loop, numbers, firstUnit, open: new Map() };
  const following: Following = {
    ...units,
    context,
    positionOf: positions(loop.kind),
    epoch: 0,
    lastClaim: firstUnsealed(units, firstUnit) - LARGEST_CLAIM - 1,
    slots,
    isDraining: false,
    isEnded: false,
    claimedTo: firstUnit,
    lastAt: undefined,
    sealedAt: undefined,
    wake: () => undefined,
  };
  loop.slots = () => Math.max(1, loop.kind.concurrency - following.slots);
  loop.shared = {
    get running() {
      const isLeft = state.leaving || (state.draining && loop.units.left);
      return following.isEnded || isLeft ? 0 : 1;
    },
    // Others wait for its slot.
    unitEnded() {
      if (slotsFree(following) > following.slots) following.wake();
    },
  };
  void follow(following);
}

/** Looks again and again until the work has ended, or the drive has. */
async function follow(following: Following): Promise<void> {
  const { context } = following;
  const { parts, state, over } = context;
  try {
    await openWork(following);
    while (!following.isEnded && !state.leaving && !over.aborted) {
      const found = await look(following);
      if (following.isEnded) break;
      await pause(following, pauseMs(following, found));
    }
  } catch (error) {
    if (error instanceof LeaseLost) state.leaving = true;
    else state.crash ??= { error };
    // A store that is away is no reason to stop those who execute: the next driver goes on with them.
    if (!state.leaving && !(isHostError(error) && error.code === 'unavailable'))
      await parts.store.work.end(context.lease).catch(() => undefined);
    following.isEnded = true;
  }
  state.wake();
}

function pauseMs(following: Following, found: boolean): number {
  const { loop, context } = following;
  const now = context.parts.clock.elapsed();
  if (!loop.units.left) {
    following.sealedAt ??= now;
    return now - following.sealedAt < ENDING_MS ? AT_ONCE_MS : SOON_MS;
  }
  if (areLast(following)) {
    following.lastAt ??= now;
    if (now - following.lastAt < ENDING_MS) return AT_ONCE_MS;
  }
  return found || isGranting(following) ? SOON_MS : LATER_MS;
}

/** All units are claimed, and no more of them are left than can be at work. */
const areLast = (following: Following): boolean =>
  following.claimedTo >= following.numbers.units && unsealedIn(following) <= following.loop.kind.concurrency;

/** Work that is open already stays as it is. */
async function openWork(following: Following): Promise<void> {
  const { context, loop, numbers, firstUnit, slots } = following;
  const { environment, ceilingUsd } = loop.run.plan as EvalPlan;
  const { epoch } = await context.parts.store.work.open(context.lease, {
    firstUnit,
    units: numbers.units,
    hasSealed: hasSealed(following),
    slots: slotsOf(loop.kind.concurrency, slots),
    ...(environment && { environment }),
    ...(ceilingUsd !== undefined && { ceilingUsd }),
  });
  following.epoch = epoch;
  // This process takes its share first: it need not open the agent any more.
  await context.onWork();
  context.parts.store.assignments.offer(context.lease.runId);
}

/** Until the time is over, or the run is told to stop meanwhile. */
async function pause(following: Following, ms: number): Promise<void> {
  const { context, loop } = following;
  const end = new AbortController();
  const wake = (): void => end.abort();
  following.wake = wake;
  const signals = [loop.withdrawal.signal, loop.abort.signal].filter((signal) => !signal.aborted);
  const listened = [...signals, context.over];
  for (const signal of listened) signal.addEventListener('abort', wake);
  if (slotsFree(following) <= following.slots)
    await context.parts.clock.sleep(ms, end.signal).catch(() => undefined);
  for (const signal of listened) signal.removeEventListener('abort', wake);
}

/** What the driver does not need for its own units. It needs all that it has while one of them is left to begin. */
const slotsFree = ({ slots, loop: { kind, units, state } }: Following): number =>
  units.leftHere ? slots : kind.concurrency - state.running;

/** The driver has slots that others will get. */
const isGranting = ({ slots, loop }: Following): boolean => slots < loop.kind.concurrency;

/** Others get what the driver does not need any more. */
async function grantSlots(following: Following): Promise<void> {
  const { context, loop } = following;
  const free = slotsFree(following);
  if (free <= following.slots) return;
  following.slots = free;
  await context.parts.store.work.grant(context.lease, slotsOf(loop.kind.concurrency, free));
  void context.onWork();
}

/** True when something new was found. */
async function look(following: Following): Promise<boolean> {
  const { context, loop, epoch } = following;
  const { parts, lease, state } = context;
  const { work } = parts.store;
  if (loop.abort.signal.aborted) {
    await end(following);
    return true;
  }
  if (isStopping(following) && !following.isDraining) {
    following.isDraining = true;
    await work.drain(lease);
    void context.onWork();
  }
  await grantSlots(following);
  const news = await work.news(lease, epoch, following.lastClaim);
  if (news.epoch !== epoch) throw new LeaseLost(lease.runId);
  loop.meter.told(news.spentUsd);
  heed(context, news.stop);
  for (const claim of news.claims) following.open.set(claim.first, claim);
  const newest = news.claims.at(-1);
  if (newest) {
    following.lastClaim = newest.first;
    following.claimedTo = newest.first + newest.count;
  }
  const found = await absorbClaims(following);
  if (following.isDraining || !loop.units.left) await endWhenLeft(following);
  state.wake();
  return found || news.claims.length > 0;
}

/** A driver that only lets go of the run leaves the others at work. */
const isStopping = ({ context: { state }, loop }: Following): boolean =>
  loop.withdrawal.signal.aborted && (state.stop !== undefined || state.halted || state.crash !== undefined);

/** What those who execute have found out. A changed agent goes before a pause: what it has measured is worth nothing. */
function heed({ state, stop }: DriveContext, found: WorkStop | undefined): void {
  if (found === 'crashed') state.crash ??= { error: new Error('A unit could not be executed.') };
  if (found !== 'changed') return;
  if (state.stop?.kind === 'pause') state.stop = { kind: 'changed' };
  else stop({ kind: 'changed' });
}

/** Reads what is sealed of the open claims, from the first unit on that the log waits for. */
async function absorbClaims(following: Following): Promise<boolean> {
  const { context, numbers, open } = following;
  const ranges = [...open.values()].map((claim) => {
    const first = Math.min(firstUnsealed(following, claim.first), claim.first + claim.count - 1);
    return numbers.stepsOf({ first, count: claim.first + claim.count - first });
  });
  const sealed = ranges.length === 0 ? [] : await context.parts.store.work.sealed(context.lease, ranges);
  const found = await absorb(following, sealed);
  for (const [first, { count }] of open)
    if (firstUnsealed(following, first) >= first + count) open.delete(first);
  context.state.runningElsewhere = Math.min(following.slots, unsealedIn(following));
  return found;
}

/** Takes in what others have sealed. True when some of it was new. */
export async function absorb(
  { context, loop, positionOf }: Pick<Following, 'context' | 'loop' | 'positionOf'>,
  sealed: readonly SealedUnit[],
): Promise<boolean> {
  const { backlog, kind, committer } = loop;
  let found = false;
  for (const one of sealed) {
    const position = positionOf(one.ordinal);
    if (backlog.isSealed(position, one.repeat)) continue;
    found = true;
    const all = backlog.seal(position, one.repeat, one);
    const result = all && (await foldStep(kind, one.ordinal, all));
    if (all) backlog.finish(position, one.ordinal, all, result);
    const denial = one.score && countAccess(context.state.access, one.score.score);
    if (denial) context.stop({ kind: 'denied', denial });
    if (all) committer.add(undefined, result);
  }
  return found;
}

/** The work ends when nobody holds a part of it any more. */
async function endWhenLeft(following: Following): Promise<void> {
  const { context, loop, epoch, lastClaim } = following;
  const { parts, lease } = context;
  const { assignments } = await parts.store.assignments.list();
  const isHeld = ({ runId, holder, isLost }: Assignment) =>
    runId === lease.runId && holder !== undefined && !isLost;
  if (assignments.some(isHeld)) return;
  // The last of them may have found something out, or paid for something, before it let go.
  const { stop, spentUsd } = await parts.store.work.news(lease, epoch, lastClaim);
  loop.meter.told(spentUsd);
  heed(context, stop);
  await end(following);
}

/** From here on nothing is sealed, so that what is read then is all there is. */
async function end(following: Following): Promise<void> {
  const { context } = following;
  const { parts, lease } = context;
  await parts.store.work.end(lease);
  void context.onWork();
  await absorb(following, await parts.store.log.pending(lease.owner, lease.runId));
  context.state.runningElsewhere = 0;
  following.isEnded = true;
}
