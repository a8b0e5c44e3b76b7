// The report on an eval run: what the closed summary cannot hold. How sure its numbers are, and what they are made of.
// Holds no content: ids, numbers and words from lists.
import type {
  AnnotationId,
  CriterionId,
  Digest,
  EventId,
  FindingKind,
  PrincipalId,
  RunId,
  SliceName,
  SuiteId,
  TaskId,
  Timestamp,
  Version,
} from '../../model/ids.js';
import { CAVEATS } from '../../model/measurers.js';
import { EVAL_MODES } from '../../model/modes.js';
import { SEVERITIES, type Thresholds, UNSCORED_REASONS } from '../../model/score.js';
import { REPORT_VERDICTS } from '../../model/verdicts.js';
import {
  amount,
  choice,
  closed,
  count,
  flag,
  fraction,
  id,
  list,
  mark,
  plain,
  type Wire,
} from '../schema/build.js';
import {
  agentVersion,
  change,
  changeInterval,
  interval,
  judgeIdentity,
  judgeInReport,
  modelPin,
  scorerPin,
  simulatedUser,
} from './parts.js';

/** The suite of a report, as `<suiteId>@<version>`, and the digest of its document. */
export const suiteInReport = closed({
  /** `<suiteId>@<version>`. */
  ref: plain<`${SuiteId}@${Version}`>({ type: 'string' }),
  /** Digest of the canonical form of the suite. */
  digest: id<Digest>(),
});

