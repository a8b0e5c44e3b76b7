// Goal: the rates that the documents promise are the rates that happen. Method: draw many pairs of runs from worlds whose
// truth is known, let the rule decide each, and count. Seeds are fixed, so a failure is a change and not bad luck.
//
// What it shows beside the promise: with 10 tasks the rule is far below its 5 % of false alarms, because five of them
// must differ before it speaks at all, and a suite that small can only show a drop of about 0.6 and more. The chance of
// finding the smallest detectable drop is 80 % there too: discreteness makes that drop large, not its chance uncertain.
import { describe, expect, it } from 'vitest';
import { decideRegression } from '../comparison/regression.js';
import { mean } from '../fold/aggregate.js';
import { smallestDetectableDrop } from './detectable.js';
import { createRandom } from './random.js';
import { signFlipP } from './sign-flip.js';

const RUNS = 2_000;
const SIZES = [10, 30, 100, 1_000] as const;
const FALSE_ALARMS = 0.05;
const POWER = 0.8;
/** Three standard errors of a rate that is counted in this many runs. */
const slack = (rate: number): number => 3 * Math.sqrt((rate * (1 - rate)) / RUNS);
const TOLERABLE = FALSE_ALARMS + slack(FALSE_ALARMS);
/** A rate takes a few seconds on two idle cores; this only says when to give up. */

type Random = () => number;
/** The difference of one task between two runs. */
type World = (random: Random) => number;
type Rule = (differences: readonly number[], seed: string) => boolean;

const ours: Rule = (differences, seed) =>
  decideRegression(differences, { tolerance: 0, seed }).verdict === 'fail';

function rateOf(name: string, tasks: number, draw: World, rule: Rule = ours): number {
  const random = createRandom(`${name} ${tasks}`);
  let found = 0;
  for (let run = 0; run < RUNS; run += 1) {
    const differences = Array.from({ length: tasks }, () => draw(random));
    if (rule(differences, `run ${run}`)) found += 1;
  }
  return found / RUNS;
}

/** How many of so many tries succeed. */
function tries(random: Random, count: number, chance: number): number {
  let hits = 0;
  for (let at = 0; at < count; at += 1) if (random() < chance) hits += 1;
  return hits;
}

/** Tasks fall from full to no credit, or rise. */
const sides =
  (falls: number, rises: number): World =>
  (random) => {
    const at = random();
    if (at < falls) return -1;
    return at < falls + rises ? 1 : 0;
  };

/** Two runs of one agent on a task: most tasks are settled, the others have a chance of their own. */
const sameChanceTwice =
  (settled: number, count: number): World =>
  (random) => {
    if (random() < settled) return 0;
    const chance = random();
    return (tries(random, count, chance) - tries(random, count, chance)) / count;
  };

const jitter: World = (random) => (random() < 0.7 ? 0 : (random() - random()) / 4);

const WITHOUT_CHANGE: readonly (readonly [string, World])[] = [
  ['golden tasks of which 5 % flip', sides(0.025, 0.025)],
  ['golden tasks of which 20 % flip', sides(0.1, 0.1)],
  ['rubrics of three criteria', sameChanceTwice(0.5, 3)],
  ['scores that jitter', jitter],
  ['the means of five repeats', sameChanceTwice(0.6, 5)],
];
const cells = WITHOUT_CHANGE.flatMap(([name, world]) => SIZES.map((tasks) => [name, tasks, world] as const));

describe('when nothing changed', () => {
  it.each(cells)('%s, %d of them, rarely raise a false alarm', (name, tasks, world) => {
    const rate = rateOf(name, tasks, world);
    expect(rate).toBeLessThanOrEqual(TOLERABLE);
    // Where there is enough to see, the 5 % are used: a rule that never speaks would pass the line above.
    if (tasks === 1_000) expect(rate).toBeGreaterThan(0.02);
    if (tasks === 10) expect(rate).toBeLessThan(0.04);
  });

  it('a rule that takes every drop for a regression does not pass this check', () => {
    const anyDrop: Rule = (differences) => mean(differences) < 0;
    const atEvens: Rule = (differences, seed) => signFlipP(differences, seed) < 0.5;
    for (const rule of [anyDrop, atEvens])
      for (const tasks of [30, 100])
        expect(rateOf('naive', tasks, sides(0.1, 0.1), rule)).toBeGreaterThan(TOLERABLE);
  });

  it('nor does one that takes repeats for tasks', () => {
    // All five repeats of a task go the same way, so they are one piece of news and not five.
    const repeatsApart: Rule = (differences, seed) =>
      ours(
        differences.flatMap((one) => [one, one, one, one, one]),
        seed,
      );
    expect(rateOf('repeats apart', 100, sides(0.1, 0.1), repeatsApart)).toBeGreaterThan(TOLERABLE);
  });
});

/** The world in which the smallest detectable drop is computed, with a drop of that size in it. */
function documented(tasks: number, noise: number): { readonly drop: number; readonly world: World } {
  const drop = smallestDetectableDrop(tasks, noise) as number;
  const differs = Math.min(1, noise + drop);
  return { drop, world: sides((differs + drop) / 2, (differs - drop) / 2) };
}

describe('a drop of the smallest detectable size', () => {
  const known = [0, 0.05, 0.2].flatMap((noise) => SIZES.map((tasks) => [tasks, noise] as const));

  it.each(known)('is found in %d tasks at noise %d four times out of five', (tasks, noise) => {
    const rate = rateOf(`drop ${noise}`, tasks, documented(tasks, noise).world);
    expect(Math.abs(rate - POWER)).toBeLessThanOrEqual(slack(POWER));
  });

  it.each([30, 100, 1_000])('is found more often in %d tasks that lose half their credit', (tasks) => {
    const noise = 0.05;
    const { drop } = documented(tasks, noise);
    const flips = sides(noise / 2, noise / 2);
    const halves: World = (random) => (random() < (2 * drop) / (1 - noise) ? -0.5 : 0);
    const world: World = (random) => flips(random) || halves(random);
    expect(rateOf('halves', tasks, world)).toBeGreaterThan(POWER);
  });

  it('is missed by a rule that does not look at pairs', () => {
    // Half of the tasks pass in either run, so two independent samples would differ by this much from chance alone.
    const unpaired: Rule = (differences) =>
      -mean(differences) > 1.645 * Math.sqrt((2 * 0.25) / differences.length);
    for (const tasks of [100, 1_000]) {
      const { world } = documented(tasks, 0.05);
      expect(rateOf('unpaired', tasks, world, unpaired)).toBeLessThan(POWER - slack(POWER));
    }
  });
});
