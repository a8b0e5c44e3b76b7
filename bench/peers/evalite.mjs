/** Keeps results in SQLite. */
export const evalite = {
  packages: ['evalite@0.19.0', 'vitest@4'],
  keeps: 'results',
  command: 'evalite',
  files: ({ tasks, concurrency }) => ({
    'tasks.json': tasks,
    'evalite.config.ts': `
      import { defineConfig } from 'evalite/config';
      export default defineConfig({ maxConcurrency: ${concurrency}, testTimeout: 600000 });`,
    'baskets.eval.ts': `
      import { readFileSync } from 'node:fs';
      import { evalite } from 'evalite';
      import agent from './agent.mjs';
      import { isRight } from './workload.mjs';
      const tasks = JSON.parse(readFileSync(new URL('./tasks.json', import.meta.url), 'utf8'));
      evalite('baskets', {
        data: () => tasks.map((task) => ({ input: task, expected: task.value })),
        task: (task) => agent(task.input),
        scorers: [{ name: 'right', scorer: ({ input, output }) => Number(isRight(input, output)) }],
      });`,
  }),
  start: (bin) => [
    ...[bin('evalite'), 'run', 'baskets.eval.ts', '--hideTable'],
    ...['--threshold', '0', '--outputPath', 'out.json'],
  ],
  passed({ output }) {
    const document = output();
    const results = (document.suites ?? document.evals).flatMap(resultsOf);
    return results.filter(({ scores }) => scores[0].score === 1).length;
  },
};

/** Versions differ in whether results hang on the suite or on an eval inside it. */
const resultsOf = ({ evals, results }) => evals?.flatMap((one) => one.results ?? []) ?? results ?? [];
