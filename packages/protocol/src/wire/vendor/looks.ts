import { REPORT_VERDICTS } from '../../model/verdicts.js';
import { choice, closed, count, flag, fraction, list, type Wire } from '../schema/build.js';
import { agentVersion, change, changeInterval, interval, runId } from './parts.js';
import { suiteInReport } from './report/report-parts.js';

/** The most rounds that one evaluation can have. */
export const MAX_ROUNDS = 200;

/** Schema of the body of `POST …/runs:looks`. */
export const lookAtRuns = closed(
  {
    /**
     * Completed runs of one suite and one agent, each of other tasks, in the order in which they were made. Which tasks
     * a round has must not depend on scores.
     */
    rounds: list(
      runId(),
      'Completed runs of one suite and agent, each of other tasks, the first round first.',
      {
        minItems: 1,
        maxItems: MAX_ROUNDS,
      },
    ),
  },
  {
    /** A run to compare with, which has all tasks of the rounds; nothing is compared when absent. */
    against: runId('A run that has all of these tasks, to compare with.'),
    /** A drop up to this is no regression. From 0 to 1; default: as the host is configured. */
    tolerance: fraction('A drop up to this is no regression; default: as the host is configured.'),
    /** `false` when absent: a comparison with scores of other judges is refused. */
    allowJudgeMismatch: flag('Compare also with scores of another judge.'),
  },
);
/** Rounds of one evaluation, and what they are compared with. */
export type LookAtRuns = Wire<typeof lookAtRuns>;

const lookRegression = closed({
  /** Tasks that both runs scored, and those of them whose score differs. */
  paired: count(),
  /** Tasks whose score differs. */
  differing: count(),
  /** The mean difference of their scores; negative is worse. */
  scoreDelta: change(),
  /** Where the mean difference could lie, at every look at once, 95 %. */
  interval: changeInterval('Where the mean difference could lie, at every look at once, 95 %.'),
  /**
   * `fail`: a drop is certain and larger than the tolerance. `pass`: a drop larger than the tolerance is ruled out.
   * `inconclusive`: neither yet.
   */
  verdict: choice(REPORT_VERDICTS),
});

const look = closed(
  {
    /** The run that was made last before this look. */
    runId: runId(),
    /** Tasks of all rounds so far. */
    tasks: count('Tasks of all rounds so far.'),
    /** Those that could not be scored. The interval allows them any score. */
    unscored: count(),
    /** The mean of their scores; a task without a score counts as 0. */
    score: fraction(),
    /** Where the mean could lie, at every look at once, 95 %. It only gets narrower from look to look. */
    interval,
    /** `pass`: the interval lies above the threshold. `fail`: below it. */
    verdict: choice(REPORT_VERDICTS),
  },
  {
    /** Absent when nothing is compared. */
    regression: lookRegression,
  },
);
/** What is known after a round. */
export type Look = Wire<typeof look>;

/** Answer of `POST …/runs:looks`. */
export const looksReport = closed(
  {
    /** The suite of all rounds. */
    suite: suiteInReport,
    /** The agent of all rounds. */
    agent: agentVersion,
    /** The pass score of the suite. */
    bar: fraction('The pass score of the suite.'),
    /** Tasks of the suite. */
    totalTasks: count('Tasks of the suite.'),
    /** One per round, the first first. */
    looks: list(look),
    /** Nothing that further rounds show can change the answer. */
    decided: flag('Further rounds cannot change the verdict.'),
  },
  {
    /** The run that the rounds are compared with; absent when nothing is compared. */
    against: runId('The run that the rounds are compared with.'),
    /** A drop up to this is no regression; absent when nothing is compared. */
    tolerance: fraction(),
  },
);
/** An evaluation in rounds, and what was known after each. */
export type LooksReport = Wire<typeof looksReport>;
