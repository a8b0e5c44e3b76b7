import { type CalibrationLabel, defined } from '@touchstone/protocol';
import { fairTail } from '../statistics/binomial.js';
import { agreementOn } from './agreement.js';

/** How a judge agrees with the same labels at two times. */
export type JudgeDrift = {
  /** Labels that were decided both times, and that people gave in the same way. */
  readonly pairs: number;
  /** The share of them on which judge and people agreed, before and now; absent without pairs. */
  readonly before?: number;
  readonly now?: number;
  readonly kappaBefore?: number;
  readonly kappaNow?: number;
  /** Labels on which it agreed before and does not now, and the other way round. */
  readonly lost: number;
  readonly gained: number;
  /** How often chance alone would lose so many of those that changed, when it loses as often as it gains. */
  readonly p: number;
  /** It agrees less, by more than chance explains. */
  readonly worse: boolean;
};

const LEVEL = 0.05;

/**
 * Holds two checks of a judge against each other, label by label. Only labels on which its agreement changed say something:
 * of a judge that stayed the same as many are lost as gained (the sign test, which is the one-sided test of McNemar).
 */
export function measureDrift(
  before: readonly CalibrationLabel[],
  now: readonly CalibrationLabel[],
): JudgeDrift {
  const keyOf = ({ answer, criterion, by }: CalibrationLabel): string => `${answer} ${criterion} ${by}`;
  const earlier = new Map(before.map((label) => [keyOf(label), label]));
  const pairs = now.flatMap((label) => {
    const old = earlier.get(keyOf(label));
    return old && old.person === label.person ? [{ old, label }] : [];
  });
  const changed = (agreed: boolean): number =>
    pairs.filter(
      ({ old, label }) => (old.judge === old.person) === agreed && (label.judge === label.person) !== agreed,
    ).length;
  const [lost, gained] = [changed(true), changed(false)];
  const p = fairTail(lost + gained, lost);
  const then = agreementOn(pairs.map(({ old }) => ({ first: old.person, second: old.judge })));
  const today = agreementOn(pairs.map(({ label }) => ({ first: label.person, second: label.judge })));
  return {
    pairs: pairs.length,
    ...defined({ before: then.agreement, now: today.agreement }),
    ...defined({ kappaBefore: then.kappa, kappaNow: today.kappa }),
    lost,
    gained,
    p,
    worse: lost > gained && p < LEVEL,
  };
}
