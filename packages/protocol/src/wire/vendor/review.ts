// What people are asked to look at, and how far judges agree with them. Ids, numbers and flags alone.
import type {
  CriterionId,
  Digest,
  EventId,
  ModelName,
  PrincipalId,
  RunId,
  SuiteId,
  TaskId,
} from '../../model/ids.js';
import { REVIEW_SOURCES } from '../../model/review.js';
import { UNSCORED_REASONS } from '../../model/score.js';
import {
  amount,
  choice,
  closed,
  count,
  flag,
  fraction,
  id,
  integer,
  list,
  mark,
  number,
  text,
  timestamp,
  type Wire,
} from '../schema/build.js';
import { confusion } from './comparison/judge-comparison.js';
import { changeInterval, interval } from './parts.js';

const reviewItem = closed(
  {
    /** The run that has the answers. */
    runId: id<RunId>(),
    /** The suite of the run. */
    suiteId: id<SuiteId>(),
    /** The task in its suite. */
    taskId: id<TaskId>(),
    /** The place of the task in the suite, counted from 0. */
    n: count('The place of the task in the suite, counted from 0.'),
    /** Why it is in the list. */
    source: choice(REVIEW_SOURCES),
    /** The events that hold the answers, one for each repeat that has one: labels name them. */
    answers: list(id<EventId>(), 'The events that hold the answers, one for each repeat that has one.'),
    /** The mean of its repeats; 0 when there is none. */
    score: fraction(),
    /** Whether the score reached the task's threshold. */
    passed: flag(),
    /** The criteria of the task in the order of its rubric; none for other tasks. */
    criteria: list(closed({ id: id<CriterionId>(), judged: flag('A judge decides it, not a check.') })),
    /** What people said about it, oldest first, without their words. */
    reviews: list(
      closed({
        by: id<PrincipalId>(),
        at: timestamp(),
        kind: choice(['met', 'unmet', 'pass', 'fail', 'override', 'flag', 'remark']),
      }),
      'What people said about it, oldest first.',
    ),
  },
  {
    /** Why there is no score. */
    unscored: choice(UNSCORED_REASONS),
    /** The lowest share of votes that a criterion was decided with. */
    agreement: fraction(),
    /** The judge that decided criteria. */
    judge: id<Digest>(),
    /** The event that says its score, which an override names; absent until the log has it. */
    scored: id<EventId>(),
  },
);
/** A task that waits for a person, or has been looked at. */
export type ReviewItem = Wire<typeof reviewItem>;

/** Answer of `GET …/review`. */
export const reviewList = closed(
  {
    /** How many there are. */
    counts: closed({
      open: count('Of this source: nobody, or not the caller, has decided.'),
      done: count('Of this source: decided.'),
      failures: count('Open ones that failed.'),
      unscored: count('Open ones that could not be scored.'),
      flagged: count('Open ones that somebody flagged.'),
      'low-agreement': count('Open ones on which the votes of the judge differed.'),
    }),
    /** The tasks. */
    items: list(reviewItem),
  },
  { nextCursor: text() },
);
/** Tasks for people to look at. */
export type ReviewList = Wire<typeof reviewList>;

const measured = {
  /** Labels that a judge has a verdict for. */
  n: count('Labels that the judge has a verdict for.'),
  /** First what people said, second what the judge said. */
  confusion,
};
const figures = {
  /** The share of equal verdicts; absent when there is none. */
  agreement: fraction('The share of equal verdicts; absent when there is none.'),
  /** The 95 % interval of that share. */
  interval,
  /** Cohen’s kappa; absent when both say the same everywhere, which chance explains as well. */
  kappa: number('Cohen’s kappa; absent when both say the same everywhere.', { minimum: -1, maximum: 1 }),
  /** The 95 % interval of kappa. */
  kappaInterval: changeInterval('The 95 % interval of kappa.'),
};
const labelAgreement = closed(measured, figures);
/** How far a judge agrees with people. */
export type LabelAgreement = Wire<typeof labelAgreement>;

const judgeAgreement = closed(
  {
    /** Of provider, model, votes and prompt together: equal digests are the same judge. */
    digest: id<Digest>(),
    /** The configured provider that serves the model. */
    provider: id<ModelName>(),
    /** The model, as its provider calls it. */
    model: id<ModelName>(),
    /** How often the model is asked about each criterion; the majority decides. */
    votes: integer('How often it is asked about each criterion; the majority decides.', { minimum: 1 }),
    /** How many people gave the labels. */
    reviewers: count('How many people gave the labels.'),
    /** Labels of people who had not seen what the judge said. */
    blind: labelAgreement,
    /** All labels. */
    all: labelAgreement,
    /** By criterion, all labels; the lowest agreement first. */
    criteria: list(
      closed({ id: id<CriterionId>(), ...measured }, figures),
      'By criterion, all labels; the lowest agreement first.',
    ),
    /** Labels that the judge decided otherwise, newest first, at most 500. */
    disagreements: list(
      closed({
        runId: id<RunId>(),
        taskId: id<TaskId>(),
        criterion: id<CriterionId>(),
        person: flag('Whether the person said that the criterion is met.'),
        judge: flag('Whether the judge said so.'),
        by: id<PrincipalId>(),
        blind: flag('The person had not seen what the judge said.'),
      }),
      'Labels that the judge decided otherwise, newest first, at most 500.',
    ),
  },
  {
    /** Its verdicts were written down beforehand. */
    mock: mark('Its verdicts were written down beforehand, so they are evidence of nothing.'),
    /** What judging the labelled answers cost, as far as it is known. */
    costUsd: amount('What judging the labelled answers cost, as far as it is known.'),
    /** People among themselves, where two of them decided the same thing blind. */
    people: closed(
      { n: count('Pairs of labels of two people about the same thing.') },
      { kappa: number('Cohen’s kappa.', { minimum: -1, maximum: 1 }) },
    ),
  },
);
/** One judge held against the labels of people. */
export type JudgeAgreement = Wire<typeof judgeAgreement>;

/** Answer of `GET …/agreement`. */
export const judgeAgreements = closed({
  /** The judges that decided labelled answers, those with the most labels first. */
  judges: list(judgeAgreement),
});
/** How far judges agree with people. */
export type JudgeAgreements = Wire<typeof judgeAgreements>;

/** Answer of `GET …/runs/{runId}/calibration`. */
export const judgeCalibration = closed(
  {
    /** The judge of the run. */
    judge: id<Digest>(),
    /** The suite of the run, by its content. */
    suite: id<Digest>(),
    /** Answers with a criterion that people and the judge decided, each once. */
    n: count('Answers with a criterion that people and the judge decided, each once.'),
    /** How many of them people decided before they saw the judge. */
    blind: count('How many of them people decided before they saw the judge.'),
    /** How many people gave the labels, as far as their names are known. */
    reviewers: count('How many people gave the labels, as far as their names are known.'),
    /** First what people said, second what the judge said. */
    confusion,
    /** Of what was counted: equal digests are the same labels and verdicts. */
    digest: id<Digest>('Of what was counted: equal digests are the same labels and verdicts.'),
  },
  {
    ...figures,
    /** When the judge gave the oldest of the verdicts. */
    oldestAt: timestamp('When the judge gave the oldest of the verdicts.'),
    /** When it gave the newest. */
    newestAt: timestamp('When it gave the newest.'),
  },
);
/** How far the judge of a run can be believed about the criteria of its suite. */
export type JudgeCalibration = Wire<typeof judgeCalibration>;
