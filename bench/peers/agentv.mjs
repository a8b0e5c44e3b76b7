/** Its library keeps nothing: compare it with the floor in memory. It has no deep comparison, so `is-json` stands in. */
export const agentv = {
  packages: ['@agentv/core@4.42.4'],
  needsNode22: true,
  keeps: 'nothing',
  files: ({ tasks, concurrency }) => ({
    'tasks.json': tasks,
    'run.mjs': `
      import { readFileSync } from 'node:fs';
      import { evaluate } from '@agentv/core';
      import agent from './agent.mjs';
      const tasks = JSON.parse(readFileSync('tasks.json', 'utf8'));
      const checks = {
        exact: (value) => ({ type: 'equals', value }),
        contains: (value) => ({ type: 'contains', value }),
        'json-match': () => ({ type: 'is-json' }),
      };
      const { summary } = await evaluate({
        experiment: 'baskets',
        threshold: 0.8,
        workers: ${concurrency},
        task: (input) => agent(input),
        tests: tasks.map(({ taskId, input, strategy, value }) => ({
          id: taskId,
          input,
          assert: [checks[strategy](value)],
        })),
      });
      console.log(JSON.stringify({ passed: summary.passed }));`,
  }),
  start: () => ['node', 'run.mjs'],
  passed: ({ stdout }) => JSON.parse(stdout.split('\n').find((line) => line.startsWith('{"passed"'))).passed,
};
