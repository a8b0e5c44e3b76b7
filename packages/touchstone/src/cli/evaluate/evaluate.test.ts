import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isHostError } from '@touchstone/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EvaluateOptions, type Evaluation, evaluate } from '../../index.js';
import { openTestCli, type TestCli } from '../testing/test-cli.js';

const TASKS = [
  { taskId: 'polite', tags: ['tone'], input: 'Hello', expect: [{ contains: 'hello', ignoreCase: true }] },
  {
    taskId: 'order',
    input: 'Where is order 1042?',
    fixtures: { toolResponses: [{ tool: 'local:orders.get', response: { status: 'friday' } }] },
    expect: [{ contains: 'friday' }, { 'tool-called': 'local:orders.get', inputs: { orderId: '1042' } }],
  },
];
const SUITE = { suiteId: 'acme.shop.evals.desk', version: '1.0.0', tasks: TASKS };

const AGENT: EvaluateOptions['agent'] = async (input, { tools }) => {
  if (input === 'Hello') return 'Hello!';
  const found = (await tools.call('local:orders.get', { orderId: '1042' })) as { status: string };
  return `It comes on ${found.status}.`;
};
/** The same as a file. */
const MODULE = `export default ${String(AGENT)}\n`;

let cli: TestCli;
beforeEach(() => {
  cli = openTestCli();
});
afterEach(() => cli.close());

/** Without the configuration of the folder that the tests are run in. */
const evaluated = (options: EvaluateOptions): Promise<Evaluation> => evaluate({ config: {}, ...options });

