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

const finding = closed({
  kind: id<FindingKind>('What sort of thing was found. A label, never the text it was found in.', {
    minLength: 1,
  }),
  severity: choice(SEVERITIES, 'How bad it is.'),
});

const taskScore = closed(
  {
    taskId: taskId('The task of the suite.'),
    score: fraction('The task score.'),
    passed: flag('Whether the score reached the bar of the task.'),
  },
  {
    costUsd: amount('Known cost of the task, in US dollars.'),
    latencyMs: count('From the first request to the final answer, in milliseconds.'),
    schemaValid: flag('Whether the answer fits the return schema of the agent.'),
    safetyFindings: list(finding, 'What the safety checks found.'),
  },
);

const regression = closed(
  {
    baselineRunId: id<RunId>('The run this one is measured against.', { minLength: 1 }),
    scoreDelta: number('This aggregate score minus that of the baseline; below zero is worse.', {
      minimum: -1,
      maximum: 1,
    }),
  },
  { diffRef: text('Where the two event logs can be compared.') },
  { description: 'The comparison with a baseline, in regression mode.' },
);

export const evalSummary = closed(
  {
    suiteId: suiteId('The suite that ran.'),
    suiteVersion: suiteVersion('The version of that suite.'),
    aggregateScore: fraction('The score of the whole run.'),
    passed: flag('Whether the run cleared the thresholds of the suite.'),
    taskCount: count('How many tasks ran.'),
    passedCount: count('How many of them passed.'),
    tasks: list(taskScore, 'One entry per task, in suite order.'),
  },
  {
    evaluatedModelClass: modelClass('The model class of the agent.'),
    totalCostUsd: amount('Known cost of the run, in US dollars.'),
    regression,
  },
  published(
    'eval-summary',
    'EvalSummary',
    'The scorecard of an eval run: scores, counts and names, no content.',
  ),
);
/** The terminal scorecard on the wire. Closed: whatever it cannot hold belongs to the report. */
export type EvalSummary = Wire<typeof evalSummary>;
export type TaskScore = EvalSummary['tasks'][number];
