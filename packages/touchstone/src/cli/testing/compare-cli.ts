import { openTestCli, type TestCli } from './test-cli.js';

export const SUITE = 'local.test.evals.orders';

export type CompareCli = TestCli & {
  /** Writes the suite; every task wants its own name as the answer. */
  writeSuite(tasks: readonly string[], more?: object): void;
  /** Runs the suite with an agent that gives these answers, and the right one to every other task. */
  runWith(answers: { readonly [taskId: string]: unknown }, ...more: string[]): Promise<string>;
};

/** A project with a golden suite, and an agent whose answers a test chooses run by run. */
export function openCompareCli(options?: Parameters<typeof openTestCli>[0]): CompareCli {
  const desk = openTestCli(options);
  return {
    ...desk,
    writeSuite: (tasks, more = {}) =>
      desk.write('orders.suite.json', {
        suiteId: SUITE,
        version: '1.0.0',
        modes: ['golden'],
        tasks: tasks.map((taskId) => ({
          taskId,
          input: { q: taskId },
          expected: { kind: 'golden', match: { strategy: 'exact', value: taskId } },
        })),
        ...more,
      }),
    async runWith(answers, ...more) {
      const table = JSON.stringify(answers);
      desk.write('agent.mjs', `const answers = ${table};\nexport default ({ q }) => answers[q] ?? q;\n`);
      await desk.run('run', 'orders.suite.json', '--agent', './agent.mjs', ...more);
      const { out } = await desk.run('runs', '--limit', '1', '--json');
      return JSON.parse(out).items[0].runId;
    },
  };
}

export const TASKS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

/** Ids, digests and times differ from run to run. */
export const steady = (text: string): string =>
  text
    .replaceAll(/run-[0-9a-z]{26}/g, `run-${'0'.repeat(26)}`)
    .replaceAll(/sha256:[0-9a-f]{8}…/g, 'sha256:00000000…')
    .replaceAll(/\d+ s ago/g, '0 s ago')
    .replaceAll(/p50 .*/g, 'p50 –');
