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
import { agentVersion, change, embedderPin, interval, judgeIdentity, modelPin } from './parts.js';
import { reportedRegression, suiteInReport } from './report.js';

const runId = (description?: string) => id<RunId>(description, { minLength: 1, maxLength: 128 });

export const compareRuns = closed(
  {
    before: runId('The earlier run, or one whose scorecard is kept here.'),
    after: runId('The later one, likewise.'),
  },
  {
    tolerance: fraction('A drop up to this is no regression; default: as the host is configured.'),
    allowJudgeMismatch: flag('Give a verdict also on scores of different judges.'),
    taskId: text('Only this task and its criteria; the verdict stays that of all tasks.'),
  },
);
/** Which two runs are compared, and how. */
export type CompareRuns = Wire<typeof compareRuns>;

export const compareJudges = closed({
  before: runId('A completed run.'),
  after: runId('The run that judged its answers again.'),
});

const measuredRun = closed(
  {
    /** The run. */
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
    contractVerdict: choice(
      CONTRACT_VERDICTS,
      'Whether that contract was kept, as far as it was written down.',
    ),
    /** The model that compared meanings. */
    embedder: embedderPin,
    /** The run begins with the history of another one. A scorecard names that one, and not how it was forked. */
    fork: closed({ source: runId() }, { mode: choice(FORK_MODES), fromSeq: count() }),
    imported: mark('Only the scorecard of the run is on this host: there are no answers to look at.'),
  },
);
/** One of two runs that are compared. */
export type MeasuredRun = Wire<typeof measuredRun>;

const comparedScore = closed(
  {
    /** From 0 to 1. */
    score: fraction(),
    /** Whether the score reached the task's threshold. */
    passed: flag(),
  },
  { unscored: mark('There is no score; the 0 says nothing about the answer.') },
);
/** A score, or that there is none. */
export type ComparedScore = Wire<typeof comparedScore>;

const taskPair = closed(
  {
    /** The task in its suite. */
    taskId: id<TaskId>(),
    turn: choice(TURNS, 'unclear: one of the two could not score it. gone, new: only one of the two has it.'),
  },
  {
    /** Absent when only the later run has the task. */
    before: comparedScore,
    /** Absent when only the earlier run has the task. */
    after: comparedScore,
    change: change('Score after minus score before; absent unless both could score the task.'),
    rubric: mark('The later run scored it by criteria.'),
  },
);
/** One task in both runs. */
export type TaskPair = Wire<typeof taskPair>;

const changedCriterion = closed({
  /** A name for the criterion that says nothing about its words. */
  id: id<CriterionId>(),
  tasks: count('In how many tasks both runs decided it.'),
  before: fraction('Mean over those tasks of the share of repeats that met it.'),
  /** The same in the later run. */
  after: fraction(),
  changed: count('In how many of them it changed.'),
  /** The first task in which it changed, and where the criterion stands in the rubric of each run. */
  example: closed({ taskId: id<TaskId>(), before: count(), after: count() }),
});
/** A criterion that was met more often, or less often, than before. */
export type ChangedCriterion = Wire<typeof changedCriterion>;

const noVerdict = closed({ code: choice(NO_VERDICT_CODES), message: text('The reason in a sentence.') });
/** Why no verdict can be given on two runs. */
export type NoVerdict = Wire<typeof noVerdict>;

