import type { Digest } from '@touchstone/protocol';
import type { Assignment, AssignmentList } from '../../ports/index.js';

/** Assignments that a process holds at most, but for the first of a tenant that has none anywhere: that one never waits. */
const MOST = 16;
/** One that is held for less is left alone: opening agents costs something. */
const SETTLED_MS = 3_000;
/** One that waits is left to those who hold less, for so long. */
const LEFT_MS = 1_000;

/** Everything that decides which assignments a process takes and lets go of. */
export type ShareView = AssignmentList & {
  readonly environment: Digest;
  /** Those that are being executed here. */
  readonly active: ReadonlySet<string>;
  /** Those that could not be executed here, and are left to others for a while. */
  readonly passed: ReadonlySet<string>;
};

export type ShareStep = { readonly kind: 'take' | 'release'; readonly assignment: Assignment };

export const assignmentKey = ({ runNo, epoch, place }: Assignment): string => `${runNo}.${epoch}.${place}`;

/**
 * Spreads assignments evenly over processes, and over tenants when all places are taken. Every process decides for itself, from
 * the same list: no process gives way where another one is to.
 */
export function nextShare(view: ShareView): ShareStep | undefined {
  if (!view.holders.some(({ name }) => name === view.own)) return undefined;
  const taken = toTake(view);
  if (taken) return { kind: 'take', assignment: taken };
  const released = toMakeRoom(view) ?? toLevel(view);
  return released && { kind: 'release', assignment: released };
}

const isHeld = ({ holder, isLost }: Assignment): boolean => holder !== undefined && !isLost;
const isOpen = ({ hasUnits, stop, control }: Assignment): boolean => hasUnits && !stop && !control;

/** A process may execute what was planned in its environment, and what no process has the environment of. */
function suits({ holders }: ShareView, environment: Digest, { environment: wanted }: Assignment): boolean {
  return wanted === undefined || wanted === environment || !holders.some((one) => one.environment === wanted);
}

/** Free, lost, or held by this process without being executed: its confirmation was lost. */
const isWaiting = ({ own, active }: ShareView, one: Assignment): boolean =>
  isOpen(one) && (!isHeld(one) || (one.holder === own && !active.has(assignmentKey(one))));

const heldBy = ({ assignments }: ShareView, name: string): number =>
  assignments.filter((one) => one.holder === name && isHeld(one)).length;
const heldOf = ({ assignments }: ShareView, { owner }: Assignment): number =>
  assignments.filter((one) => one.owner.tenant === owner.tenant && isHeld(one)).length;

/** Of those that wait, the oldest of the tenant that has least. */
function toTake(view: ShareView): Assignment | undefined {
  const { own, environment, passed, assignments, now } = view;
  const mine = heldBy(view, own);
  const mayTake = (one: Assignment): boolean =>
    isWaiting(view, one) &&
    suits(view, environment, one) &&
    !passed.has(assignmentKey(one)) &&
    (mine < MOST || heldOf(view, one) === 0) &&
    (now - one.since >= LEFT_MS || !hasLess(view, mine, one));
  return first(assignments.filter(mayTake), (a, b) => heldOf(view, a) - heldOf(view, b) || a.since - b.since);
}

/** Whether another process that could take it holds fewer. */
const hasLess = (view: ShareView, mine: number, one: Assignment): boolean =>
  view.holders.some(
    ({ name, environment }) =>
      name !== view.own && suits(view, environment, one) && heldBy(view, name) < mine,
  );

/** When this process is full, and a tenant waits that has less than another: the oldest of the one that has most. */
function toMakeRoom(view: ShareView): Assignment | undefined {
  const { own, environment, passed, assignments } = view;
  if (heldBy(view, own) < MOST) return undefined;
  const waiting = assignments.filter(
    (one) => isWaiting(view, one) && suits(view, environment, one) && !passed.has(assignmentKey(one)),
  );
  const least = first(waiting, (a, b) => heldOf(view, a) - heldOf(view, b));
  if (!least) return undefined;
  const settled = assignments.filter((one) => isSettled(view, one));
  const giver = first(settled, (a, b) => heldOf(view, b) - heldOf(view, a) || a.since - b.since);
  if (!giver || giver.holder !== own || heldOf(view, giver) <= heldOf(view, least) + 1) return undefined;
  return giver;
}

/** When nothing waits, and another process holds at least two fewer than this one, which holds most. */
function toLevel(view: ShareView): Assignment | undefined {
  const { own, holders, assignments } = view;
  const mine = heldBy(view, own);
  if (assignments.some((one) => isWaiting(view, one))) return undefined;
  const isFullest = holders.every(({ name }) => {
    const theirs = heldBy(view, name);
    return theirs < mine || (theirs === mine && name >= own);
  });
  if (!isFullest) return undefined;
  const couldHave = (one: Assignment): boolean =>
    holders.some(({ name, environment }) => environment === one.environment && heldBy(view, name) < mine - 1);
  const settled = assignments.filter((one) => one.holder === own && isSettled(view, one) && couldHave(one));
  return first(settled, (a, b) => a.since - b.since);
}

/** Held for a while, and with something left to do. */
const isSettled = ({ now }: ShareView, one: Assignment): boolean =>
  isHeld(one) && isOpen(one) && now - one.since >= SETTLED_MS;

/** The first by an order; of equals the one that is listed first, which is the same for every process. */
const first = <T>(list: readonly T[], order: (a: T, b: T) => number): T | undefined =>
  [...list].sort(order)[0];
