import { asId, type Evidence, type RequiredCalibration } from '@touchstone/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calibrationTrouble } from './judge-calibration.js';

type Facts = NonNullable<Evidence['calibration']>;
const known = (facts: Partial<Facts>): Facts => ({
  judge: asId('sha256:j'),
  suite: asId('sha256:s'),
  digest: asId('sha256:d'),
  n: 60,
  anyAge: 60,
  blind: 60,
  reviewers: 2,
  confusion: { tp: 30, fp: 5, fn: 5, tn: 20 },
  kappa: 0.7,
  kappaInterval: [0.5, 0.85],
  ...facts,
});
const decide = (calibration: RequiredCalibration | undefined, facts: Facts | undefined) =>
  calibrationTrouble({
    required: { suite: 's', ...(calibration && { calibration }) },
    evidence: facts ? { calibration: facts } : {},
  });
/** Labels of one kind alone: no kappa. */
function withoutKappa(): Facts {
  const { kappa: _kappa, kappaInterval: _interval, ...rest } = known({});
  return rest;
}

describe('what a gate asks to know of a judge', () => {
  it.each<[string, RequiredCalibration | undefined, Facts | undefined, string | undefined]>([
    ['a gate that does not ask', undefined, undefined, undefined],
    ['no judge, or no label', { minKappa: 0.6 }, undefined, 'judge_uncalibrated'],
    [
      'fifty labels when nothing is said',
      { minKappa: 0.6 },
      known({ n: 49, anyAge: 49 }),
      'judge_uncalibrated',
    ],
    ['fifty are enough then', { minKappa: 0.6 }, known({ n: 50, anyAge: 50 }), undefined],
    ['fewer where the gate says so', { minLabels: 10 }, known({ n: 10, anyAge: 10 }), undefined],
    ['enough labels, most of them old', { minLabels: 60 }, known({ n: 59 }), 'judge_labels_stale'],
    ['old ones alone', { minKappa: 0.6, minLabels: 1 }, known({ n: 0 }), 'judge_labels_stale'],
    ['a low kappa', { minKappa: 0.71 }, known({}), 'judge_kappa_low'],
    ['just enough', { minKappa: 0.7 }, known({}), undefined],
    ['the lower end, where it counts', { minKappa: 0.6, conservative: true }, known({}), 'judge_kappa_low'],
    ['a lower end that is enough', { minKappa: 0.5, conservative: true }, known({}), undefined],
    ['labels of one kind', { minKappa: -1 }, withoutKappa(), 'judge_uncalibrated'],
    ['labels of one kind, no kappa asked', { minLabels: 5 }, withoutKappa(), undefined],
  ])('%s', (_what, calibration, facts, reason) => {
    expect(decide(calibration, facts)).toBe(reason);
  });

  it('never refuses more labels or a higher kappa where it took fewer or a lower one', () => {
    const facts = fc.record({
      n: fc.nat(100),
      older: fc.nat(50),
      kappa: fc.double({ min: -1, max: 1, noNaN: true }),
    });
    const gate = fc.record({
      minLabels: fc.integer({ min: 1, max: 100 }),
      minKappa: fc.double({ min: -1, max: 1, noNaN: true }),
      conservative: fc.boolean(),
    });
    fc.assert(
      fc.property(gate, facts, fc.nat(20), (wanted, { n, older, kappa }, more) => {
        const at = (labels: number, value: number): Facts =>
          known({ n: labels, anyAge: labels + older, kappa: value, kappaInterval: [value - 0.1, 1] });
        if (decide(wanted, at(n, kappa)) !== undefined) return;
        expect(decide(wanted, at(n + more, kappa))).toBeUndefined();
        expect(decide(wanted, at(n, kappa + more / 20))).toBeUndefined();
        expect(decide({ ...wanted, conservative: false }, at(n, kappa))).toBeUndefined();
      }),
    );
  });
});
