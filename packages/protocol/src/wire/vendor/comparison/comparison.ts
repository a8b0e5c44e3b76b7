// Two runs held against each other. Content-free.
import type { CriterionId, Digest, SuiteId, TaskId, Timestamp, Version } from '../../../model/ids.js';
import { FORK_MODES } from '../../../model/status.js';
import { CONTRACT_VERDICTS, NO_VERDICT_CODES, TURNS } from '../../../model/verdicts.js';
import {
  choice,
  closed,
  count,
  flag,
  fraction,
  id,
  list,
  mark,
  text,
  type Wire,
} from '../../schema/build.js';
import {
  agentVersion,
  change,
  embedderPin,
  judgeIdentity,
  modelPin,
  runId,
  scorerPin,
  simulatedUser,
} from '../parts.js';
import { reportedRegression } from '../report/regression.js';

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
    /** Tasks that came out the same are counted in `sameTasks` and not listed. `false` when absent. */
    changedOnly: flag('List only the tasks that did not come out the same, and count the others.'),
  },
);
/** Which two runs are compared, and how. */
export type CompareRuns = Wire<typeof compareRuns>;

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

export const comparedScore = closed(
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
    /** One pair per task of either run; with `changedOnly` without those that came out the same. */
    tasks: list(taskPair, 'Drops first and the largest of them on top, then gains likewise, then the rest.'),
    /** The largest loss first. Only criteria whose share changed. */
    criteria: list(changedCriterion, 'The largest loss first.'),
  },
  {
    /** Present when the two can be held against each other; otherwise `noVerdict` is. */
    regression: reportedRegression,
    /** Present when there is no verdict. */
    noVerdict,
    /** With `changedOnly`: tasks that came out the same and are not listed. */
    sameTasks: count('With "changedOnly": tasks that came out the same and are not listed.'),
  },
);
/** Two runs, task by task. */
export type RunComparison = Wire<typeof runComparison>;
