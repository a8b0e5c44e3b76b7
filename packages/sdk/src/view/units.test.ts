import { asId, type Digest, type RunId } from '@touchstone/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { barsOf } from './bars.js';
import type { RunView } from './run-view.js';
import { score, whole } from './units.js';

test.each([
  [20 / 30, '0.67'],
  [1 / 3, '0.33'],
  [0.995, '0.99'],
  [0.9999, '0.99'],
  [1, '1.00'],
  [0, '0.00'],
  [0.001, '0.01'],
  [0.29, '0.29'],
])('the score %d is shown as %s', (value, shown) => {
  expect(score(value)).toBe(shown);
});

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [1234567, '1,234,567'],
  [-12345, '-12,345'],
])('the count %d is shown as %s', (count, shown) => {
  expect(whole(count)).toBe(shown);
});

const digest = asId<Digest>('sha256:0');
const runOf = (aggregateScore: number, passScore: number): RunView =>
  ({
    runId: asId<RunId>('run-1'),
    suite: { suiteId: 'a', version: '1.0.0', digest },
    summary: { aggregateScore, passed: aggregateScore >= passScore, tasks: [] },
    thresholds: { passScore },
    counts: { total: 1, selected: 1, passed: 1, failed: 0, unscored: 0 },
    unpriced: 0,
  }) as unknown as RunView;
const scoreBarOf = (value: number, limit: number) => barsOf(runOf(value, limit))[0];

describe('the bar of the score', () => {
  test.each([
    [20 / 30, 0.8, '0.67', '<', '0.80'],
    [20 / 30, 0.67, '0.667', '<', '0.670'],
    [0.7999, 0.8, '0.7999', '<', '0.8000'],
    [0.996, 1, '0.99', '<', '1.00'],
    [2 / 3, 0.666666666, '0.6667', '≥', '0.6667'],
    [0.9, 0.9, '0.90', '≥', '0.90'],
  ])('%d against %d: %s %s %s', (value, limit, shown, sign, wanted) => {
    expect(scoreBarOf(value, limit)).toMatchObject({ value: shown, sign, limit: wanted });
  });

  test('never shows what is missed as met, nor the other way round', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(share, share, (value, limit) => {
        const bar = scoreBarOf(value, limit);
        const [shown, wanted] = [Number(bar?.value), Number(bar?.limit)];
        if (value >= limit) expect(shown).toBeGreaterThanOrEqual(wanted);
        else expect(shown).toBeLessThanOrEqual(wanted);
        // From a ten-thousandth on, the difference is seen.
        if (limit - value > 1e-4) expect(shown).toBeLessThan(wanted);
      }),
    );
  });
});
