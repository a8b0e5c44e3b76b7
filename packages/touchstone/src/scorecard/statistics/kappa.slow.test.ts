// Goal: an interval of kappa holds the true kappa as often as it says, and a judge that drifts is found without false
// alarms. Method: draw labels and verdicts from populations whose truth is known, and count. Seeds are fixed.
import type { Confusion } from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import { kappaOf } from '../calibration/kappa.js';
import { kappaInterval } from './kappa-interval.js';
import { createRandom } from './random.js';

const RUNS = 1_000;
const NOMINAL = 0.95;
const slack = 3 * Math.sqrt((NOMINAL * (1 - NOMINAL)) / RUNS);

/** How often people say met, how often the judge then says so, and how often it says unmet when they do. */
type Population = { readonly met: number; readonly sensitivity: number; readonly specificity: number };

const truthOf = ({ met, sensitivity, specificity }: Population): number =>
  kappaOf({
    tp: met * sensitivity,
    fn: met * (1 - sensitivity),
    fp: (1 - met) * (1 - specificity),
    tn: (1 - met) * specificity,
  }) ?? 0;

const cellOf = (person: boolean, judge: boolean): keyof Confusion =>
  person ? (judge ? 'tp' : 'fn') : judge ? 'fp' : 'tn';

/** One task with so many labels. In a task that is `alike`, all labels and verdicts are those of the first. */
function drawTask(population: Population, labels: number, isAlike: boolean, random: () => number): Confusion {
  const table = { tp: 0, fp: 0, fn: 0, tn: 0 };
  let cell: keyof Confusion | undefined;
  for (let label = 0; label < labels; label += 1) {
    if (!isAlike || cell === undefined) {
      const person = random() < population.met;
      const judge = random() < (person ? population.sensitivity : 1 - population.specificity);
      cell = cellOf(person, judge);
    }
    table[cell] += 1;
  }
  return table;
}

function coverage(
  name: string,
  population: Population,
  tasks: number,
  labels: number,
  isAlike: boolean,
): number {
  const random = createRandom(name);
  const truth = truthOf(population);
  let covered = 0;
  for (let run = 0; run < RUNS; run += 1) {
    const clusters = Array.from({ length: tasks }, () => drawTask(population, labels, isAlike, random));
    const [low, high] = kappaInterval(clusters);
    if (low <= truth && truth <= high) covered += 1;
  }
  return covered / RUNS;
}

const POPULATIONS: readonly (readonly [string, Population])[] = [
  ['an even population and a good judge', { met: 0.5, sensitivity: 0.92, specificity: 0.92 }],
  ['mostly met and a good judge', { met: 0.8, sensitivity: 0.95, specificity: 0.85 }],
  ['mostly met and a fair judge', { met: 0.8, sensitivity: 0.9, specificity: 0.6 }],
  ['a judge that tosses a coin', { met: 0.6, sensitivity: 0.5, specificity: 0.5 }],
  ['an almost perfect judge', { met: 0.6, sensitivity: 0.98, specificity: 0.98 }],
];
const CASES = POPULATIONS.flatMap(([name, population]) =>
  ([30, 50, 200] as const).map((tasks) => [name, tasks, population] as const),
);

describe('the interval of kappa', () => {
  it.each(CASES)('of %s, %d labels, covers the truth at its rate', (name, tasks, population) => {
    expect(coverage(name, population, tasks, 1, false)).toBeGreaterThanOrEqual(NOMINAL - slack);
  });

  it('draws tasks: labels that repeat each other inside a task do not make it narrower', () => {
    const population = { met: 0.6, sensitivity: 0.85, specificity: 0.85 };
    expect(coverage('alike', population, 40, 5, true)).toBeGreaterThanOrEqual(NOMINAL - slack);
  });
});