export const runComparison = closed(
  {
    /** The earlier run. */
    before: measuredRun,
    /** The later run. */
    after: measuredRun,
    tasks: list(taskPair, 'Drops first and the largest of them on top, then gains likewise, then the rest.'),
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

const confusion = closed({
  tp: count('Both: met.'),
  fp: count('Only the second: met.'),
  fn: count('Only the first: met.'),
  tn: count('Neither: met.'),
});
/** How often one rater saw met what the other saw met, and the other three cases. The first is the one held to be right. */
export type Confusion = Wire<typeof confusion>;

const agreement = closed(
  { confusion },
  {
    agreement: fraction('The share of equal verdicts; absent when there is none to compare.'),
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
  compared: count('Verdicts of both judges.'),
  same: count('Those of them that are equal.'),
  /** A task that has the criterion, and where the criterion stands in its rubric. */
  example: closed({ taskId: id<TaskId>(), position: count() }),
});
export type DisputedCriterion = Wire<typeof disputedCriterion>;

export const judgeComparison = closed({
  tasks: closed({
    same: count(),
    better: count(),
    worse: count(),
    unscored: count('One of the two could not judge them, which is neither better nor worse.'),
  }),
  changed: list(
    closed({ taskId: id<TaskId>(), before: comparedScore, after: comparedScore }),
    'In the order of the suite.',
  ),
  /** On every criterion that both judges have decided. */
  verdicts: agreement,
  disputed: list(
    disputedCriterion,
    'Criteria on which they differed at least once, the most disputed first.',
  ),
});
/** What two judges made of the same recorded answers. */
export type JudgeComparison = Wire<typeof judgeComparison>;

const blessed = {
  /** The run. */
  runId: runId(),
  /** The suite it measured. */
  suite: suiteInReport,
  /** The agent it measured. */
  agent: agentVersion,
  /** Its mean score. */
  score: fraction(),
  principal: id<PrincipalId>('Who made it the baseline.'),
  /** When it was made the baseline. */
  at: id<Timestamp>(),
};
const blessedOptional = { judge: id<Digest>('Digest of the judge; absent when no task needed one.') };
const contractVerdict = choice(CONTRACT_VERDICTS, 'Whether the run kept the contract of its suite.');

const blessedRun = closed(blessed, blessedOptional);
/** A run that was made the baseline of its suite, its agent and its judge. */
export type BlessedRun = Wire<typeof blessedRun>;

export const blessRun = closed({ runId: runId('A completed run.') });

export const baselineEntry = closed(
  { ...blessed, current: flag('It counts: no later one of its suite, its agent and its judge is there.') },
  { ...blessedOptional, contractVerdict },
);
/** The same in a list. Earlier ones are kept as history. */
export type BaselineEntry = Wire<typeof baselineEntry>;

export const newBaseline = closed(
  { blessed: blessedRun, notes: list(text(), 'What does not stand in the way and should be known.') },
  {
    /** The run that was the baseline until now. */
    replaced: blessedRun,
    already: mark('The run was the baseline before; nothing has changed.'),
    contractVerdict,
  },
);
/** What came of making a run the baseline. */
export type NewBaseline = Wire<typeof newBaseline>;

const historyPoint = closed(
  {
    runId: runId(),
    suiteVersion: id<Version>(),
    suiteDigest: id<Digest>(),
    agentId: id<AgentId>(),
    agentVersion: id<Version>(),
    agentDigest: id<Digest>(),
    endedAt: id<Timestamp>(),
    /** The mean of the task scores. */
    score: fraction(),
    /** The share of tasks that passed. */
    passRate: fraction(),
    bar: fraction('The pass score of the suite.'),
    verdict: choice(CONTRACT_VERDICTS),
  },
  {
    /** Absent when it is not known. */
    costUsd: amount(),
    interval,
    p95Ms: amount(
      'Like the interval and the regression, absent of old runs: one answer reads a bounded number of results.',
    ),
    /** Against the baseline that the run was made with. */
    regression: closed({ scoreDelta: change(), verdict: choice(REPORT_VERDICTS) }),
    judge: closed({ provider: id<ModelName>(), model: id<ModelName>(), digest: id<Digest>() }),
    blessed: mark('The run is the baseline at present.'),
  },
);
/** One completed run of a suite, among others. */
export type HistoryPoint = Wire<typeof historyPoint>;

export const suiteHistory = closed({
  points: list(historyPoint, 'Oldest first.'),
  gates: list(
    closed({ gateId: id<GateId>(), to: text() }, { requiredPassScore: fraction() }),
    'Gates that ask for a run of the suite.',
  ),
});
/** The completed runs of a suite over time, and what gates ask of it. */
export type SuiteHistory = Wire<typeof suiteHistory>;

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
    by: id<PrincipalId>('Whose correction it is.'),
    /** When it was made. */
    at: id<Timestamp>(),
  },
  { passed: flag('Set when the correction named a side rather than a score.') },
);
/** A person's correction of one task's score, which reports take in place of it. */
export type ScoreOverride = Wire<typeof scoreOverride>;
