import type { CalibrationLabel, Digest, EvalPlan, Json, JudgeCalibration, Owner } from '@touchstone/protocol';
import { fromBody } from '@touchstone/protocol/bodies';
import type { Run } from '../../ports/index.js';
import { type CalibrationFilter, foldCalibration } from '../../scorecard/index.js';
import { digestOf } from '../../suites/index.js';
import { answersOf } from '../review/answers.js';
import type { Decision } from '../review/decisions.js';
import { judgedDecisions, type ReviewSources } from '../review/judged-decisions.js';
import { answerSubject, taskSubject } from './subjects.js';

/** Labels that the judge and the suite of a run have in common. */
export type RunCalibration = {
  readonly labels: readonly CalibrationLabel[];
  /** What they show, as far as they count. */
  calibration(filter?: CalibrationFilter): JudgeCalibration;
};

export type JudgeCalibrations = {
  /** What people's labels show of the judge of a run about the suite of the run; undefined when the run had no judge. */
  of(run: Run): Promise<RunCalibration | undefined>;
};

export const createCalibrations = (parts: ReviewSources): JudgeCalibrations => ({
  async of({ owner, plan }) {
    if (plan.kind !== 'eval' || !plan.judge) return undefined;
    const labels = await labelsOf(parts, owner, plan, plan.judge.digest);
    const pins = { judge: plan.judge.digest, suite: plan.suite.digest };
    return {
      labels,
      calibration(filter = {}) {
        const { counted, ...figures } = foldCalibration(labels, filter);
        return { ...pins, ...figures, digest: digestOf({ ...pins, counted } as unknown as Json) };
      },
    };
  },
});

/**
 * Bound to the digests of judge and suite: a criterion that was renamed, another suite and another judge bring nothing along.
 * The labels of files come first: of equal times, those of people who labelled here count as the later ones.
 */
async function labelsOf(
  parts: ReviewSources,
  owner: Owner,
  { suite }: EvalPlan,
  judge: Digest,
): Promise<readonly CalibrationLabel[]> {
  const kept = await parts.sources.store.calibrations.list(owner, judge, suite.digest);
  const labels = kept.flatMap((record) => record.labels);
  const isOfSuite = ({ run }: Decision): boolean =>
    run.plan.suite.digest === suite.digest && run.plan.judge?.digest === judge && !run.plan.judge.mock;
  for await (const judged of judgedDecisions(parts, owner, { suiteId: suite.suiteId }, isOfSuite)) {
    const { decision, criterion, verdict, input } = judged;
    const { run, by, at, label } = decision;
    labels.push({
      ...(await subjectOf(parts, decision, fromBody(input))),
      criterion,
      person: label.verdict === 'met',
      judge: verdict.met,
      ...(label.seen && { seen: true as const }),
      by,
      at,
      judgedAt: run.completedAt ?? run.createdAt,
    });
  }
  return labels;
}

/** Where the content is gone, the event stands for the answer. */
async function subjectOf({ sources }: ReviewSources, { run, task, answer }: Decision, input: Json) {
  if (run.bodiesRemovedAt !== undefined) return { task: taskSubject(input), answer };
  const given = (await answersOf(sources.store.log, run, task)).find(({ eventId }) => eventId === answer);
  const output = given && fromBody(given.output);
  return {
    task: taskSubject(input),
    answer: output === undefined ? answer : answerSubject(input, output),
  };
}
