import { describe, expect, it } from 'vitest';
import { openTestCli, type TestCli } from '../../testing/test-cli.js';

const CHECKS = [
  '[check:contains {"text":"friday"}] It names the day.',
  '[check:tool-called {"tool":"local:orders.get","inputs":{"orderId":"1042"}}] It looks the order up.',
  '[check:latency {"maxMs":500}] It is quick.',
];

/** A project without any agent: a rubric task with three checks, and a golden one. */
function project(rows: readonly object[] | string): TestCli {
  const cli = openTestCli();
  const late = {
    taskId: 'late',
    input: 'Where is order 1042?',
    expected: { kind: 'rubric', rubric: CHECKS.map((criterion) => ({ criterion, weight: 1 })) },
  };
  const sum = {
    taskId: 'sum',
    input: '1 + 1',
    expected: { kind: 'golden', match: { strategy: 'exact', value: 2 } },
  };
  cli.write('desk.suite.json', {
    suiteId: 'local.test.evals.desk',
    version: '1.0.0',
    modes: ['golden', 'rubric'],
    targetAgentId: 'local.test.desk',
    tasks: [late, sum],
  });
  cli.write(
    'out.jsonl',
    typeof rows === 'string' ? rows : rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  );
  return cli;
}

const LATE = {
  taskId: 'late',
  output: 'On friday.',
  toolCalls: [{ toolId: 'local:orders.get', inputs: { orderId: '1042' }, outcome: { day: 'friday' } }],
  latencyMs: 120,
};
const SUM = { taskId: 'sum', output: 2 };
const RUN = ['run', 'desk.suite.json', '--answers', 'out.jsonl'] as const;

describe('a run of recorded answers', () => {
  it('scores answers, calls and times as the file tells them, without any agent', async () => {
    const { code, out } = await project([LATE, SUM]).run(...RUN, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      summary: { aggregateScore: 1, tasks: [{ latencyMs: 120 }, {}] },
      caveats: ['recorded'],
      report: { caveats: ['recorded'] },
    });
  });

  it('holds an unknown time against a check of time, and counts what was used', async () => {
    const usage = [{ provider: 'local', model: 'small', inputTokens: 3, outputTokens: 4, costUsd: 0.25 }];
    const { latencyMs: _, ...untimed } = LATE;
    const { out } = await project([{ ...untimed, usage }, SUM]).run(...RUN, '--json');
    const { rubrics, summary } = JSON.parse(out);
    expect(rubrics[0].criteria.map(({ met }: { met: number }) => met)).toEqual([1, 1, 0]);
    expect(summary.totalCostUsd).toBe(0.25);
  });

  it('leaves a task without a row unscored', async () => {
    const { code, out } = await project([LATE]).run(...RUN, '--json');
    expect(code).toBe(3);
    expect(JSON.parse(out).report.tasks.unscoredTasks).toEqual([{ taskId: 'sum', reason: 'no_answer' }]);
  });

  it('takes a file that begins with a mark of the byte order', async () => {
    const rows = [LATE, SUM].map((row) => JSON.stringify(row)).join('\r\n');
    expect((await project(`\ufeff${rows}\r\n`).run(...RUN)).code).toBe(0);
  });

  it.each([['--output'], ['--junit'], ['--markdown']])('writes no %s over the answers', async (option) => {
    const cli = project([LATE, SUM]);
    const before = cli.read('out.jsonl');
    const { code, err } = await cli.run(...RUN, option, './out.jsonl');
    expect([code, err]).toEqual([2, expect.stringContaining(`--answers and ${option} are the same file`)]);
    expect(cli.read('out.jsonl')).toBe(before);
  });

  it('takes a refusal for one', async () => {
    const { out } = await project([LATE, { taskId: 'sum', refused: true }]).run(...RUN, '--json');
    expect(JSON.parse(out).summary.tasks[1]).toMatchObject({ score: 0, passed: false });
  });

  it.each([
    ['an unknown task', [LATE, { taskId: 'sun', output: 2 }], 'out.jsonl:2', 'the suite has no task "sun"'],
    ['a task that is answered twice', [LATE, SUM, SUM], 'out.jsonl:3', 'line 2 answers this task already'],
    ['neither output nor refusal', [{ taskId: 'sum' }], 'out.jsonl:1', 'expected an output'],
    ['a line that is no JSON', '\n{"taskId"', 'out.jsonl:2', 'expected a JSON object'],
  ])('refuses a file with %s, by its line', async (_, rows, place, words) => {
    const cli = project(rows);
    const { code, err } = await cli.run(...RUN);
    expect([code, err]).toEqual([2, expect.stringContaining(place)]);
    expect(err).toContain(words);
    expect((await cli.run('runs', '--json')).out).not.toContain('"runId"');
  });

  it.each([['--agent', './agent.mjs'], ['--repeats', '2'], ['--host', 'http://127.0.0.1:1'], ['--promote']])(
    'is not combined with %s',
    async (...option) => {
      const { code, err } = await project([LATE]).run(...RUN, ...option);
      expect([code, err]).toEqual([2, expect.stringContaining(option[0] as string)]);
    },
  );
});
