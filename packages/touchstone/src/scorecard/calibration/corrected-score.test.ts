import { asId, type TaskId, type TaskResult } from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import { correctScore } from './corrected-score.js';

const JUDGE = asId<NonNullable<TaskResult['judge']>>('sha256:judge');
const OPTIONS = { bar: 0.8, seed: 'suite' };

const tasks = (count: number, score: number, more: Partial<TaskResult> = { judge: JUDGE }): TaskResult[] =>
  Array.from({ length: count }, (_, at) => ({
    taskId: asId<TaskId>(`${more.judge ? 'judged' : 'known'}-${score}-${at}`),
    score,
    passed: score === 1,
    ...more,
  }));
/** The first so many of these tasks have been labelled, with this difference each. */
const labels = (results: readonly TaskResult[], count: number, difference: (at: number) => number) =>
  results.slice(0, count).map(({ taskId }, at) => [taskId, difference(at)] as const);

describe('a score with the error of the judge taken into account', () => {
  const passed = tasks(60, 1);
  const failed = tasks(40, 0);
  const all = [...passed, ...failed];

  it('adds what people would have said, of passed and failed tasks apart', () => {
    // Of what passed a quarter should not have; of what failed a tenth should have passed.
    const differences = new Map([
      ...labels(passed, 20, (at) => (at % 4 === 0 ? -1 : 0)),
      ...labels(failed, 10, (at) => (at === 0 ? 1 : 0)),
    ]);
    const corrected = correctScore(all, differences, OPTIONS);
    expect(corrected?.score).toBeCloseTo(0.6 - 0.6 * 0.25 + 0.4 * 0.1, 12);
    expect(corrected).toMatchObject({ labelled: 30, judged: 100, verdict: 'fail' });
  });

  it('does not take failures that were looked at more often for all tasks', () => {
    const differences = new Map([...labels(passed, 5, () => 0), ...labels(failed, 40, () => 1)]);
    expect(correctScore(all, differences, OPTIONS)?.score).toBeCloseTo(1, 12);
  });

  it('leaves tasks alone that no judge decided', () => {
    const known = tasks(100, 1, {});
    const differences = new Map([...labels(passed, 10, () => -1), ...labels(failed, 10, () => 0)]);
    expect(correctScore([...known, ...all], differences, OPTIONS)?.score).toBeCloseTo(0.5, 12);
  });

  it('does not take a judge for perfect because the few labels agree with it', () => {
    const differences = new Map([...labels(passed, 8, () => 0), ...labels(failed, 8, () => 0)]);
    const [low = 1, high = 0] = correctScore(all, differences, OPTIONS)?.interval ?? [];
    expect([low < 0.5, high > 0.7]).toEqual([true, true]);
  });

  it('is narrower with more labels, and equal for equal labels', () => {
    const widthWith = (count: number) => {
      const agreed = new Map([...labels(passed, count, () => 0), ...labels(failed, count, () => 0)]);
      const [low = 0, high = 0] = correctScore(all, agreed, OPTIONS)?.interval ?? [];
      expect(correctScore(all, agreed, OPTIONS)?.interval).toEqual([low, high]);
      return high - low;
    };
    expect(widthWith(40)).toBeLessThan(widthWith(8));
  });

  it.each([
    ['fewer than ten labels', labels(passed, 5, () => 0).concat(labels(failed, 4, () => 0)), all],
    ['labels of failures only', labels(failed, 30, () => 0), all],
    [
      'a task without a score',
      labels(passed, 30, () => 0).concat(labels(failed, 30, () => 0)),
      [...all, ...tasks(1, 0, { unscored: 'judge_unreachable' })],
    ],
  ])('is not there with %s', (_what, given, results) => {
    expect(correctScore(results, new Map(given), OPTIONS)).toBeUndefined();
  });
});
