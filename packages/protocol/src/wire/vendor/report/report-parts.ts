// What reports are made of. Content-free.
import type {
  AnnotationId,
  CriterionId,
  Digest,
  EventId,
  PrincipalId,
  SuiteId,
  TaskId,
  Timestamp,
  Version,
} from '../../../model/ids.js';
import { UNSCORED_REASONS } from '../../../model/score.js';
import { REPORT_VERDICTS } from '../../../model/verdicts.js';
import {
  amount,
  choice,
  closed,
  count,
  flag,
  fraction,
  id,
  list,
  plain,
  type Wire,
} from '../../schema/build.js';
import { interval } from '../parts.js';

/** The suite of a report, as `<suiteId>@<version>`, and the digest of its document. */
export const suiteInReport = closed({
  /** `<suiteId>@<version>`. */
  ref: plain<`${SuiteId}@${Version}`>({ type: 'string' }),
  /** Digest of the canonical form of the suite. */
  digest: id<Digest>(),
});

/** How many tasks there are, and how they went. */
export const tasks = closed(
  {
    /** Tasks of the suite. */
    total: count('Tasks of the suite.'),
    /** Tasks that ran; fewer than `total` when the caller chose some. */
    selected: count('Tasks that ran.'),
    /** Tasks that ran and passed. */
    passed: count(),
    /** Tasks that could not be scored. The summary shows them with the score 0. */
    unscored: count('Tasks that could not be scored; the scorecard has them as 0.'),
  },
  {
    /** Which ones, in suite order; absent when there are none. */
    unscoredTasks: list(
      closed({
        /** The task in its suite. */
        taskId: id<TaskId>(),
        /** What was missing to score it. */
        reason: choice(UNSCORED_REASONS),
      }),
    ),
  },
);

/** The whole run in numbers. All are from 0 to 1. */
export const aggregate = closed({
  /** The mean of the task scores, as in the summary. */
  score: fraction('The mean of the task scores, as in the scorecard.'),
  /** Where the mean score could lie, 95 %. */
  interval,
  /** The share of tasks that passed. */
  passRate: fraction('The share of tasks that passed.'),
  /** Where the pass rate could lie, 95 %. */
  passRateInterval: interval,
  /** The threshold of the score: the suite's `passScore`, or the host's default. */
  bar: fraction('What the score has to reach.'),
});

export const reportedCriterion = closed(
  {
    /** A name for the criterion that says nothing about its words. */
    id: id<CriterionId>(),
    /** Tasks in which the criterion was decided. */
    applicable: count('Tasks in which it was decided.'),
    /** The share of those tasks that met it, from 0 to 1. */
    met: fraction('The share of them that met it.'),
    /** Its mean weight in those tasks. */
    weight: fraction('Its mean weight in them.'),
  },
  {
    /** The mean share of votes that said so, from 0 to 1; absent when the judge was asked once. */
    agreement: fraction('The mean share of votes that said so.'),
  },
);
/** One criterion over all tasks that have it. */
export type ReportedCriterion = Wire<typeof reportedCriterion>;

export const reportedRepeats = closed({
  /** How often each task ran. */
  k: count(),
  /** Tasks of which every repeat was scored; only they count here. */
  tasks: count('Tasks of which every repeat was scored.'),
  /** pass@k: the chance that at least one of k repeats passes, from 0 to 1. */
  passAtK: fraction('Chance that at least one of k repeats passes.'),
  /** pass^k: the chance that all k repeats pass, from 0 to 1. */
  passHatK: fraction('Chance that all k repeats pass.'),
  /** The same two chances for 1 to k repeats. */
  curve: list(
    closed({
      /** A number of repeats, drawn from the k without putting back. */
      j: count(),
      /** Chance that at least one of j repeats passes. */
      passAt: fraction(),
      /** Chance that all j repeats pass. */
      passHat: fraction(),
    }),
    'The same for 1 to k.',
  ),
});
/** Chances of a task's repeats, averaged over the tasks of which every repeat was scored. */
export type ReportedRepeats = Wire<typeof reportedRepeats>;

export const verdictOnTask = closed({
  /** The score of the task, from 0 to 1. */
  score: fraction(),
  /** Whether the score reached the task's threshold. */
  passed: flag(),
});
export const reportedOverride = closed(
  {
    /** The task whose score was corrected. */
    taskId: id<TaskId>(),
    /** Its `eval.scored` event, which the correction is about and which stays as it is. */
    eventId: id<EventId>(),
    /** The annotation that holds the correction. */
    annotationId: id<AnnotationId>(),
    /** What the scorers said. */
    before: verdictOnTask,
    /** What the reviewer said. */
    after: verdictOnTask,
    /** The reviewer, as an opaque id. */
    by: id<PrincipalId>('Whose correction it is.'),
    /** When the correction was made. */
    at: id<Timestamp>(),
  },
  {
    /** Earlier corrections of the same task that no longer count; absent when there are none. */
    replaced: count('Earlier corrections that no longer count.'),
  },
);
/** A reviewer's correction in place of a score. */
export type ReportedOverride = Wire<typeof reportedOverride>;

export const reportedAdjustment = closed(
  {
    /** The mean score with the corrections. */
    score: fraction(),
    /** Whether the run passes with the corrections. */
    passed: flag(),
    /** The latest correction of each task, in suite order. */
    overrides: list(reportedOverride),
  },
  {},
  { description: 'With the corrections of people in place of the scores they are about.' },
);
/** The same run with reviewers' corrections in place of the scores they are about. */
export type ReportedAdjustment = Wire<typeof reportedAdjustment>;

export const reportedCorrection = closed(
  {
    /** The mean score with the judge's error taken into account, from 0 to 1. */
    score: fraction(),
    /** Where it could lie, 95 %: how many labels there are is part of it. */
    interval,
    /** Whether the threshold is reached by what people would have said. */
    verdict: choice(REPORT_VERDICTS),
    /** Tasks whose judged criteria people have all labelled, before they saw what the judge said. */
    labelled: count('Tasks with labels on every judged criterion, given before the judge was seen.'),
    /** Tasks that a judge decided. */
    judged: count('Tasks that a judge decided.'),
  },
  {},
  { description: 'The score as people would have given it, estimated from the tasks that they labelled.' },
);
/** The score of a run with the error of its judge taken into account. */
export type ReportedCorrection = Wire<typeof reportedCorrection>;

export const latencies = closed({
  /** The median, in milliseconds. */
  p50Ms: amount(),
  /** The 95th percentile, in milliseconds. */
  p95Ms: amount(),
});
