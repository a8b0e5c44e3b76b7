import { binomialChances } from './binomial.js';

/** Fewer differing tasks than this decide nothing: five of five is the first result that chance makes under 5 % of the time. */
export const FEWEST_DIFFERING = 5;
/** A drop is called real when chance alone would make it less often than this. */
export const ALPHA = 0.05;
const POWER = 0.8;
/** Scores are sums of fractions. A drop that exceeds the tolerance by less than this is the tolerance. */
export const ROUNDING = 1e-9;

const HALVINGS = 30;

/**
 * The smallest drop of the mean score, over n paired tasks, that the regression rule calls real in 80 % of all runs.
 *
 * The world it is computed in: scores are 0 or 1. By chance alone a task changes sides with chance `noise`, either way
 * alike; on top of that it falls from 1 to 0 with chance `drop`. So
 *
 *     differs = min(1, noise + drop),  falls = (differs + drop) / 2,  rises = (differs − drop) / 2,
 *     power(drop) = Σ over k of P[Bin(n, differs) = k] · P[Bin(k, falls / differs) ≥ needed(k)],
 *     needed(k)   = the fewest falls among k differing tasks with P[Bin(k, ½) ≥ falls] < 0.05 and
 *                   (2 · falls − k) / n > tolerance; for k < 5 there are none,
 *
 * and the answer is the smallest drop with power(drop) ≥ 0.8: exact for any n, without a normal approximation. Power
 * grows with the drop, because a task that falls instead of staying or rising never makes the test less sure; so halving
 * finds the answer. Below 5 pairs there is none.
 *
 * `noise` is the variance of the observed differences about their mean. In this world that is the share of tasks that
 * flip by chance; where scores move by parts, the same variance comes from more and smaller moves. A given drop of the
 * mean is then spread over more tasks and found at least as often: drops concentrated in few tasks are the hard case.
 */
export function smallestDetectableDrop(pairs: number, noise: number, tolerance = 0): number | undefined {
  const needed = fallsNeeded(pairs, tolerance);
  const room = new Float64Array(pairs + 1);
  const isFound = (drop: number): boolean => powerOf(pairs, noise, drop, needed, room) >= POWER;
  if (!isFound(1)) return undefined;
  let [missed, found] = [0, 1];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const drop = (missed + found) / 2;
    if (isFound(drop)) found = drop;
    else missed = drop;
  }
  return found;
}

const POINTS = 24;

/** How likely the rule finds a drop, from none to `most`. */
export function powerCurve(
  pairs: number,
  noise: number,
  most: number,
  tolerance = 0,
): readonly { readonly drop: number; readonly chance: number }[] {
  const needed = fallsNeeded(pairs, tolerance);
  const room = new Float64Array(pairs + 1);
  return Array.from({ length: POINTS + 1 }, (_, at) => {
    const drop = (most * at) / POINTS;
    const chance = noise + drop === 0 ? 0 : powerOf(pairs, noise, drop, needed, room);
    return { drop, chance: Math.min(1, Math.max(0, chance)) };
  });
}

/** Suites that are larger find drops that nobody asks for, and counting on would take long. */
const MOST_PAIRS = 200_000;

/** How many pairs it takes to find a drop in 80 % of all runs; undefined when it is too many to say. */
export function pairsToDetect(drop: number, noise: number, tolerance = 0): number | undefined {
  const isFound = (pairs: number): boolean =>
    powerOf(pairs, noise, drop, fallsNeeded(pairs, tolerance)) >= POWER;
  let found = FEWEST_DIFFERING;
  while (!isFound(found)) {
    found *= 2;
    if (found > MOST_PAIRS) return undefined;
  }
  let missed = Math.floor(found / 2);
  while (found - missed > Math.max(1, found / 100)) {
    const middle = Math.floor((missed + found) / 2);
    if (isFound(middle)) found = middle;
    else missed = middle;
  }
  return found;
}

/** For every number of differing tasks how many of them must have fallen; more than there are when none would do. */
function fallsNeeded(pairs: number, tolerance: number): Int32Array {
  const needed = new Int32Array(pairs + 1).map((_, differing) => differing + 1);
  const walk = startTail(FEWEST_DIFFERING, 0.5);
  for (let differing = FEWEST_DIFFERING; differing <= pairs; differing += 1) {
    const beyond = Math.floor((differing + (tolerance + ROUNDING) * pairs) / 2) + 1;
    needed[differing] = Math.max(walk.atLeast, beyond);
    advanceTail(walk, 0.5, tailAfterThrow(walk, 0.5) >= ALPHA);
  }
  return needed;
}

function powerOf(
  pairs: number,
  noise: number,
  drop: number,
  needed: Int32Array,
  room?: Float64Array,
): number {
  const start = needed.findIndex((falls, differing) => falls <= differing);
  if (start < 0) return 0;
  const differs = Math.min(1, noise + drop);
  const fall = (differs + drop) / 2 / differs;
  const chances = binomialChances(pairs, differs, room);
  const walk = startTail(start, fall);
  let power = 0;
  for (let differing = start; differing <= pairs; differing += 1) {
    const chance = chances[differing] as number;
    // What lies this far out adds nothing any more.
    if (differing > pairs * differs && chance < Number.EPSILON) break;
    power += chance * walk.tail;
    if (differing < pairs) advanceTail(walk, fall, (needed[differing + 1] as number) > walk.atLeast);
  }
  return power;
}

/**
 * P[Bin(throws, chance) ≥ atLeast], carried along from one number of throws to the next at the cost of a few products:
 * `needed` never rises by more than one at a time. `edge` is the logarithm of P[Bin(throws, chance) = atLeast − 1],
 * because far from the middle the number itself would underflow and never come back.
 */
type Tail = { throws: number; atLeast: number; tail: number; edge: number };

/** All throws must be hits, which is where every walk begins. */
const startTail = (throws: number, chance: number): Tail => ({
  throws,
  atLeast: throws,
  tail: chance ** throws,
  edge: Math.log(throws) + (throws - 1) * Math.log(chance) + Math.log(1 - chance),
});

const tailAfterThrow = ({ tail, edge }: Tail, chance: number): number => tail + chance * Math.exp(edge);

/** One more throw, and one more hit asked for when `raised`. Nothing is divided by 1 − chance, which may be 0. */
function advanceTail(walk: Tail, chance: number, raised: boolean): void {
  const { throws, atLeast } = walk;
  if (raised) {
    walk.tail -= (chance * Math.exp(walk.edge) * (throws - atLeast + 1)) / atLeast;
    walk.edge += Math.log((chance * (throws + 1)) / atLeast);
    walk.atLeast += 1;
  } else {
    walk.tail = tailAfterThrow(walk, chance);
    walk.edge += Math.log(((1 - chance) * (throws + 1)) / (throws - atLeast + 2));
  }
  walk.throws += 1;
}
