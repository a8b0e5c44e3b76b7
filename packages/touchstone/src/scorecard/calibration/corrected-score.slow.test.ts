// Goal: the corrected interval covers what people would have said at its nominal rate, where the interval of the judge's
// scores does not. Method: draw runs in which people's verdict on every task is known, let a judge with known faults
// decide, label a part, and count. Seeds are fixed.
import { asId, type TaskId, type TaskResult } from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import { meanInterval } from '../statistics/mean-interval.js';
import { createRandom } from '../statistics/random.js';
import { correctScore } from './corrected-score.js';

const RUNS = 400;
const NOMINAL = 0.95;
/** Three standard errors of a rate that is counted in this many runs. */
const SLACK = 3 * Math.sqrt((NOMINAL * (1 - NOMINAL)) / RUNS);
const JUDGE = asId<NonNullable<TaskResult['judge']>>('sha256:judge');

type Population = {
  /** What people would say of the agent's answers in general. */
  readonly truth: number;
  /** How often the judge sees met what people see met, and unmet what they see unmet. */
  readonly sensitivity: number;
  readonly specificity: number;
  readonly tasks: number;
  /** The chance that a passed task is labelled, and a failed one. */
  readonly labelled: readonly [passed: number, failed: number];
};

const POPULATIONS: readonly (readonly [string, Population])[] = [
  [
    'a judge that lets too much pass',
    { truth: 0.7, sensitivity: 0.97, specificity: 0.6, tasks: 300, labelled: [0.25, 0.25] },
  ],
  [
    'a judge that is too strict',
    { truth: 0.8, sensitivity: 0.75, specificity: 0.95, tasks: 300, labelled: [0.25, 0.25] },
  ],
  [
    'reviewers who look at failures five times as often',
    { truth: 0.7, sensitivity: 0.9, specificity: 0.6, tasks: 400, labelled: [0.15, 0.75] },
  ],
  ['a judge who is right', { truth: 0.75, sensitivity: 1, specificity: 1, tasks: 300, labelled: [0.2, 0.2] }],
];

function coverageOf(name: string, population: Population) {
  const random = createRandom(name);
  let [raw, corrected, made] = [0, 0, 0];
  for (let run = 0; run < RUNS; run += 1) {
    const drawn = Array.from({ length: population.tasks }, (_, at) => drawTask(population, at, random));
    const results = drawn.map(({ result }) => result);
    const differences = new Map(
      drawn.flatMap(({ result, person, isLabelled }) =>
        isLabelled ? [[result.taskId, person - result.score] as const] : [],
      ),
    );
    const covers = ([low, high]: readonly [number, number]) =>
      low <= population.truth && population.truth <= high;
    const correction = correctScore(results, differences, { bar: 0.8, seed: `run ${run}` });
    if (!correction) continue;
    made += 1;
    if (covers(correction.interval)) corrected += 1;
    if (
      covers(
        meanInterval(
          results.map(({ score }) => score),
          `run ${run}`,
        ),
      )
    )
      raw += 1;
  }
  return { raw: raw / made, corrected: corrected / made, made };
}

function drawTask(
  { truth, sensitivity, specificity, labelled }: Population,
  at: number,
  random: () => number,
) {
  const person = random() < truth ? 1 : 0;
  const score = random() < (person ? sensitivity : 1 - specificity) ? 1 : 0;
  const result: TaskResult = { taskId: asId<TaskId>(`t-${at}`), score, passed: score === 1, judge: JUDGE };
  return { person, result, isLabelled: random() < labelled[score ? 0 : 1] };
}

describe('the corrected interval covers what people would have said', () => {
  it.each(POPULATIONS)('with %s', (name, population) => {
    const { raw, corrected, made } = coverageOf(name, population);
    console.log(`${name}: raw ${raw.toFixed(3)}, corrected ${corrected.toFixed(3)} of ${made}`);
    expect(made).toBeGreaterThan(0.95 * RUNS);
    expect(corrected).toBeGreaterThanOrEqual(NOMINAL - SLACK);
    if (population.sensitivity < 1) expect(raw).toBeLessThan(0.8);
  });
});
