import { type EvalPlan, isHostError } from '@touchstone/protocol';
import {
  type Assignment,
  LeaseLost,
  type SealedUnit,
  type UnitRange,
  type WorkStop,
} from '../../ports/index.js';
import type { DriveContext } from '../run/drive-context.js';
import { foldStep, type Loop } from '../run/loop.js';
import { countAccess } from '../run/next-step.js';
import { positions } from '../run/restore.js';
import { slotsOf } from './spread.js';
import { type UnitNumbers, unitNumbers } from './unit-numbers.js';

/** How often the driver looks for what others have sealed: soon while there is something, later otherwise. */
const SOON_MS = 50;
const LATER_MS = 250;
/** Claims have this many units at most, so that one which begins before a unit by more ends before it. */
const LARGEST_CLAIM = 256;

/** The driver's part of a run whose units other processes execute: it learns what they have sealed, and stops them. */
export type SharedWork = {
  /** More than 0 while something may still be sealed. */
  running(): number;
};

type Following = {
  readonly context: DriveContext;
  readonly loop: Loop;
  readonly numbers: UnitNumbers;
  readonly epoch: number;
  readonly concurrency: number;
  readonly positionOf: (ordinal: number) => number;
  /** Claims of which some unit is not known to be sealed. */
  readonly open: Map<number, UnitRange>;
  lastClaim: number;
  isDraining: boolean;
  isEnded: boolean;
};

export async function openSharedWork(
  context: DriveContext,
  loop: Loop,
  concurrency: number,
): Promise<SharedWork> {
  const { parts, lease, state } = context;
  const plan = loop.run.plan as EvalPlan;
  const numbers = unitNumbers(plan);
  const firstUnit = firstUnsealed(loop, numbers, 0);
  const { environment } = plan;
  const { epoch } = await parts.store.work.open(lease, {
    firstUnit,
    units: numbers.units,
    hasSealed: hasSealedFrom(loop, numbers, firstUnit),
    slots: slotsOf(concurrency),
    ...(environment && { environment }),
    ...(plan.ceilingUsd !== undefined && { ceilingUsd: plan.ceilingUsd }),
  });
  context.onWork();
  const following: Following = {
    context,
    loop,
    numbers,
    epoch,
    concurrency,
    positionOf: positions(loop.kind),
    open: new Map(),
    lastClaim: firstUnit - LARGEST_CLAIM - 1,
    isDraining: false,
    isEnded: false,
  };
  void follow(following);
  return {
    running() {
      const isLeft = state.leaving || (state.draining && loop.units.left);
      return following.isEnded || isLeft ? 0 : 1;
    },
  };
}

const isSealed = ({ backlog }: Loop, { unitAt }: UnitNumbers, unit: number): boolean => {
  const { position, repeat } = unitAt(unit);
  return backlog.isSealed(position, repeat);
};

function firstUnsealed(loop: Loop, numbers: UnitNumbers, from: number): number {
  let unit = from;
  while (unit < numbers.units && isSealed(loop, numbers, unit)) unit += 1;
  return unit;
}

function hasSealedFrom(loop: Loop, numbers: UnitNumbers, from: number): boolean {
  for (let unit = from; unit < numbers.units; unit += 1) if (isSealed(loop, numbers, unit)) return true;
  return false;
}

/** Looks again and again until the work has ended, or the drive has. */
async function follow(following: Following): Promise<void> {
  const { context, loop } = following;
  const { parts, state, over } = context;
  const signals = [loop.withdrawal.signal, loop.abort.signal];
  try {
    while (!following.isEnded && !state.leaving && !over.aborted) {
      const found = await look(following);
      if (following.isEnded) break;
      await pause(parts.clock.sleep, found ? SOON_MS : LATER_MS, signals, over);
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

/** Until the time is over, or the run is told to stop meanwhile. */
async function pause(
  sleep: (ms: number, signal: AbortSignal) => Promise<void>,
  ms: number,
  signals: readonly AbortSignal[],
  over: AbortSignal,
): Promise<void> {
  const end = new AbortController();
  const wake = (): void => end.abort();
  const listened = [...signals.filter((signal) => !signal.aborted), over];
  for (const signal of listened) signal.addEventListener('abort', wake);
  await sleep(ms, end.signal).catch(() => undefined);
  for (const signal of listened) signal.removeEventListener('abort', wake);
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
  if (loop.withdrawal.signal.aborted && !following.isDraining) {
    following.isDraining = true;
    await work.drain(lease);
    context.onWork();
  }
  const news = await work.news(lease, epoch, following.lastClaim);
  if (news.epoch !== epoch) throw new LeaseLost(lease.runId);
  loop.meter.told(news.spentUsd);
  heed(context, news.stop);
  for (const claim of news.claims) following.open.set(claim.first, claim);
  following.lastClaim = news.claims.at(-1)?.first ?? following.lastClaim;
  const found = await absorbClaims(following);
  if (following.isDraining || !loop.units.left) await endWhenLeft(following);
  state.wake();
  return found || news.claims.length > 0;
}

/** What those who execute have found out. A changed agent goes before a pause: what it has measured is worth nothing. */
function heed({ state, stop }: DriveContext, found: WorkStop | undefined): void {
  if (found === 'crashed') state.crash ??= { error: new Error('A unit could not be executed.') };
  if (found !== 'changed') return;
  if (state.stop?.kind === 'pause') state.stop = { kind: 'changed' };
  else stop({ kind: 'changed' });
}

/** Reads what is sealed of the open claims, from the first unit on that the log waits for. */
async function absorbClaims(following: Following): Promise<boolean> {
  const { context, loop, numbers, open } = following;
  const ranges = [...open.values()].map((claim) => {
    const first = Math.min(firstUnsealed(loop, numbers, claim.first), claim.first + claim.count - 1);
    return numbers.stepsOf({ first, count: claim.first + claim.count - first });
  });
  const sealed = ranges.length === 0 ? [] : await context.parts.store.work.sealed(context.lease, ranges);
  const found = await absorb(following, sealed);
  for (const [first, { count }] of open)
    if (firstUnsealed(loop, numbers, first) >= first + count) open.delete(first);
  context.state.running = Math.min(following.concurrency, unsealedIn(following));
  return found;
}

/** Units that were claimed and are not sealed. Some of them may wait: no more run than the run allows. */
function unsealedIn({ loop, numbers, open }: Following): number {
  let count = 0;
  for (const claim of open.values())
    for (let unit = claim.first; unit < claim.first + claim.count; unit += 1)
      if (!isSealed(loop, numbers, unit)) count += 1;
  return count;
}

async function absorb(following: Following, sealed: readonly SealedUnit[]): Promise<boolean> {
  const { context, loop, positionOf } = following;
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
  context.onWork();
  await absorb(following, await parts.store.log.pending(lease.owner, lease.runId));
  following.isEnded = true;
}
