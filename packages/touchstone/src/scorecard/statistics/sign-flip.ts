import { fairTail } from './binomial.js';
import { createWords } from './random.js';

/** Up to so many differing tasks every assignment of signs is looked at: about a million. */
export const EXACT_PAIRS = 20;
const DRAWS = 9_999;
const FEWEST_DRAWS = 999;
/** Signs drawn at most, but for the fewest draws: this many take well under a second. */
const SIGNS = 3e8;

/**
 * Differences are counted in steps of this size. Whole numbers add up the same in any order, and two scores that differ
 * by rounding only, as 1 − 2/3 and 1/3 do, differ by no step at all. Sums stay exact up to two million tasks.
 */
const STEP = 2 ** -32;

/** How far a score moved, in whole steps; 0 is not at all. */
export const stepsOf = (difference: number): number => Math.round(difference / STEP);

/**
 * The one-sided paired sign-flip test. When nothing changed but chance, each task's difference (after − before) could as
 * well have had the other sign; p is the share of all assignments of signs whose sum is at most the observed one. A small
 * p says: chance alone rarely makes a drop this large. Tasks that did not differ have no sign and do not take part.
 *
 * Turning the signs of some tasks takes twice their sum away from the total. So an assignment reaches the observed sum
 * exactly when the tasks it turns add up to 0 or more, and those subsets are what is counted below.
 */
export function signFlipP(differences: ArrayLike<number>, seed: string): number {
  const steps = Float64Array.from(differences, stepsOf)
    .filter((step) => step !== 0)
    .sort();
  if (steps.length <= EXACT_PAIRS) return countSubsets(steps);
  if (haveOneSize(steps)) return fairTail(steps.length, steps.filter((step) => step < 0).length);
  return drawSubsets(steps, seed);
}

/** All of a golden suite's differences are whole points: then only the number of drops matters, and coins are enough. */
function haveOneSize(sorted: Float64Array): boolean {
  const size = Math.abs(sorted[0] ?? 0);
  return sorted.every((step) => Math.abs(step) === size);
}

/** Rounding to steps moves a sum by at most half a step per task. A tie it may have broken still counts as a hit. */
const slackOf = (steps: Float64Array): number => steps.length / 2;

/** Meets in the middle: every subset is one of the first half's joined with one of the second half's. */
function countSubsets(steps: Float64Array): number {
  const middle = steps.length >> 1;
  const first = subsetSums(steps.subarray(0, middle)).sort();
  const second = subsetSums(steps.subarray(middle)).sort();
  let hits = 0;
  let reached = second.length;
  for (const sum of first) {
    while (reached > 0 && sum + (second[reached - 1] as number) >= -slackOf(steps)) reached -= 1;
    hits += second.length - reached;
  }
  return hits / 2 ** steps.length;
}

/** The sums of all subsets; the bits of an index say who belongs to it. */
function subsetSums(steps: Float64Array): Float64Array {
  const sums = new Float64Array(2 ** steps.length);
  for (const [place, step] of steps.entries()) {
    const known = 2 ** place;
    for (let subset = 0; subset < known; subset += 1) sums[known + subset] = (sums[subset] as number) + step;
  }
  return sums;
}

/** Seeded Monte Carlo. The observed assignment counts as one of the drawn, so p is never 0 and the test keeps its level. */
function drawSubsets(steps: Float64Array, seed: string): number {
  const draws = Math.max(FEWEST_DRAWS, Math.min(DRAWS, Math.floor(SIGNS / steps.length)));
  const next = createWords(`${seed} ${steps.length}`);
  const urn = fillUrn(steps);
  const least = -slackOf(steps);
  let hits = 0;
  for (let draw = 0; draw < draws; draw += 1) if (drawSum(urn, next) >= least) hits += 1;
  return (1 + hits) / (1 + draws);
}

/** Tasks that moved alike, thirty-two to a word: of these only the number drawn matters. The others go to tables. */
type Urn = {
  readonly alike: readonly { readonly step: number; readonly words: number }[];
  readonly tables: Float64Array;
};

function fillUrn(sorted: Float64Array): Urn {
  const alike: { step: number; words: number }[] = [];
  const loose: number[] = [];
  for (let from = 0; from < sorted.length; ) {
    const step = sorted[from] as number;
    let end = from + 1;
    while (sorted[end] === step) end += 1;
    const words = (end - from) >> 5;
    if (words > 0) alike.push({ step, words });
    for (let rest = from + words * 32; rest < end; rest += 1) loose.push(step);
    from = end;
  }
  return { alike, tables: tablesOf(loose) };
}

const TASKS_PER_TABLE = 4;
const TABLE = 2 ** TASKS_PER_TABLE;
const TABLES_PER_WORD = 32 / TASKS_PER_TABLE;

/** The subset sums of every four tasks, side by side: four bits of chance then cost one look. Filled up with zeros. */
function tablesOf(steps: readonly number[]): Float64Array {
  const words = Math.ceil(steps.length / 32);
  const padded = new Float64Array(words * 32);
  padded.set(steps);
  const tables = new Float64Array(words * TABLES_PER_WORD * TABLE);
  for (let table = 0; table < words * TABLES_PER_WORD; table += 1) {
    const from = table * TASKS_PER_TABLE;
    tables.set(subsetSums(padded.subarray(from, from + TASKS_PER_TABLE)), table * TABLE);
  }
  return tables;
}

function drawSum({ alike, tables }: Urn, next: () => number): number {
  let sum = 0;
  for (const { step, words } of alike) {
    let drawn = 0;
    for (let word = 0; word < words; word += 1) drawn += countBits(next());
    sum += step * drawn;
  }
  for (let from = 0; from < tables.length; ) {
    let bits = next();
    for (const end = from + TABLES_PER_WORD * TABLE; from < end; from += TABLE) {
      sum += tables[from + (bits & (TABLE - 1))] as number;
      bits >>>= TASKS_PER_TABLE;
    }
  }
  return sum;
}

/** Adds neighbouring bits, then pairs, then nibbles; the product gathers the four bytes. */
function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
