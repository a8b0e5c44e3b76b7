// What two runs, two judges, or the runs of a suite over time come to when they are held against each other, and the
// baselines that runs are measured by. All of it is content-free.
import type {
  AgentId,
  AnnotationId,
  CriterionId,
  Digest,
  EventId,
  GateId,
  ModelName,
  PrincipalId,
  RunId,
  SuiteId,
  TaskId,
  Timestamp,
  Version,
} from '../../model/ids.js';
import { FORK_MODES } from '../../model/status.js';
import { CONTRACT_VERDICTS, NO_VERDICT_CODES, REPORT_VERDICTS, TURNS } from '../../model/verdicts.js';
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
  number,
  text,
  type Wire,
} from '../schema/build.js';
import {
  agentVersion,
  change,
  embedderPin,
  interval,
  judgeIdentity,
  modelPin,
  scorerPin,
  simulatedUser,
} from './parts.js';
import { reportedRegression, suiteInReport } from './report.js';

/** A run by its id, 1 to 128 characters. */
const runId = (description?: string) => id<RunId>(description, { minLength: 1, maxLength: 128 });

/** Schema of the body of `POST …/runs:compare`. */
export const compareRuns = closed(
  {
    /** The run that counts as the reference. */
    before: runId('The earlier run, or one whose scorecard is kept here.'),
    /** The run that is judged by it. */
    after: runId('The later one, likewise.'),
  },
  {
    /**
     * A drop up to this is no regression; default: as the host is configured. From 0 to 1, in units of the mean
     * score.
     */
    tolerance: fraction('A drop up to this is no regression; default: as the host is configured.'),
    /** `false` when absent: different judges give `noVerdict` with `other_judge`. */
    allowJudgeMismatch: flag('Give a verdict also on scores of different judges.'),
    /** Give a verdict on the tasks of equal id and equal digest, although the suites differ. `false` when absent. */
    common: flag('Compare the tasks that are the same in both suites, whatever else changed.'),
    /** Only this task and its criteria; the verdict stays that of all tasks. All tasks when absent. */
    taskId: text('Only this task and its criteria; the verdict stays that of all tasks.'),
  },
);
/** Which two runs are compared, and how. */
export type CompareRuns = Wire<typeof compareRuns>;

/** Schema of the body of `POST …/runs:compare-judges`. */
export const compareJudges = closed({
  /** The run whose answers were judged first. */
  before: runId('A completed run.'),
  /** The run that judged its answers again. Its `rejudgeOf` is the run in `before`. */
  after: runId('The run that judged its answers again.'),
});

const measuredRun = closed(
  {
    /** The run that was measured. */
    runId: runId(),
    /** The suite that ran. */
    suite: closed({ suiteId: id<SuiteId>(), version: id<Version>(), digest: id<Digest>() }),
    /** The agent that was evaluated. */
    agent: agentVersion,
    /** How often each task ran. */
    repeats: count(),
    /** The mean of the task scores. */
    score: fraction(),
    /** Tasks that ran, and those of them that passed. */
    tasks: closed({ total: count(), passed: count() }),
    /** When the run ended. */
    endedAt: id<Timestamp>(),
  },
  {
    /** The model that the host asked for the agent; absent when the agent brings its own. */
    model: modelPin,
    /** The judge of rubric tasks; absent when no task needed one. */
    judge: judgeIdentity,
    /** The judge that looked at every answer of an adversarial run. */
    safetyJudge: judgeIdentity,
    /** Digest of the safety policy, when it is not the default one. */
    safetyPolicy: id<Digest>(),
    /** Digest of the contract that the suite was compiled with. */
    contract: id<Digest>(),
    /**
     * Whether that contract was kept, as far as it was written down. Absent when the suite has no contract, or the
     * record is older than this member.
     */
    contractVerdict: choice(
      CONTRACT_VERDICTS,
      'Whether that contract was kept, as far as it was written down.',
    ),
    /** The model that compared meanings. */
    embedder: embedderPin,
    /** Who played the user of conversations; absent when nobody did. */
    simulatedUser,
    /** Programs of the operator that decided criteria; absent when no criterion names one. */
    scorers: list(scorerPin),
    /** The run begins with the history of another one. A scorecard names that one, and not how it was forked. */
    fork: closed({ source: runId() }, { mode: choice(FORK_MODES), fromSeq: count() }),
    /**
     * Only the scorecard of the run is on this host: there are no answers to look at. Absent when the run's log is on
     * this host.
     */
    imported: mark('Only the scorecard of the run is on this host: there are no answers to look at.'),
  },
);
/** One of two runs that are compared. */
export type MeasuredRun = Wire<typeof measuredRun>;

