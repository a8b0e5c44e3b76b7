import { asId, type CalibrationLabel } from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import { mcnemarP } from '../statistics/mcnemar.js';
import { measureDrift } from './drift.js';

const labels = (count: number, isRight: (at: number) => boolean): readonly CalibrationLabel[] =>
  Array.from({ length: count }, (_, at) => ({
    task: `t${at}`,
    answer: `a${at}`,
    criterion: asId<CalibrationLabel['criterion']>('c-1'),
    person: at % 2 === 0,
    judge: (at % 2 === 0) === isRight(at),
    by: 'ann',
    at: 1,
    judgedAt: 1,
  }));

describe('a judge that is asked again', () => {
  it.each([
    ['says the same', 0, 0, false],
    ['loses as many as it gains', 5, 5, false],
    ['loses four, which chance does once in sixteen times', 4, 0, false],
    ['loses five, which chance does once in 32 times', 5, 0, true],
    ['loses many and gains some', 14, 4, true],
    ['gains', 0, 12, false],
  ])('and %s', (_what, lost, gained, worse) => {
    const before = labels(40, (at) => at >= gained);
    const now = labels(40, (at) => at < gained || at >= gained + lost);
    const drift = measureDrift(before, now);
    expect(drift).toMatchObject({ pairs: 40, lost, gained, worse });
    expect(drift.now).toBeCloseTo((40 - lost) / 40, 12);
    // The second source: McNemar's two-sided p is twice ours, where more are lost than gained.
    if (lost > gained) expect(Math.min(1, 2 * drift.p)).toBeCloseTo(mcnemarP(lost, gained), 12);
  });

  it('is held only against labels that are there both times, and that people gave in the same way', () => {
    const before = labels(10, () => true);
    const changed = labels(12, () => true).map((one, at) =>
      at === 0 ? { ...one, person: !one.person } : one,
    );
    expect(measureDrift(before, changed)).toMatchObject({ pairs: 9, lost: 0 });
    expect(measureDrift([], changed)).toEqual({ pairs: 0, lost: 0, gained: 0, p: 1, worse: false });
  });
});
