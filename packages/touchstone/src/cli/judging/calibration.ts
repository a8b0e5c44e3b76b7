import type { JudgeIdentity } from '@touchstone/protocol';
import { EXIT_ORDER, type ExitCode, worstExit } from '../exit.js';
import { agreementOf, type Confusion, confusionOf, kappaOf } from './agreement.js';
import { type Checked, type Judgement, pairsOf } from './check-labels.js';

/** What a file of labels shows of a judge. */
export type Calibration = {
  readonly exitCode: ExitCode;
  /** Absent when every criterion was a check. */
  readonly judge?: JudgeIdentity;
  readonly labels: number;
  /** People against the judge; checks are not in it, because they would agree with any judge. */
  readonly judged: Compared & { readonly kappa?: number };
  readonly checks: Compared;
  readonly minKappa?: number;
  readonly unreadable: number;
  readonly unreachable: number;
  /** Labels that were decided otherwise, in the order of the file. */
  readonly disagreements: readonly Judgement[];
  /** Labels that were not decided. */
  readonly undecided: readonly Judgement[];
  readonly questions: number;
  readonly costUsd?: number;
  readonly unpriced: number;
};

export type Compared = { readonly confusion: Confusion; readonly agreement?: number };

export function calibrate(
  { judgements, ...spent }: Checked,
  judge: JudgeIdentity | undefined,
  minKappa: number | undefined,
): Calibration {
  const judged = compare(judgements.filter(({ by }) => by === 'judge'));
  const kappa = kappaOf(judged.confusion);
  const undecided = judgements.filter(({ met }) => met === undefined);
  const count = (reason: Judgement['unscored']): number =>
    undecided.filter(({ unscored }) => unscored === reason).length;
  return {
    exitCode: exitOf(undecided.length, kappa, minKappa),
    ...(judge && { judge }),
    labels: judgements.length,
    judged: { ...judged, ...(kappa !== undefined && { kappa }) },
    checks: compare(judgements.filter(({ by }) => by === 'check')),
    ...(minKappa !== undefined && { minKappa }),
    unreadable: count('judge_unreadable'),
    unreachable: count('judge_unreachable'),
    disagreements: judgements.filter(({ met, label }) => met !== undefined && met !== label.met),
    undecided,
    ...spent,
  };
}

function compare(judgements: readonly Judgement[]): Compared {
  const confusion = confusionOf(pairsOf(judgements));
  const agreement = agreementOf(confusion);
  return { confusion, ...(agreement !== undefined && { agreement }) };
}

/** A kappa that is undefined has not been shown to be enough. */
function exitOf(undecided: number, kappa: number | undefined, minKappa: number | undefined): ExitCode {
  const missed = minKappa !== undefined && (kappa === undefined || kappa < minKappa);
  return worstExit(EXIT_ORDER.filter((code) => (code === 3 && undecided > 0) || (code === 1 && missed)));
}