const comparedScore = closed(
  {
    /** The score of the task, from 0 to 1. */
    score: fraction(),
    /** Whether the score reached the task's threshold. */
    passed: flag(),
  },
  {
    /** There is no score; the 0 says nothing about the answer. Absent when there is a score. */
    unscored: mark('There is no score; the 0 says nothing about the answer.'),
  },
);
/** A score, or that there is none. */
export type ComparedScore = Wire<typeof comparedScore>;

const taskPair = closed(
  {
    /** The task in its suite. */
    taskId: id<TaskId>(),
    /**
     * unclear: one of the two could not score it. gone, new: only one of the two has it. By the scores of the two
     * runs; see `TURNS`.
     */
    turn: choice(TURNS, 'unclear: one of the two could not score it. gone, new: only one of the two has it.'),
  },
  {
    /** Its score in the earlier run; absent when only the later one has the task. */
    before: comparedScore,
    /** Its score in the later run; absent when only the earlier one has the task. */
    after: comparedScore,
    /** Score after minus score before; absent unless both could score the task. From -1 to 1. */
    change: change('Score after minus score before; absent unless both could score the task.'),
    /** The later run scored it by criteria. Absent for golden tasks. */
    rubric: mark('The later run scored it by criteria.'),
  },
);
/** One task in both runs. */
export type TaskPair = Wire<typeof taskPair>;

const changedCriterion = closed({
  /** A name for the criterion that says nothing about its words. */
  id: id<CriterionId>(),
  /** In how many tasks both runs decided it. The denominator of `before` and `after`. */
  tasks: count('In how many tasks both runs decided it.'),
  /** Mean over those tasks of the share of repeats that met it. From 0 to 1, in the earlier run. */
  before: fraction('Mean over those tasks of the share of repeats that met it.'),
  /** The same in the later run. */
  after: fraction(),
  /** Tasks in which the share of repeats that met it differs. */
  changed: count('In how many of them it changed.'),
  /** The first task in which it changed, and where the criterion stands in the rubric of each run. */
  example: closed({ taskId: id<TaskId>(), before: count(), after: count() }),
});
/** A criterion that was met more often, or less often, than before. */
export type ChangedCriterion = Wire<typeof changedCriterion>;

const noVerdict = closed(
  {
    /** What the two runs do not share; see `NO_VERDICT_CODES`. */
    code: choice(NO_VERDICT_CODES),
    /** The reason in a sentence. For people. */
    message: text('The reason in a sentence.'),
  },
  {
    /** Tasks of equal id and equal digest, which `common` would compare. Absent when there are none or it is not known. */
    commonTasks: count('Tasks that are the same in both suites, which "common" would compare.'),
  },
);
/** Why no verdict can be given on two runs. */
export type NoVerdict = Wire<typeof noVerdict>;

/** Answer of `POST …/runs:compare`. */
export const runComparison = closed(
  {
    /** The earlier run. */
    before: measuredRun,
    /** The later run. */
    after: measuredRun,
    /** One pair per task of either run. */
    tasks: list(taskPair, 'Drops first and the largest of them on top, then gains likewise, then the rest.'),
    /** The largest loss first. Only criteria whose share changed. */
    criteria: list(changedCriterion, 'The largest loss first.'),
  },
  {
    /** Present when the two can be held against each other; otherwise `noVerdict` is. */
    regression: reportedRegression,
    /** Present when there is no verdict. */
    noVerdict,
  },
);
/** Two runs, task by task. */
export type RunComparison = Wire<typeof runComparison>;

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

const blessed = {
  /** The run that is the baseline. */
  runId: runId(),
  /** The suite it measured. */
  suite: suiteInReport,
  /** The agent it measured. */
  agent: agentVersion,
  /** Its mean score. */
  score: fraction(),
  /** Who made it the baseline. An opaque id. */
  principal: id<PrincipalId>('Who made it the baseline.'),
  /** When it was made the baseline. */
  at: id<Timestamp>(),
};
/** What a baseline has only when a task needed a judge. */
const blessedOptional = {
  /** Digest of the judge; absent when no task needed one. Baselines of different judges stand side by side. */
  judge: id<Digest>('Digest of the judge; absent when no task needed one.'),
};
/** Absent when the suite has no contract. */
const contractVerdict = choice(CONTRACT_VERDICTS, 'Whether the run kept the contract of its suite.');

const blessedRun = closed(blessed, blessedOptional);
/** A run that was made the baseline of its suite, its agent and its judge. */
export type BlessedRun = Wire<typeof blessedRun>;

/** Schema of the body of `POST …/baselines`. */
export const blessRun = closed({
  /** A completed eval run with answers of its own: no fork, and no call answered from the cache. */
  runId: runId('A completed run.'),
});

