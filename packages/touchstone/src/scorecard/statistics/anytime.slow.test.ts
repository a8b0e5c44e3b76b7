// Goal: looking after every round and stopping at the first verdict is wrong no more often than promised, whatever the
// scores are like, and saves tasks. Method: draw evaluations whose truth is known, look after each round, and count.
// Seeds are fixed, so a failure is a change and not bad luck.
import { describe, expect, it } from 'vitest';
import { ANYTIME_ALPHA, anytimeInterval, anytimeUpper } from './anytime.js';
import { decideVerdict } from './decide-verdict.js';
import { meanInterval } from './mean-interval.js';
import { createRandom } from './random.js';

const EVALUATIONS = 1_000;
const ROUND = 20;
const ROUNDS = 25;
/** Three standard errors of a rate that is counted in this many evaluations. */
const TOLERABLE = ANYTIME_ALPHA + 3 * Math.sqrt((ANYTIME_ALPHA * (1 - ANYTIME_ALPHA)) / EVALUATIONS);

type Draw = (random: () => number) => number;
type Rule = (scores: readonly number[]) => readonly [number, number];

const golden =
  (rate: number): Draw =>
  (random) =>
    random() < rate ? 1 : 0;
const thirds =
  (rate: number): Draw =>
  (random) =>
    [0, 1, 2].filter(() => random() < rate).length / 3;
/** Most tasks are settled, and some are anywhere. */
const mixed: Draw = (random) => (random() < 0.6 ? 1 : Math.floor(random() * 9) / 8);

const POPULATIONS: readonly (readonly [string, Draw, number])[] = [
  ['golden tasks, half of them met', golden(0.5), 0.5],
  ['golden tasks, 80 % met', golden(0.8), 0.8],
  ['golden tasks, 97 % met', golden(0.97), 0.97],
  ['rubrics of three criteria', thirds(0.7), 0.7],
  ['settled tasks and open ones', mixed, 0.8],
];

/** How often the truth was outside at one look at least. */
function missesOf(name: string, draw: Draw, truth: number, rule: Rule, evaluations = EVALUATIONS): number {
  let missed = 0;
  for (let evaluation = 0; evaluation < evaluations; evaluation += 1) {
    const random = createRandom(`${name} ${evaluation}`);
    const scores: number[] = [];
    const looks = Array.from({ length: ROUNDS }, () => {
      for (let task = 0; task < ROUND; task += 1) scores.push(draw(random));
      const [low, high] = rule(scores);
      return low <= truth && truth <= high;
    });
    if (looks.includes(false)) missed += 1;
  }
  return missed / evaluations;
}

describe('looked at 25 times, the truth lies outside at any look in no more than 5 % of evaluations', () => {
  it.each(POPULATIONS)('%s', (name, draw, truth) => {
    expect(missesOf(name, draw, truth, (scores) => anytimeInterval(scores))).toBeLessThanOrEqual(TOLERABLE);
  });

  it('which the interval of a single look does not hold', () => {
    const rate = missesOf('single', golden(0.8), 0.8, (scores) => meanInterval(scores, 'look'), 200);
    expect(rate).toBeGreaterThan(2 * TOLERABLE);
  });
});

describe('a comparison that is looked at 25 times', () => {
  const sameAgent = (random: () => number, differ: number) =>
    random() < differ ? (random() < 0.5 ? 0 : 1) : 0.5;

  it.each([0.05, 0.2, 0.6])(
    'of two runs of one agent in which %d of the tasks differ rarely finds a drop',
    (differ) => {
      let alarms = 0;
      for (let evaluation = 0; evaluation < EVALUATIONS; evaluation += 1) {
        const random = createRandom(`same ${differ} ${evaluation}`);
        const shares: number[] = [];
        const found = Array.from({ length: ROUNDS }, () => {
          for (let task = 0; task < ROUND; task += 1) shares.push(sameAgent(random, differ));
          return anytimeUpper(shares) < 0.5;
        });
        if (found.includes(true)) alarms += 1;
      }
      expect(alarms / EVALUATIONS).toBeLessThanOrEqual(TOLERABLE);
    },
  );
});

/** The first verdict, and after how many of the tasks it came. */
function firstVerdict(random: () => number, draw: Draw, bar: number) {
  const scores: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (let task = 0; task < ROUND; task += 1) scores.push(draw(random));
    const verdict = decideVerdict(anytimeInterval(scores), bar);
    if (verdict !== 'inconclusive') return { verdict, tasks: scores.length };
  }
  return { verdict: 'inconclusive', tasks: scores.length } as const;
}

describe('stopping at the first verdict, with a threshold of 0.8 and 500 tasks', () => {
  const effects = [0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.99];

  it('is rarely wrong and saves most tasks where the answer is clear', () => {
    const rows = effects.map((rate) => {
      const random = createRandom(`stop ${rate}`);
      const all = Array.from({ length: 400 }, () => firstVerdict(random, golden(rate), 0.8));
      const share = (verdict: string) => all.filter((one) => one.verdict === verdict).length / all.length;
      const tasks = all.reduce((sum, one) => sum + one.tasks, 0) / all.length;
      return { rate, pass: share('pass'), fail: share('fail'), open: share('inconclusive'), tasks };
    });
    for (const { rate, pass, fail } of rows) {
      if (rate < 0.8) expect(pass).toBeLessThanOrEqual(TOLERABLE / 2);
      if (rate > 0.8) expect(fail).toBeLessThanOrEqual(TOLERABLE / 2);
    }
    const tasksAt = (rate: number) => rows.find((row) => row.rate === rate)?.tasks ?? Number.NaN;
    expect([tasksAt(0.5), tasksAt(0.6), tasksAt(0.95), tasksAt(0.99)].every((tasks) => tasks < 200)).toBe(
      true,
    );
    expect(rows.find(({ rate }) => rate === 0.8)?.open).toBeGreaterThan(0.9);
    // What docs/regression.md quotes.
    console.table(rows.map((row) => ({ ...row, saved: `${Math.round(100 - row.tasks / 5)} %` })));
  });
});
