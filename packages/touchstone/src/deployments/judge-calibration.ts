import type { Evidence, EvidenceReason, RequiredEval } from '@touchstone/protocol';

/** Fewer labels than this show little of a judge, whatever their kappa. */
export const DEFAULT_MIN_LABELS = 50;

type CalibrationCase = { readonly required: RequiredEval; readonly evidence: Pick<Evidence, 'calibration'> };

/**
 * What keeps a gate from believing the judge of a run; undefined when nothing does, or the gate does not ask. First whether
 * there are labels at all, then whether they are recent enough, last what they show. Labels of one kind alone have no kappa,
 * so they show nothing.
 */
export function calibrationTrouble({
  required: { calibration: wanted },
  evidence: { calibration: known },
}: CalibrationCase): EvidenceReason | undefined {
  if (!wanted) return undefined;
  const { minLabels = DEFAULT_MIN_LABELS, minKappa, conservative } = wanted;
  if (!known || known.anyAge < minLabels) return 'judge_uncalibrated';
  if (known.n < minLabels) return 'judge_labels_stale';
  if (minKappa === undefined) return undefined;
  const reached = conservative ? known.kappaInterval?.[0] : known.kappa;
  if (reached === undefined) return 'judge_uncalibrated';
  return reached >= minKappa ? undefined : 'judge_kappa_low';
}