/** An entry of `GET …/baselines`. */
export const baselineEntry = closed(
  {
    ...blessed,
    /**
     * It counts: no later one of its suite, its agent and its judge is there. `false` for those that a later one
     * replaced.
     */
    current: flag('It counts: no later one of its suite, its agent and its judge is there.'),
  },
  {
    ...blessedOptional,
    /** Whether the run kept the contract of its suite; absent when it has none. */
    contractVerdict,
  },
);
/** The same in a list. Earlier ones are kept as history. */
export type BaselineEntry = Wire<typeof baselineEntry>;

/** Answer of `POST …/baselines`. */
export const newBaseline = closed(
  {
    /** The baseline that counts now. */
    blessed: blessedRun,
    /** Sentences for people; empty when there is nothing to say. */
    notes: list(text(), 'What does not stand in the way and should be known.'),
  },
  {
    /** The run that was the baseline until now. */
    replaced: blessedRun,
    /** The run was the baseline before; nothing has changed. Absent when the baseline is new. */
    already: mark('The run was the baseline before; nothing has changed.'),
    /** Whether the run kept the contract of its suite; absent when it has none. */
    contractVerdict,
  },
);
/** What came of making a run the baseline. */
export type NewBaseline = Wire<typeof newBaseline>;

const historyPoint = closed(
  {
    /** The completed run. */
    runId: runId(),
    /** The version of the suite that ran. */
    suiteVersion: id<Version>(),
    /** Points with equal digests are comparable. */
    suiteDigest: id<Digest>(),
    /** The agent that was evaluated. */
    agentId: id<AgentId>(),
    /** Its version. */
    agentVersion: id<Version>(),
    /** Digest of the agent's bytes. */
    agentDigest: id<Digest>(),
    /** When the run ended, ISO 8601. The points are in this order. */
    endedAt: id<Timestamp>(),
    /** The mean of the task scores. */
    score: fraction(),
    /** The share of tasks that passed. */
    passRate: fraction(),
    /** The pass score of the suite. From 0 to 1; the host's default when the suite declares none. */
    bar: fraction('The pass score of the suite.'),
    /** Thresholds, unscored tasks and contract together. */
    verdict: choice(CONTRACT_VERDICTS),
  },
  {
    /** Known cost of the run, in US dollars; absent when nothing is known. */
    costUsd: amount(),
    /** Where the score could lie, 95 %. */
    interval,
    /** The 95th percentile of response times, in milliseconds. */
    p95Ms: amount(
      'Like the interval and the regression, absent of old runs: one answer reads a bounded number of results.',
    ),
    /** Against the baseline that the run was made with. */
    regression: closed({ scoreDelta: change(), verdict: choice(REPORT_VERDICTS) }),
    /** The judge of rubric tasks; absent when no task needed one. */
    judge: closed({ provider: id<ModelName>(), model: id<ModelName>(), digest: id<Digest>() }),
    /** The run is the baseline at present. Absent for all other runs. */
    blessed: mark('The run is the baseline at present.'),
  },
);
/** One completed run of a suite, among others. */
export type HistoryPoint = Wire<typeof historyPoint>;

/** Answer of `GET …/suites/{suiteRef}/history`. */
export const suiteHistory = closed({
  /** Oldest first. Completed runs only. */
  points: list(historyPoint, 'Oldest first.'),
  /** Drawn as horizontal lines by a chart of the scores. */
  gates: list(
    closed(
      {
        /** A gate of the host's configuration. */
        gateId: id<GateId>(),
        /** The deployment state that the gate guards. */
        to: text(),
      },
      {
        /** The mean score that the gate asks for, from 0 to 1; the suite's own thresholds decide when absent. */
        requiredPassScore: fraction(),
      },
    ),
    'Gates that ask for a run of the suite.',
  ),
});
/** The completed runs of a suite over time, and what gates ask of it. */
export type SuiteHistory = Wire<typeof suiteHistory>;

/** An entry of `GET …/runs/{runId}/overrides`. */
export const scoreOverride = closed(
  {
    /** The annotation that holds the correction. */
    annotationId: id<AnnotationId>(),
    /** The task whose score was corrected. */
    taskId: id<TaskId>(),
    /** Its `eval.scored` event. */
    eventId: id<EventId>(),
    /** What the score is taken for. */
    score: fraction(),
    /** The reviewer, as an opaque id. */
    by: id<PrincipalId>('Whose correction it is.'),
    /** When it was made. */
    at: id<Timestamp>(),
  },
  {
    /**
     * Set when the correction named a side rather than a score. `pass` or `fail` in the reviewer's words; absent when
     * the reviewer gave a score.
     */
    passed: flag('Set when the correction named a side rather than a score.'),
  },
);
/** A person's correction of one task's score, which reports take in place of it. */
export type ScoreOverride = Wire<typeof scoreOverride>;
