import { describe, expect, it } from 'vitest';
import { mean } from '../fold/aggregate.js';
import { meanInterval } from './mean-interval.js';
import { createRandom } from './random.js';

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const covers = ([low, high]: readonly [number, number], value: number): boolean =>
  low <= value && value <= high;

// Goal: 95 % means 95 %. Method: draw many suites from a world whose true mean is known, and count how often the interval
// holds it. 300 suites are off by more than 4 points one time in a thousand; the seeds are fixed, so a failure is a change.
const SUITES = 300;
type Draw = (random: () => number) => number;

function coverage(world: string, tasks: number, truth: number, draw: Draw): number {
  const random = createRandom(world);
  const held = times(SUITES, (suite) =>
    covers(
      meanInterval(
        times(tasks, () => draw(random)),
        `suite ${suite}`,
      ),
      truth,
    ),
  );
  return held.filter(Boolean).length / SUITES;
}

describe('the coverage of the interval of a mean score', () => {
  const pass =
    (chance: number): Draw =>
    (random) =>
      random() < chance ? 1 : 0;
  const thirds: Draw = (random) => Math.floor(random() * 4) / 3;
  const mostlyHigh: Draw = (random) => 1 - random() ** 2;
  /** A task has a chance of its own; its score is the mean of five repeats. */
  const repeated: Draw = (random) => {
    const chance = random();
    return mean(times(5, () => (random() < chance ? 1 : 0)));
  };

  it.each([
    ['passes at 0.5', 40, 0.5, pass(0.5)],
    ['passes at 0.8', 40, 0.8, pass(0.8)],
    ['passes at 0.95', 60, 0.95, pass(0.95)],
    ['rubrics of three criteria', 30, 0.5, thirds],
    ['scores that are all different', 30, 2 / 3, mostlyHigh],
    ['repeats inside their task', 40, 0.5, repeated],
  ] as const)('is near 95 in 100 for %s', (world, tasks, truth, draw) => {
    const held = coverage(world, tasks, truth, draw);
    expect(held).toBeGreaterThanOrEqual(0.91);
    expect(held).toBeLessThanOrEqual(0.99);
  });

  it('would be lost if repeats were taken for tasks', () => {
    const random = createRandom('taken apart');
    const held = times(SUITES, (suite) => {
      const chances = times(40, random);
      const scores = chances.flatMap((chance) => times(5, () => (random() < chance ? 1 : 0)));
      return covers(meanInterval(scores, `suite ${suite}`), 0.5);
    });
    expect(held.filter(Boolean).length / SUITES).toBeLessThan(0.85);
  });
});
