// Two judges of the same recorded answers. Content-free.
import type { CriterionId, TaskId } from '../../../model/ids.js';
import { closed, count, fraction, id, list, number, type Wire } from '../../schema/build.js';
import { runId } from '../parts.js';
import { comparedScore } from './comparison.js';

/** Schema of the body of `POST …/runs:compare-judges`. */
export const compareJudges = closed({
  /** The run whose answers were judged first. */
  before: runId('A completed run.'),
  /** The run that judged its answers again. Its `rejudgeOf` is the run in `before`. */
  after: runId('The run that judged its answers again.'),
});

/** The four counts of two raters. */
export const confusion = closed({
  /** Verdicts that both raters gave as met: true positives. */
  tp: count('Both: met.'),
  /** Verdicts that only the second rater gave as met: false positives. */
  fp: count('Only the second: met.'),
  /** Verdicts that only the first rater gave as met: false negatives. */
  fn: count('Only the first: met.'),
  /** Verdicts that neither rater gave as met: true negatives. */
  tn: count('Neither: met.'),
});
/** How often one rater saw met what the other saw met, and the other three cases. The first is the one held to be right. */
export type Confusion = Wire<typeof confusion>;

const agreement = closed(
  {
    /** The four counts that the two numbers are computed from. */
    confusion,
  },
  {
    /** The share of equal verdicts; absent when there is none to compare. From 0 to 1. */
    agreement: fraction('The share of equal verdicts; absent when there is none to compare.'),
    /**
     * Cohen’s kappa; absent when both say the same everywhere, which chance explains as well. From -1 to 1; 0 is
     * agreement by chance.
     */
    kappa: number('Cohen’s kappa; absent when both say the same everywhere, which chance explains as well.', {
      minimum: -1,
      maximum: 1,
    }),
  },
);
/** How far two raters agree about the same things. */
export type Agreement = Wire<typeof agreement>;

const disputedCriterion = closed({
  /** A name for the criterion that says nothing about its words. */
  id: id<CriterionId>(),
  /** Verdicts of both judges. Over all tasks and repeats that have the criterion. */
  compared: count('Verdicts of both judges.'),
  /** Those of them that are equal. `compared` minus this many verdicts are disputed. */
  same: count('Those of them that are equal.'),
  /** A task that has the criterion, and where the criterion stands in its rubric. */
  example: closed({ taskId: id<TaskId>(), position: count() }),
});
/** A criterion on which two judges differed at least once. */
export type DisputedCriterion = Wire<typeof disputedCriterion>;

/** Answer of `POST …/runs:compare-judges`. */
export const judgeComparison = closed({
  /** Tasks by what the second judge made of them. */
  tasks: closed({
    /** Equal scores. */
    same: count(),
    /** A higher score from the second judge. */
    better: count(),
    /** A lower score from the second judge. */
    worse: count(),
    /**
     * One of the two could not judge them, which is neither better nor worse. Without a score from one of the judges.
     */
    unscored: count('One of the two could not judge them, which is neither better nor worse.'),
  }),
  /** Tasks whose score differs. */
  changed: list(
    closed({ taskId: id<TaskId>(), before: comparedScore, after: comparedScore }),
    'In the order of the suite.',
  ),
  /** On every criterion that both judges have decided. */
  verdicts: agreement,
  /** Criteria on which they differed at least once, the most disputed first. Empty when the judges agree everywhere. */
  disputed: list(
    disputedCriterion,
    'Criteria on which they differed at least once, the most disputed first.',
  ),
});
/** What two judges made of the same recorded answers. */
export type JudgeComparison = Wire<typeof judgeComparison>;
