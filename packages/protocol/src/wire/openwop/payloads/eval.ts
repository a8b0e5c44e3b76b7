import { amount, count, flag, fraction, name, number, open } from '../../schema/build.js';
import { evalModes } from '../parts.js';

// The protocol leaves these three open. This host adds nothing to them: no member here can hold content, and the
// builders in `facts.ts` know no other members.
export const evalPayloads = {
  'eval.started': open(
    {
      suiteId: name('The suite.'),
      suiteVersion: name('Its version.'),
      taskCount: count('How many tasks will run.'),
      modes: evalModes('The modes of the run.'),
    },
    { baselineRunId: name('The run a regression is measured against.') },
  ),
  'eval.scored': open(
    {
      taskId: name('The task.'),
      score: fraction('Its score.'),
      passed: flag('Whether the score reached its bar.'),
    },
    {
      costUsd: amount('Known cost, in US dollars.'),
      latencyMs: count('From the first request to the final answer, in milliseconds.'),
      schemaValid: flag('Whether the answer fits the return schema of the agent.'),
      safetyFindingCount: count('How many safety findings.'),
    },
  ),
  'eval.completed': open(
    {
      aggregateScore: fraction('The score of the run.'),
      passed: flag('Whether the run cleared the thresholds.'),
      taskCount: count('How many tasks ran.'),
      passedCount: count('How many of them passed.'),
    },
    { regressionVsBaseline: number('The score minus that of the baseline.', { minimum: -1, maximum: 1 }) },
  ),
};
