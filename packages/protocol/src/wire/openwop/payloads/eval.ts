import { amount, count, flag, fraction, name, number, open } from '../../schema/build.js';
import { evalModes } from '../parts.js';

// The protocol leaves these three open. This host adds nothing to them: no member here can hold content, and the
// builders in `facts.ts` know no other members.
/** Payloads of the `eval.*` events (RFC 0081 §C): scores, numbers and names, no content. */
export const evalPayloads = {
  /** Once, when the suite is bound and its tasks are selected. */
  'eval.started': open(
    {
      /** The suite without its version. */
      suiteId: name('The suite.'),
      /** The version of the suite that is bound: three numbers. */
      suiteVersion: name('Its version.'),
      /** How many tasks will run. Selected tasks; repeats do not count. */
      taskCount: count('How many tasks will run.'),
      /** Those of the request, or all of the suite. */
      modes: evalModes('The modes of the run.'),
    },
    {
      /** The run a regression is measured against. Absent when the run has no baseline. */
      baselineRunId: name('The run a regression is measured against.'),
    },
  ),
  /** Once per selected task, after its last repeat. */
  'eval.scored': open(
    {
      /** The task's id in the suite. */
      taskId: name('The task.'),
      /** The task's score from 0 to 1, the mean over repeats; 0 also for a task without a score. */
      score: fraction('Its score.'),
      /** Whether the score reached its threshold. Never `true` for a task without a score. */
      passed: flag('Whether the score reached its threshold.'),
    },
    {
      /** Known cost, in US dollars. Over all repeats; absent when no price is known. */
      costUsd: amount('Known cost, in US dollars.'),
      /** From the first request to the final answer, in milliseconds. Of the slowest repeat. */
      latencyMs: count('From the first request to the final answer, in milliseconds.'),
      /** Whether every answer fits the agent's return schema; absent when the agent has none. */
      schemaValid: flag('Whether the answer fits the return schema of the agent.'),
      /** How many safety findings. 0 when an adversarial run found nothing; absent when any other run did. The findings are in the summary. */
      safetyFindingCount: count('How many safety findings.'),
    },
  ),
  /** Once, after all tasks and before `run.completed`. */
  'eval.completed': open(
    {
      /** The mean of the task scores, from 0 to 1. */
      aggregateScore: fraction('The score of the run.'),
      /** Whether the thresholds of the suite are met; nothing else decides it. */
      passed: flag('Whether the run cleared the thresholds.'),
      /** How many tasks ran. Equal to `taskCount` of `eval.started`. */
      taskCount: count('How many tasks ran.'),
      /** `eval.scored` events whose `passed` is true. */
      passedCount: count('How many of them passed.'),
    },
    {
      /** The score minus that of the baseline. From -1 to 1, below zero is worse; absent without a baseline. */
      regressionVsBaseline: number('The score minus that of the baseline.', { minimum: -1, maximum: 1 }),
    },
  ),
};