describe('evaluate', () => {
  it('runs a function on the tasks of a list, and tells what it did', async () => {
    const run = await evaluated({ suite: TASKS, agent: AGENT });
    expect(run).toMatchObject({ status: 'completed', exitCode: 0, passed: true, score: 1, failures: [] });
    expect(run.tasks).toEqual([
      {
        taskId: 'polite',
        score: 1,
        passed: true,
        output: 'Hello!',
        toolCalls: [],
        criteria: [expect.objectContaining({ check: 'contains', met: true, weight: 1 })],
      },
      expect.objectContaining({
        taskId: 'order',
        output: 'It comes on friday.',
        toolCalls: [
          {
            toolId: 'local:orders.get',
            inputs: { orderId: '1042' },
            status: 'ok',
            outcome: { status: 'friday' },
          },
        ],
      }),
    ]);
    expect(run.markdown()).toContain('local.program.evals.tasks');
  });

  it('says of a function that it ran in the process of its caller', async () => {
    const byFunction = await evaluated({ suite: SUITE, agent: AGENT });
    expect(byFunction.report?.caveats).toEqual(['inProcess']);
    cli.write('agent.mjs', MODULE);
    const byFile = await evaluated({ suite: SUITE, agent: join(cli.cwd, 'agent.mjs') });
    expect(byFile).toMatchObject({ exitCode: 0, passed: true });
    expect(byFile.report?.caveats).toBeUndefined();
  });

  it('gives the numbers of touchstone run', async () => {
    cli.write('desk.suite.json', SUITE);
    cli.write('agent.mjs', MODULE.replace('1042', 'SOMEBODY-ELSES'));
    const { code, out } = await cli.run('run', 'desk.suite.json', '--agent', 'agent.mjs', '--json');
    const document = JSON.parse(out);
    const options = { agent: join(cli.cwd, 'agent.mjs') };
    const byFile = await evaluated({ suite: join(cli.cwd, 'desk.suite.json'), ...options });
    const byValue = await evaluated({ suite: SUITE, ...options });
    expect(code).toBe(1);
    for (const run of [byFile, byValue]) {
      expect(run.exitCode).toBe(1);
      expect(run.report?.suite.digest).toBe(document.suite.digest);
      expect(scoresOf(run.summary)).toEqual(scoresOf(document.summary));
      expect(run.failures.map(({ taskId }) => taskId)).toEqual(['order']);
    }
  });

  it('a failing function is the failure of its task, with the reason', async () => {
    const run = await evaluated({
      suite: SUITE,
      agent: (input) => {
        if (input === 'Hello') throw new TypeError('no greeting');
        return 1n;
      },
    });
    expect(run).toMatchObject({ exitCode: 1, passed: false, score: 0 });
    expect(run.failures.map(({ error }) => error)).toEqual([
      'TypeError: no greeting',
      expect.stringContaining('The answer cannot be written as JSON'),
    ]);
  });

  it('runs only the tasks that are chosen, by id and by tag, as often as asked, and tells of each', async () => {
    const told: string[] = [];
    const asked: unknown[] = [];
    const agent: EvaluateOptions['agent'] = (input) => {
      asked.push(input);
      return 'Hello';
    };
    const onTask: EvaluateOptions['onTask'] = ({ taskId, score }) => told.push(`${taskId} ${score}`);
    await evaluated({ suite: SUITE, agent, only: ['pol*'], repeats: 2, onTask });
    expect(asked).toEqual(['Hello', 'Hello']);
    expect(told).toEqual(['polite 1']);
    const tagged = await evaluated({ suite: SUITE, agent, tags: ['tone'] });
    expect(tagged.tasks.map(({ taskId }) => taskId)).toEqual(['polite']);
  });

  it('what the caller’s listener throws is thrown when the run has ended', async () => {
    const failing = evaluated({
      suite: SUITE,
      agent: AGENT,
      onTask: () => {
        throw new Error('my own');
      },
    });
    await expect(failing).rejects.toThrow('my own');
  });

  it('and so is what a listener that takes its time throws', async () => {
    const onTask = async (): Promise<void> => {
      await Promise.resolve();
      throw new Error('my own, later');
    };
    await expect(evaluated({ suite: SUITE, agent: AGENT, onTask })).rejects.toThrow('my own, later');
  });

  it.each([
    ['is missing', undefined],
    ['holds a big integer', [{ taskId: 'a', input: 1n }]],
  ])('a suite that %s is refused in words', async (_, suite) => {
    await expect(evaluated({ suite: suite as never, agent: AGENT })).rejects.toMatchObject({
      name: 'HostError',
      code: 'validation_error',
    });
  });

  it('keeps nothing, or keeps the run in the folder that is named', async () => {
    await evaluated({ suite: SUITE, agent: AGENT });
    expect(readdirSync(cli.cwd)).toEqual([]);
    const { runId } = await evaluated({ suite: SUITE, agent: AGENT, data: join(cli.cwd, '.touchstone') });
    const { code, out } = await cli.run('show', 'last', '--json');
    expect([code, JSON.parse(out).runId]).toEqual([0, runId]);
    const again = await evaluated({
      suite: SUITE,
      agent: AGENT,
      data: join(cli.cwd, '.touchstone'),
      baseline: 'last',
    });
    expect(again.report?.regression?.baselineRunId).toBe(runId);
  });

  it('stops when its signal aborts', async () => {
    const stop = new AbortController();
    const run = await evaluated({
      suite: SUITE,
      concurrency: 1,
      signal: stop.signal,
      agent: () => {
        stop.abort();
        return 'Hello';
      },
    });
    expect(run).toMatchObject({ exitCode: 130, passed: false, summary: null });
    await expect(evaluated({ suite: SUITE, agent: AGENT, signal: stop.signal })).rejects.toThrow(/abort/i);
  });

  it('asks functions and entries as scorers, and says that a function decided', async () => {
    const suite = (check: object) => [
      { taskId: 'one', input: 'Hello', expect: [{ scorer: 'tone', ...check }] },
    ];
    const agent: EvaluateOptions['agent'] = () => ({ words: 3 });
    const given: unknown[] = [];
    const run = await evaluated({
      suite: suite({ min: 0.7, graded: true, config: { strict: true } }),
      agent,
      scorers: {
        tone: async (one) => {
          given.push(one);
          return { score: 0.6, reason: 'curt' };
        },
      },
    });
    expect(run).toMatchObject({ exitCode: 1, score: 0.6 });
    expect(run.tasks[0]?.criteria).toMatchObject([{ check: 'scorer', met: false }]);
    expect(run.report?.caveats).toEqual(['codeScorer', 'inProcess']);
    expect(given).toMatchObject([
      { protocol: 'touchstone.scorer/1', input: 'Hello', output: { words: 3 }, config: { strict: true } },
    ]);
    cli.write('tone.mjs', 'export default ({ output }) => output.words < 5;');
    const path = join(cli.cwd, 'tone.mjs');
    const byEntry = await evaluated({ suite: suite({}), agent, scorers: { tone: { kind: 'module', path } } });
    expect(byEntry).toMatchObject({ exitCode: 0, report: { caveats: ['codeScorer', 'inProcess'] } });
  });

  it.each<[string, NonNullable<EvaluateOptions['scorers']>[string], string]>([
    ['throws', () => Promise.reject(new Error('broken')), 'scorer_failed'],
    ['gives back no score', () => 7, 'scorer_unreadable'],
  ])('a function that %s as a scorer leaves its task without a score', async (_what, tone, unscored) => {
    const suite = [{ taskId: 'one', input: 'Hello', expect: [{ scorer: 'tone' }] }];
    const run = await evaluated({ suite, agent: AGENT, scorers: { tone } });
    expect(run).toMatchObject({ exitCode: 3, failures: [{ taskId: 'one', unscored }] });
  });

  it('takes an agent by its id or its entry', async () => {
    const entry = {
      agentId: 'local.acme.hello',
      version: '1.0.0',
      run: {
        kind: 'module',
        path: fileURLToPath(new URL('../../agents/fixtures/legacy.cjs', import.meta.url)),
        export: 'answer',
      },
    };
    const suite = [{ taskId: 'one', input: 'hi', expect: [{ equals: 'legacy hi' }] }];
    expect(await evaluated({ suite, agent: entry })).toMatchObject({ exitCode: 0 });
    expect(await evaluate({ suite, agent: 'local.acme.hello', config: { agents: [entry] } })).toMatchObject({
      exitCode: 0,
    });
  });

  it.each<[string, EvaluateOptions, RegExp]>([
    ['a suite that is none', { suite: { suiteId: 'x' }, agent: AGENT }, /version: required/],
    ['a file that is not there', { suite: './absent.suite.yaml', agent: AGENT }, /absent\.suite\.yaml/],
    ['an agent that nobody knows', { suite: SUITE, agent: 'local.acme.absent' }, /local\.acme\.absent/],
    ['no agent', { suite: SUITE }, /Which agent/],
    ['a tag that no task has', { suite: SUITE, agent: AGENT, tags: ['absent'] }, /no task fits/],
    [
      'a scorer that nobody knows',
      { suite: [{ taskId: 'a', input: 1, expect: [{ scorer: 'none' }] }], agent: AGENT },
      /scorer "none"/,
    ],
    [
      'a scorer that is none',
      { suite: SUITE, agent: AGENT, scorers: { tone: { kind: 'magic' } } },
      /scorers\/tone/,
    ],
    [
      'an option that there is not',
      { suite: SUITE, agent: AGENT, repeat: 3 } as never,
      /"repeat".*repeats\?/,
    ],
    ['repeats out of range', { suite: SUITE, agent: AGENT, repeats: 0 }, /repeats/],
    ['a configuration that is none', { suite: SUITE, agent: AGENT, config: { bogus: 1 } as object }, /bogus/],
  ])('%s throws a HostError', async (_what, options, words) => {
    const error = await evaluated(options).then(
      () => undefined,
      (thrown) => thrown,
    );
    expect(isHostError(error)).toBe(true);
    expect(String(error)).toMatch(words);
  });

  it('without options says what it expects', async () => {
    const message = expect.stringContaining('expects an object with "suite" and "agent"');
    await expect(evaluate(undefined as never)).rejects.toMatchObject({ code: 'validation_error', message });
  });
});

const scoresOf = (summary: Evaluation['summary']): unknown =>
  summary && [
    summary.aggregateScore,
    summary.passed,
    summary.tasks.map(({ taskId, score }) => [taskId, score]),
  ];
