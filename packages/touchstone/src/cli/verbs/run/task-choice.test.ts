import { afterEach, describe, expect, it } from 'vitest';
import { openTestCli, type TestCli } from '../../testing/test-cli.js';

const open: TestCli[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

const task = (taskId: string, tags: string, said = 'yes'): string =>
  `  - { taskId: ${taskId}, tags: [${tags}], input: ${said}, expect: [{ equals: yes }] }\n`;
const suiteOf = (name: string, ...tasks: readonly string[]): string =>
  `suiteId: local.test.evals.${name}\nversion: 1.0.0\nthresholds: { passScore: 0.1 }\ntasks:\n${tasks.join('')}`;

function project(): TestCli {
  const cli = openTestCli();
  open.push(cli);
  cli.write('echo.mjs', 'export default async (input) => input;');
  cli.write(
    'evals/one.suite.yaml',
    suiteOf(
      'one',
      task('refund-late', 'money, slow'),
      task('refund-early', 'money', 'no'),
      task('hello', 'chat'),
    ),
  );
  cli.write('evals/two.suite.yaml', suiteOf('two', task('weather', 'chat')));
  return cli;
}

type Document = { summary: { tasks: { taskId: string }[] } };
const ran = ({ out }: { readonly out: string }): readonly string[] =>
  (JSON.parse(out) as Document).summary.tasks.map(({ taskId }) => taskId);
const ONE = ['run', 'evals/one.suite.yaml', '--agent', 'echo.mjs', '--json'];

describe('the tasks that run', () => {
  it.each([
    [
      ['--only', 'refund-*'],
      ['refund-late', 'refund-early'],
    ],
    [
      ['--only', '*o,refund-late'],
      ['refund-late', 'hello'],
    ],
    [
      ['--tag', 'slow,chat'],
      ['refund-late', 'hello'],
    ],
    [['--tag', 'money', '--only', '*late'], ['refund-late']],
    [
      ['--first', '2'],
      ['refund-late', 'refund-early'],
    ],
  ])('%j are %j', async (flags, expected) => {
    const result = await project().run(...ONE, ...flags);
    expect(result.code).toBe(0);
    expect(ran(result)).toEqual(expected);
  });

  it('are those that failed in the newest run, and none when nothing did', async () => {
    const cli = project();
    expect((await cli.run(...ONE, '--failed')).code).toBe(2);
    await cli.run(...ONE);
    expect(ran(await cli.run(...ONE, '--failed'))).toEqual(['refund-early']);
    cli.write('evals/one.suite.yaml', suiteOf('one', task('refund-early', 'money')));
    await cli.run(...ONE);
    const again = await cli.run(...ONE, '--failed');
    expect([again.code, again.err]).toEqual([0, expect.stringContaining('nothing failed')]);
  });

  it('are refused when none fits, with what was asked for', async () => {
    const { code, err } = await project().run(...ONE, '--only', 'zebra-*');
    expect([code, err]).toEqual([2, expect.stringContaining('--only zebra-*')]);
    const untagged = await project().run(...ONE, '--tag', 'zebra');
    expect(untagged.err).toContain('--tag zebra');
  });

  it('of a folder leave out suites without one, and name them', async () => {
    const cli = project();
    const { code, out, err } = await cli.run(
      'run',
      'evals',
      '--agent',
      'echo.mjs',
      '--json',
      '--tag',
      'money',
    );
    expect(code).toBe(0);
    expect(err).toContain('local.test.evals.two@1.0.0 was not run: no task fits --tag money');
    expect((JSON.parse(out) as object[]).map((one) => 'summary' in one)).toEqual([true, false]);
    expect((await cli.run('run', 'evals', '--agent', 'echo.mjs', '--tag', 'zebra')).code).toBe(2);
  });

  it('of a folder may be named by ids of one suite or the other', async () => {
    const cli = project();
    const ALL = ['run', 'evals', '--agent', 'echo.mjs', '--json', '--only'];
    const both = JSON.parse((await cli.run(...ALL, 'hello,weather')).out) as Document[];
    const ids = both.map(({ summary }) => summary.tasks.map(({ taskId }) => taskId));
    expect(ids).toEqual([['hello'], ['weather']]);
    const one = await cli.run(...ALL, 'hello');
    expect([one.code, one.err]).toEqual([0, expect.stringContaining('evals.two@1.0.0 was not run')]);
    expect((await cli.run(...ALL, 'zebra')).code).toBe(2);
  });
});
