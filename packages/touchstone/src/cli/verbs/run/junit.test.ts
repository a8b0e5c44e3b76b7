import { afterEach, expect, test } from 'vitest';
import { openTestCli, type TestCli } from '../../testing/test-cli.js';

const open: TestCli[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

const ECHO = 'export default async (input) => ({ said: input, secret: "a word of the agent" });';

/** Five tasks, one of which the agent answers with another member than is expected. */
function desk(passScore: number): TestCli {
  const cli = openTestCli();
  open.push(cli);
  const tasks = ['a', 'b', 'c', 'd', 'e'].map((taskId) => ({
    taskId,
    input: taskId,
    expected: {
      kind: 'golden',
      match: {
        strategy: 'json-match',
        value: { said: taskId === 'e' ? 'f' : taskId, secret: 'a word of the agent' },
      },
    },
  }));
  const suite = {
    suiteId: 'local.test.evals.ci',
    version: '1.0.0',
    modes: ['golden'],
    thresholds: { passScore },
    tasks,
  };
  cli.write('ci.suite.json', suite);
  cli.write('echo.mjs', ECHO);
  return cli;
}

const RUN = ['run', 'ci.suite.json', '--agent', 'echo.mjs', '--junit', 'r.xml'];

test('a run that ends with 0 leaves a report without a failure, and names what failed within the bar', async () => {
  const cli = desk(0.8);
  expect((await cli.run(...RUN)).code).toBe(0);
  expect(cli.read('r.xml')).not.toMatch(/<failure|<error/);
  expect(cli.read('r.xml')).toContain('<skipped message="score 0.00: json-match differs at /said"/>');
  expect((await cli.run(...RUN, '--junit-failures', 'all')).code).toBe(0);
  expect(cli.read('r.xml')).toContain(
    '<failure message="score 0.00: json-match differs at /said" type="failed"/>',
  );
});

test('a run that ends early leaves a report with every task that was done, the passed ones included', async () => {
  const cli = desk(0.8);
  cli.write(
    'echo.mjs',
    `export default async (input, ctx) => {
      ctx.usage({ provider: 'p', model: 'm', inputTokens: 1, outputTokens: 1, costUsd: 0.01 });
      return { said: input, secret: "a word of the agent" };
    };`,
  );
  expect((await cli.run(...RUN, '--concurrency', '1', '--budget', '0.015')).code).toBe(4);
  const report = cli.read('r.xml');
  expect(report.match(/<testcase [^>]*name="[^"]*"/g)?.map((one) => one.match(/ name="(.*)"/)?.[1])).toEqual([
    'a',
    'b',
    '(run)',
  ]);
  expect(report).toContain('tests="3" failures="0" errors="1"');
});

test('a run that ends with 1 leaves a report with a failure, and neither shows content', async () => {
  const cli = desk(0.9);
  const { code, out } = await cli.run(...RUN, '--markdown', 'r.md');
  expect(code).toBe(1);
  expect(cli.read('r.xml')).toContain('<failure message="score 0.00: json-match differs at /said"');
  expect(cli.read('r.md')).toContain('json-match differs at /said');
  expect(out + cli.read('r.xml') + cli.read('r.md')).not.toContain('a word');
  expect(out).toContain('json-match differs at /said');
});

test('which failures are meant is for a report', async () => {
  const { code, err } = await desk(0.9).run('run', 'ci.suite.json', '--junit-failures', 'all');
  expect(code).toBe(2);
  expect(err).toContain('--junit-failures is about the JUnit report');
});

test('several suites end with one line that counts them', async () => {
  const cli = desk(0.8);
  cli.write('evals/a.suite.json', cli.read('ci.suite.json'));
  cli.write(
    'evals/b.suite.json',
    cli.read('ci.suite.json').replaceAll('evals.ci', 'evals.b').replace('0.8', '0.9'),
  );
  const two = await cli.run('run', 'evals', '--agent', 'echo.mjs');
  expect(two.code).toBe(1);
  expect(two.out.trimEnd().split('\n').at(-1)).toBe('  2 suites: 1 passed, 1 failed');
  const json = await cli.run('run', 'evals', '--agent', 'echo.mjs', '--json');
  expect(JSON.parse(json.out)).toHaveLength(2);
  cli.write(
    'evals/c.suite.json',
    cli.read('ci.suite.json').replaceAll('evals.ci', 'evals.c').replace('"golden"', '"regression"'),
  );
  const three = await cli.run('run', 'evals', '--agent', 'echo.mjs', '--markdown', '-');
  expect(three.err).toContain('3 suites: 1 passed, 1 failed, 1 not run');
  expect(three.out).not.toContain('3 suites');
});

test('a summary with content shows what was expected beside what came', async () => {
  const cli = desk(0.9);
  await cli.run('run', 'ci.suite.json', '--agent', 'echo.mjs', '--bodies', '--markdown', 'r.md');
  const row = cli
    .read('r.md')
    .split('\n')
    .find((line) => line.startsWith('| `e`'));
  expect(row).toMatch(/expected \(json-match\) .*"f".*got .*"e"/);
  await cli.run('show', 'last', '--bodies', '--markdown', 's.md');
  expect(cli.read('s.md')).toContain(row);
});

test('a summary with content says once that a criterion was not met, by its sentence', async () => {
  const cli = desk(0.9);
  const rubric = [{ criterion: '[check:contains {"text":"zebra"}] It names the animal.', weight: 1 }];
  const tasks = [{ taskId: 'animal', input: 'a horse', expected: { kind: 'rubric', rubric } }];
  cli.write(
    'checks.suite.json',
    JSON.stringify({ suiteId: 'local.ci.evals.checks', version: '1.0.0', modes: ['rubric'], tasks }),
  );
  await cli.run('run', 'checks.suite.json', '--agent', 'echo.mjs', '--bodies', '--markdown', 'r.md');
  const row = cli
    .read('r.md')
    .split('\n')
    .find((line) => line.startsWith('| `animal`'));
  expect(row).toContain('0 of 1 criteria met, not met:');
  expect(row?.match(/not met/g)).toHaveLength(1);
});
