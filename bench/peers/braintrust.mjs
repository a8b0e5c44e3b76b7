/** Offline it keeps nothing: compare it with the floor in memory. */
export const braintrust = {
  packages: ['braintrust@3.35.0'],
  keeps: 'nothing',
  command: 'braintrust',
  files: ({ tasks, concurrency }) => ({
    'tasks.json': tasks,
    'baskets.eval.ts': `
      import { readFileSync } from 'node:fs';
      import { Eval } from 'braintrust';
      import agent from './agent.mjs';
      import { isRight } from './workload.mjs';
      const tasks = JSON.parse(readFileSync('tasks.json', 'utf8'));
      const right = ({ input, output }) => ({ name: 'right', score: Number(isRight(input, output)) });
      Eval('baskets', {
        data: () => tasks.map((task) => ({ input: task, expected: task.value })),
        task: (task) => agent(task.input),
        scores: [right],
        maxConcurrency: ${concurrency},
      });`,
  }),
  start: (bin) => [
    bin('braintrust'),
    'eval',
    '--no-send-logs',
    '--no-progress-bars',
    '--jsonl',
    'baskets.eval.ts',
  ],
  /** It reports the mean only. */
  passed({ stdout, n }) {
    const line = stdout.split('\n').find((text) => text.includes('"scores"'));
    return Math.round(JSON.parse(line).scores.right.score * n);
  },
};
