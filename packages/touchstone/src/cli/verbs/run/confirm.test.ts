import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestCli, type TestCli } from '../../testing/test-cli.js';

let cli: TestCli;
beforeEach(async () => {
  cli = openTestCli();
  cli.write('ci.suite.json', {
    suiteId: 'local.test.evals.ci',
    version: '1.0.0',
    modes: ['golden'],
    thresholds: { passScore: 0.5 },
    tasks: ['broken', 'flaky', 'right', 'good'].map((taskId) => ({
      taskId,
      input: taskId,
      expected: { kind: 'golden', match: { strategy: 'exact', value: taskId } },
    })),
  });
  cli.write('agent.mjs', 'export default (input) => input;');
  expect((await cli.run(...RUN)).code).toBe(0);
  // One task always fails, and one fails the first time it is asked.
  cli.write(
    'agent.mjs',
    `import { existsSync, writeFileSync } from 'node:fs';
    export default (input) => {
      const isFirst = input === 'flaky' && !existsSync('${cli.cwd}/asked');
      if (isFirst) writeFileSync('${cli.cwd}/asked', '');
      return isFirst || input === 'broken' ? 'no' : input;
    };`,
  );
});
afterEach(() => cli.close());

const RUN = ['run', 'ci.suite.json', '--agent', 'agent.mjs'];
const CONFIRM = [...RUN, '--baseline', 'last', '--fail-on', 'newly-failing', '--confirm', '2'];
const runsOf = async () => JSON.parse((await cli.run('runs', '--json')).out).items;

describe('a second look at newly failing tasks', () => {
  it('counts those that fail in most of all attempts', async () => {
    const { code, out } = await cli.run(...CONFIRM, '--json');
    const { confirmation, report, runId, summary } = JSON.parse(out);
    expect(code).toBe(1);
    expect(report.regression.toFail).toEqual(['broken', 'flaky']);
    expect(confirmation).toMatchObject({
      times: 2,
      tasks: [
        { taskId: 'broken', attempts: 3, failed: 3 },
        { taskId: 'flaky', attempts: 3, failed: 1 },
      ],
    });
    expect([summary.taskCount, summary.aggregateScore]).toEqual([4, 0.5]);
    const [second, first] = await runsOf();
    expect([second.runId, first.runId]).toEqual([confirmation.runId, runId]);
    expect([second.confirms, second.headline.taskCount]).toEqual([runId, 2]);
  });

  it('leaves a run green whose only news was chance, in every report', async () => {
    cli.write('agent.mjs', cli.read('agent.mjs').replace("|| input === 'broken'", ''));
    const { code, out } = await cli.run(...CONFIRM, '--junit', 'r.xml');
    expect([code, out]).toEqual([
      0,
      expect.stringContaining('Not counted as failing: flaky (1 of 3 failed).'),
    ]);
    expect(cli.read('r.xml')).not.toMatch(/<failure|<error|newly failing/);
  });

  it('is not the last run, nor what failed tasks are taken from', async () => {
    const { out } = await cli.run(...CONFIRM, '--json');
    const { runId } = JSON.parse(out);
    expect(JSON.parse((await cli.run('show', 'last', '--json')).out).runId).toBe(runId);
    const failed = await cli.run(...RUN, '--failed', '--json');
    expect(JSON.parse(failed.out).summary.taskCount).toBe(2);
  });

  it('is not taken when nothing newly fails, and needs a baseline', async () => {
    cli.write('agent.mjs', 'export default (input) => input;');
    await cli.run(...CONFIRM);
    expect(await runsOf()).toHaveLength(2);
    const { code, err } = await cli.run(...RUN, '--confirm', '2');
    expect([code, err]).toEqual([2, expect.stringContaining('--confirm is about a comparison')]);
  });
});
