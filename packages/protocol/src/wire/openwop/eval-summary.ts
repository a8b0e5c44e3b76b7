import type { FindingKind, RunId } from '../../model/ids.js';
import { SEVERITIES } from '../../model/score.js';
import {
  amount,
  choice,
  closed,
  count,
  flag,
  fraction,
  id,
  list,
  number,
  published,
  text,
  type Wire,
} from '../schema/build.js';
import { modelClass, suiteId, suiteVersion, taskId } from './parts.js';

/** A safety finding without the text it was found in (RFC 0081 §F). */
const finding = closed({
  /**
   * What sort of thing was found. A label, never the text it was found in. A label such as `secret`; see the safety
   * policy for the known kinds.
   */
  kind: id<FindingKind>('What sort of thing was found. A label, never the text it was found in.', {
    minLength: 1,
  }),
  /** `low`, `medium`, `high` or `critical`, as the safety policy of the run grades the kind. */
  severity: choice(SEVERITIES, 'How bad it is.'),
});

/** The result of one task. */
const taskScore = closed(
  {
    /** The task's id in the suite. */
    taskId: taskId('The task of the suite.'),
    /** The task's score from 0 to 1, the mean over repeats; 0 also when the task could not be scored. */
    score: fraction('The task score.'),
    /** Whether the score reached the threshold of the task. A task without a score has not passed. */
    passed: flag('Whether the score reached the threshold of the task.'),
  },
  {
    /** Agent and judge together, over all repeats; absent when no price is known. */
    costUsd: amount('Known cost of the task, in US dollars.'),
    /**
     * From the first request to the final answer, in milliseconds. Of the slowest repeat; absent when no invocation
     * ended.
     */
    latencyMs: count('From the first request to the final answer, in milliseconds.'),
    /** Whether every repeat's answer fits the agent's return schema; absent when the agent declares none. */
    schemaValid: flag('Whether the answer fits the return schema of the agent.'),
    /** What the safety checks found, over all repeats; absent when they found nothing or did not run. */
    safetyFindings: list(finding, 'What the safety checks found.'),
  },
);

/** How the run compares with its baseline. */
const regression = closed(
  {
    /** The run that `configurable.baselineRunId` of the request named. */
    baselineRunId: id<RunId>('The run this one is measured against.', { minLength: 1 }),
    /**
     * This aggregate score minus that of the baseline; below zero is worse. From -1 to 1. Whether chance alone
     * explains it is in the report, not here.
     */
    scoreDelta: number('This aggregate score minus that of the baseline; below zero is worse.', {
      minimum: -1,
      maximum: 1,
    }),
  },
  {
    /**
     * Where the two event logs can be compared. A path on the host, `/v1/runs/{runId}:diff?against=…`; absent when
     * the baseline's log is not here.
     */
    diffRef: text('Where the two event logs can be compared.'),
  },
  { description: 'The comparison with a baseline, in regression mode.' },
);

const totals = {
  /** The suite without its version. */
  suiteId: suiteId('The suite that ran.'),
  /** The version that was bound when the run was created. */
  suiteVersion: suiteVersion('The version of that suite.'),
  /** The mean of the task scores, from 0 to 1; unscored tasks count as 0. */
  aggregateScore: fraction('The score of the whole run.'),
  /** Whether the thresholds of the suite are met. A contract of the suite is decided in the contract report. */
  passed: flag('Whether the run cleared the thresholds of the suite.'),
  /** The number of entries in `tasks`. */
  taskCount: count('How many tasks ran.'),
  /** The number of entries whose `passed` is true. */
  passedCount: count('How many of them passed.'),
};

const known = {
  /** The class that the agent declares; absent when it declares none. */
  evaluatedModelClass: modelClass('The model class of the agent.'),
  /** The sum of the known task costs; absent when none is known. */
  totalCostUsd: amount('Known cost of the run, in US dollars.'),
  /** Present when the request named a baseline. */
  regression,
};

/** The protocol's schema of the terminal scorecard (RFC 0081 §C). It holds no content. */
export const evalSummary = closed(
  {
    ...totals,
    /** One entry per task, in suite order. Only tasks that were selected to run. */
    tasks: list(taskScore, 'One entry per task, in suite order.'),
  },
  known,
  published(
    'eval-summary',
    'EvalSummary',
    'The scorecard of an eval run: scores, counts and names, no content.',
  ),
);
/** The terminal scorecard on the wire. Closed: whatever it cannot hold belongs to the report. */
export type EvalSummary = Wire<typeof evalSummary>;
/** The schema of the same without its list of tasks, which a page of results tells. */
export const summaryTotals = closed(totals, known, {
  description: 'The scorecard of an eval run without its list of tasks.',
});
/** A scorecard without its list of tasks. */
export type SummaryTotals = Wire<typeof summaryTotals>;
/** One entry of `tasks`: the result of one task without content. */
export type TaskScore = EvalSummary['tasks'][number];
