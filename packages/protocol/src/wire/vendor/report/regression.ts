// How a run compares with the one that it is measured by. Content-free.
import type { RunId, TaskId, Timestamp } from '../../../model/ids.js';
import { REPORT_VERDICTS } from '../../../model/verdicts.js';
import { amount, choice, closed, count, fraction, id, list, mark, type Wire } from '../../schema/build.js';
import { agentVersion, change, changeInterval, modelPin } from '../parts.js';
import { latencies } from './report-parts.js';

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
