/** Keeps one JSON report, written at the end. */
export const vitestEvals = {
  packages: ['vitest-evals@0.16.1', 'vitest@4'],
  keeps: 'one report at the end',
  command: 'vitest',
  files: ({ tasks, concurrency }) => ({
    'tasks.json': tasks,
    'vitest.config.mjs': `
      export default {
        test: {
          include: ['baskets.eval.mjs'],
          sequence: { concurrent: true },
          maxConcurrency: ${concurrency},
          testTimeout: 600000,
        },
      };`,
    'baskets.eval.mjs': `
      import { readFileSync } from 'node:fs';
      import { createHarness, describeEval } from 'vitest-evals';
      import agent from './agent.mjs';
      import { isRight } from './workload.mjs';
      const tasks = JSON.parse(readFileSync(new URL('./tasks.json', import.meta.url), 'utf8'));
      const harness = createHarness({
        name: 'baskets',
        async run({ input }) {
          const output = await agent(input);
          const message = (role, content) => ({ type: 'message', role, content });
          return { output, events: [message('user', input), message('assistant', output)] };
        },
      });
      describeEval('baskets', { harness }, (it) => {
        it.for(tasks)('$taskId', async (task, { run, expect }) => {
          const { output } = await run(task.input);
          expect(isRight(task, output)).toBe(true);
        });
      });`,
  }),
  start: (bin) => [
    ...[bin('vitest'), 'run', '--reporter=vitest-evals/reporter'],
    ...['--reporter=json', '--outputFile.json=out.json'],
  ],
  passed: ({ output }) => output().numPassedTests,
};