/** How many tasks there are, and how they went. */
const tasks = closed(
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
const aggregate = closed({
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

const reportedCriterion = closed(
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

const reportedRepeats = closed({
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

const verdictOnTask = closed({
  /** The score of the task, from 0 to 1. */
  score: fraction(),
  /** Whether the score reached the task's threshold. */
  passed: flag(),
});
const reportedOverride = closed(
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

const reportedAdjustment = closed(
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

const reportedCorrection = closed(
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

const latencies = closed({
  /** The median, in milliseconds. */
  p50Ms: amount(),
  /** The 95th percentile, in milliseconds. */
  p95Ms: amount(),
});

const changedTask = closed({
  /** The task, which is in both runs. */
  taskId: id<TaskId>(),
  /** Its score in the baseline. */
  before: fraction(),
  /** Its score in this run. */
  after: fraction(),
});
/** A task whose score differs between the baseline and this run. */
export type ChangedTask = Wire<typeof changedTask>;

/** A comparison of two runs, in reports and in `POST …/runs:compare`. */
export const reportedRegression = closed(
  {
    /** The run it is compared with. */
    baselineRunId: id<RunId>(),
    /** What is known of the run it is compared with. */
    baseline: closed(
      {
        /** The agent that ran then. */
        agent: agentVersion,
        /** The mean score then. */
        score: fraction(),
        /** When that run ended. */
        endedAt: id<Timestamp>(),
      },
      {
        /** The model that was asked then; absent when the agent brings its own. */
        model: modelPin,
        /** The baseline came as a scorecard file, so its answers are not on this host. Absent otherwise. */
        imported: mark('It came as a scorecard file.'),
      },
    ),
    /** This mean score minus the baseline's, from -1 to 1; negative is worse. */
    scoreDelta: change('Negative is worse.'),
    /** Where the mean of the task differences could lie, 95 %. */
    interval: changeInterval('Where the mean of the task differences could lie, 95 %.'),
    /** Of a one-sided sign-flip test for a drop, from 0 to 1: small values speak for a real drop. */
    pValue: fraction('One-sided sign-flip test for a drop.'),
    /** Of a two-sided exact McNemar test on the tasks that changed from pass to fail or back, from 0 to 1. */
    mcnemarP: fraction('Two-sided exact McNemar test on the tasks that changed sides.'),
    /** `fail`: a real regression. `pass`: none. `inconclusive`: too few tasks differ to tell. */
    verdict: choice(REPORT_VERDICTS, 'fail: a real regression. inconclusive: too few tasks differ to tell.'),
    /** A drop of the mean score up to this is not called a regression. */
    tolerance: fraction(),
    /** How many tasks the comparison rests on. */
    tasks: closed(
      {
        /** Tasks that both runs could score. */
        paired: count(),
        /** Those of them whose scores differ. */
        differing: count(),
        /** Tasks that only one of the runs has, or could score. */
        unpaired: count(),
      },
      {
        /**
         * Tasks of equal id and equal digest that both runs ran: the comparison is about these alone. Like the three
         * lists, present when the caller asked to compare common tasks.
         */
        common: count('Tasks that are the same in both suites; the comparison is about these alone.'),
        /** Tasks of both suites that ask or expect something else now. */
        changed: list(id<TaskId>(), 'In both suites, with another content.'),
        /** Tasks that the suite of the baseline does not have. */
        added: list(id<TaskId>(), 'Not in the suite of the baseline.'),
        /** Tasks that only the suite of the baseline has. */
        removed: list(id<TaskId>(), 'Only in the suite of the baseline.'),
      },
    ),
    /** Tasks that passed in the baseline and fail now. */
    toFail: list(id<TaskId>()),
    /** Tasks that failed in the baseline and pass now. */
    toPass: list(id<TaskId>()),
    /** Tasks whose score moved, the largest drop first. */
    changes: list(changedTask),
  },
  {
    /** The smallest drop that the comparison would find four times in five; absent when it would find none. */
    smallestDetectableDrop: fraction('Absent when the suite is too small to show any.'),
    /** How many further changes are not listed; absent when all are. */
    moreChanges: count(),
    /** What the paired tasks cost, in US dollars; absent when a cost is not known. */
    cost: closed({ beforeUsd: amount(), afterUsd: amount() }),
    /** Response times of the paired tasks; absent when they are not known. */
    latency: closed({ before: latencies, after: latencies }),
    /** The judges differ, and the caller set `allowJudgeMismatch`. Absent otherwise. */
    otherJudge: mark('The judges differ, and the caller wanted to compare all the same.'),
  },
);
/** The run compared with an earlier one, task by task. Tasks that either run could not score are left out. */
export type ReportedRegression = Wire<typeof reportedRegression>;

const reportedSlice = closed(
  {
    /** What the task ids begin with: the part before the first hyphen. */
    name: id<SliceName>('What the task ids begin with.'),
    /** Tasks of the slice that ran. */
    tasks: count(),
    /** The mean of their scores. */
    score: fraction(),
    /** The share of them that passed. */
    passRate: fraction(),
    /** Where the pass rate could lie, 95 %. */
    passRateInterval: interval,
    /** A reminder for readers: looked at after the fact, so no verdict can rest on it. */
    exploratory: mark(),
  },
  {
    /** Against the same tasks of the baseline; absent without one. */
    scoreDelta: change('Against the baseline.'),
  },
);
/** Tasks whose ids begin alike. */
export type ReportedSlice = Wire<typeof reportedSlice>;

/** Answer of `GET …/runs/{runId}/report`. */
export const evalReport = closed(
  {
    /** The run that the report is about. */
    runId: id<RunId>(),
    /** The suite that ran. */
    suite: suiteInReport,
    /** The agent that was evaluated. */
    agent: agentVersion,
    /** How the run was done, as decided at create. */
    modes: list(choice(EVAL_MODES)),
    /** How many tasks there are, and how they went. */
    tasks,
    /** The numbers of the whole run, with their uncertainty. */
    aggregate,
    /** Whether the score reached its threshold; `inconclusive` when the threshold lies within the interval. */
    verdict: choice(
      REPORT_VERDICTS,
      'Inconclusive when the threshold lies within the interval of the score.',
    ),
    /** Known costs in US dollars. A missing member is unknown, not zero. */
    cost: closed(
      {},
      {
        /** What the agent's model calls cost. */
        agentUsd: amount(),
        /** What the judges' model calls cost. */
        judgeUsd: amount(),
        /** What the model cost that played the user of conversations. */
        simulatedUserUsd: amount('What the model cost that played the user of conversations.'),
        /** Model calls of unknown price; absent when there are none. */
        unpriced: count('Model calls of unknown price.'),
      },
    ),
    /** Response times of the agent over all tasks, in milliseconds. */
    latency: closed({
      /** The median. */
      p50Ms: amount(),
      /** The 95th percentile. */
      p95Ms: amount(),
      /** The slowest task. */
      maxMs: amount(),
    }),
  },
  {
    /** The model that the run asked; absent when the agent brings its own. */
    model: modelPin,
    /** What the suite asks of a run. */
    thresholds: plain<Thresholds>({ type: 'object' }),
    /** Present when reviewers have corrected scores of this run. */
    adjusted: reportedAdjustment,
    /** Present when people have labelled enough of the run's answers to know the error of its judge. */
    corrected: reportedCorrection,
    /** Present when the run has a baseline, or the caller named a run to compare with. */
    regression: reportedRegression,
    /** Rubric criteria; absent when the suite has none. */
    criteria: list(reportedCriterion),
    /** Present when each task ran more than once. */
    repeats: reportedRepeats,
    /** What the safety checks found, by kind and severity; absent when they found nothing. */
    findings: list(
      closed({
        /** What sort of thing was found; never the text it was found in. */
        kind: id<FindingKind>(),
        /** How bad it is. */
        severity: choice(SEVERITIES),
        /** The number of tasks in which it was found. */
        tasks: count(),
      }),
    ),
    /** Who decided criteria that are prose; absent when no judge was asked. */
    judge: judgeInReport,
    /** The model that looked at every answer of an adversarial run. */
    safetyJudge: judgeIdentity,
    /** Who played the user of conversations; absent when nobody did. */
    simulatedUser,
    /** Programs of the operator that decided criteria; absent when no criterion names one. */
    scorers: list(scorerPin),
    /** What keeps the scores from being evidence, by what made them; absent when nothing does. */
    caveats: list(choice(CAVEATS), 'What keeps the scores from being evidence.'),
    /** The run whose recorded answers were judged again. */
    rejudgeOf: id<RunId>(),
    /** Model calls answered from the response cache; absent when there are none. */
    cacheHits: count('Model calls answered from the response cache.'),
    /** Live tools took part, so the run may not go the same way twice. Absent otherwise. */
    nondeterministic: mark('Live tools took part, so the run may not go the same way twice.'),
    /** Some checks look at time, cost or tokens, so equal answers may score otherwise. Absent otherwise. */
    timed: mark('Some checks look at time, cost or tokens, so equal answers may score otherwise.'),
    /** How likely the comparison finds a drop, from none to twice the smallest one; absent when it finds none. */
    power: list(
      closed({
        /** A true drop of the mean score. */
        drop: fraction(),
        /** How often the comparison would call it real. */
        chance: fraction(),
      }),
      'How likely the comparison would find a drop, from none on.',
    ),
    /** How many tasks would find half of the smallest detectable drop; absent without one, and for very large suites. */
    halfDrop: closed({
      /** Half of the smallest detectable drop. */
      drop: fraction(),
      /** Tasks that would find it four times in five. */
      tasks: count(),
    }),
    /** Parts of the suite, by the beginning of the task ids; absent when there is only one part. */
    slices: list(reportedSlice, 'Parts of the suite, looked at after the fact: no verdicts.'),
  },
);
/** What the closed summary cannot hold: how sure its numbers are, and what they are made of. Content-free as well. */
export type EvalReport = Wire<typeof evalReport>;
