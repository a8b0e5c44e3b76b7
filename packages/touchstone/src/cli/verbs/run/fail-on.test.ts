import { afterEach, describe, expect, it } from 'vitest';
import { openTestCli, type TestCli } from '../../testing/test-cli.js';

const open: TestCli[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

/** Forty tasks that an echo passes; from its second version on, four of them fail. */
async function brokenDesk(): Promise<TestCli> {
  const cli = openTestCli();
  open.push(cli);
  const tasks = Array.from({ length: 40 }, (_, at) => ({
    taskId: `t-${at}`,
    input: `in ${at}`,
    expected: { kind: 'golden', match: { strategy: 'exact', value: `in ${at}` } },
  }));
  const suite = { suiteId: 'local.test.evals.ci', version: '1.0.0', modes: ['golden'], tasks };
  cli.write('ci.suite.json', suite);
  cli.write('echo.mjs', 'export default async (input) => input;');
  expect((await cli.run(...RUN)).code).toBe(0);
  cli.write('echo.mjs', 'export default async (input) => (/ [0-3]$/.test(input) ? "broken" : input);');
  return cli;
}

const RUN = ['run', 'ci.suite.json', '--agent', 'echo.mjs'];
const COMPARED = [...RUN, '--baseline', 'last', '--junit', 'r.xml'];

describe('what makes a run fail', () => {
  it('is the bar and a real regression by default, and a hint tells of tasks that newly fail', async () => {
    const cli = await brokenDesk();
    const { code, out } = await cli.run(...COMPARED);
    expect(code).toBe(0);
    expect(out).toContain('4 tasks newly fail; --fail-on newly-failing makes this red.');
    expect(cli.read('r.xml')).not.toMatch(/<failure|<error/);
  });

  it('may be a task that newly fails, and the JUnit report agrees', async () => {
    const cli = await brokenDesk();
    const { code, out } = await cli.run(...COMPARED, '--fail-on', 'bar,regression,newly-failing');
    expect([code, out]).toEqual([1, expect.stringContaining('Fails by --fail-on: 4 tasks newly fail.')]);
    expect(cli.read('r.xml')).toContain('name="(newly failing)"');
    expect(cli.read('r.xml')).toMatch(/<failure/);
  });

  it.each([
    ['any-failure', 1],
    ['regression', 0],
    ['finding:low', 0],
    ['none', 0],
  ])('is %s: exit code %i', async (conditions, code) => {
    const cli = await brokenDesk();
    expect((await cli.run(...RUN, '--fail-on', conditions)).code).toBe(code);
  });

  it('leaves out thresholds when it does not name them, and says so', async () => {
    const cli = await brokenDesk();
    cli.write('echo.mjs', 'export default async () => "broken";');
    expect((await cli.run(...RUN)).code).toBe(1);
    const { code, out } = await cli.run(...RUN, '--fail-on', 'newly-failing', '--junit', 'r.xml');
    expect([code, out]).toEqual([0, expect.stringContaining('Thresholds do not count')]);
    expect(out).toContain('cannot be told');
    expect(cli.read('r.xml')).not.toMatch(/<failure|<error/);
    expect((await cli.run(...RUN, '--fail-on', 'newly-failing', '--conclusive')).code).toBe(3);
  });

  it('is refused when it is none of the conditions', async () => {
    const { code, err } = await (await brokenDesk()).run(...RUN, '--fail-on', 'bar,zebra');
    expect([code, err]).toEqual([2, expect.stringContaining('newly-failing')]);
  });
});
