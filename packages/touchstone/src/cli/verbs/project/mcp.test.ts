import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { CHECK_NAMES } from '@touchstone/protocol/bodies';
import { afterEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { readSuiteFile } from '../../../suites/index.js';
import { main } from '../../main.js';
import { connectMcp } from '../../testing/mcp-connection.js';
import { openTestCli, type TestCli } from '../../testing/test-cli.js';

// Goal: a coding agent gets what the command line tells, and nothing that it was not given. Method: the verb in this process,
// over streams; every structured result is held against its schema. `test/flows/mcp.slow.test.ts` starts the program.

const opened: { readonly close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

const REPLIES = [
  { when: 'late CANARY-INPUT', output: 'It arrives on CANARY-ANSWER.' },
  { when: 'price', output: { total: 12 } },
];
const script = (...first: readonly object[]) => ({
  replies: [...first, ...REPLIES],
  otherwise: { output: 'ok' },
});
const REPAIRED = script({ when: 'price', output: { total: 13 } });
const SUITE = {
  suiteId: 'local.desk.evals.orders',
  version: '1.0.0',
  tasks: [
    { taskId: 'late', tags: ['slow'], input: 'late CANARY-INPUT', expect: [{ contains: 'CANARY-EXPECTED' }] },
    {
      taskId: 'price',
      input: 'price',
      expected: { kind: 'golden', match: { strategy: 'json-match', value: { total: 13 } } },
    },
    { taskId: 'fine', input: 'anything', expect: [{ equals: 'ok' }] },
  ],
};
const AGENT = {
  agentId: 'local.desk.bot',
  version: '1.0.0',
  run: { kind: 'scripted', path: './script.json' },
};
const GONE = {
  agentId: 'local.desk.gone',
  version: '1.0.0',
  run: { kind: 'http', url: 'http://127.0.0.1:9/' },
};

function writeFolder(cli: TestCli): void {
  cli.write('script.json', script());
  cli.write('evals/orders.suite.json', SUITE);
  cli.write('touchstone.config.json', { agents: [AGENT, GONE], suites: ['./evals'] });
}

/** A suite and rows in another folder, and ways there. */
function writeElsewhere(cli: TestCli, other: TestCli): void {
  other.write('other.suite.json', { ...SUITE, suiteId: 'local.desk.evals.elsewhere' });
  other.write('rows.csv', 'question,answer\nCANARY,x\n');
  symlinkSync(join(other.cwd, 'other.suite.json'), join(cli.cwd, 'evals/link.suite.json'));
  symlinkSync(other.cwd, join(cli.cwd, 'linked'));
  const map = { input: 'question', expected: 'answer' };
  const rows = { file: join(other.cwd, 'rows.csv'), map };
  cli.write('rows.suite.yaml', { suiteId: 'local.desk.evals.rows', version: '1.0.0', rows });
}

async function serve(cli: TestCli, ...options: readonly string[]) {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const over = main(['mcp', ...options], { ...cli.io, takeStdio: () => ({ stdin, stdout }) });
  const connection = connectMcp(stdin, stdout);
  opened.push({
    async close() {
      connection.close();
      expect(await over).toBe(0);
      expect(connection.strayLines).toEqual([]);
      cli.close();
    },
  });
  return { ...connection, tools: await connection.open() };
}

async function open(...options: readonly string[]) {
  const cli = openTestCli();
  writeFolder(cli);
  return { cli, ...(await serve(cli, ...options)) };
}

const RUN = { suite: 'local.desk.evals.orders', agent: 'local.desk.bot' };

describe('tools', () => {
  it('say whether they change something, and --read-only hides the one that does', async () => {
    const hints = (tools: readonly { readonly name: string; readonly annotations?: unknown }[]) =>
      tools.map(({ name, annotations }) => [name, (annotations as { readOnlyHint: boolean }).readOnlyHint]);
    const { tools } = await open();
    expect(hints(tools)).toEqual([
      ['list_suites', true],
      ['validate_suite', true],
      ['run_suite', false],
      ['list_runs', true],
      ['show_failures', true],
      ['show_task', true],
      ['compare_runs', true],
      ['explain_check', true],
    ]);
    const readOnly = await open('--read-only');
    expect(hints(readOnly.tools)).toEqual(hints(tools).filter(([, isReadOnly]) => isReadOnly));
    expect(await readOnly.call('run_suite', RUN)).toMatchObject({ isError: true });
  });

  it('list suites and agents, those that cannot be read included', async () => {
    const { cli, call } = await open();
    cli.write('evals/broken.suite.yaml', 'suiteId: x\n');
    const { value } = await call('list_suites');
    expect(value.suites).toEqual([
      { file: 'evals/broken.suite.yaml', trouble: expect.stringContaining('evals/broken.suite.yaml') },
      { suite: 'local.desk.evals.orders@1.0.0', file: 'evals/orders.suite.json', tasks: 3 },
    ]);
    expect(value.agents).toMatchObject([{ agentId: 'local.desk.bot' }, { agentId: 'local.desk.gone' }]);
  });

  it('check a suite and name the line', async () => {
    const { cli, call } = await open();
    cli.write(
      'evals/broken.suite.yaml',
      'suiteId: a.b.evals.c\nversion: 1.0.0\nmodes: [golden]\ntasks:\n  - taskId: x\n',
    );
    const { value } = await call('validate_suite', { suite: 'evals/broken.suite.yaml' });
    expect(value).toMatchObject({ valid: false, issues: [{ line: 5 }, { line: 5 }] });
    expect((await call('validate_suite', { suite: RUN.suite })).value).toMatchObject({
      valid: true,
      tasks: 3,
    });
  });

  it('explain every check by an example that a suite may hold', async () => {
    const { call } = await open();
    const checks = (await call('explain_check')).value.checks as readonly {
      check: string;
      example: string;
    }[];
    expect(checks.map(({ check }) => check)).toEqual(CHECK_NAMES);
    const tasks = checks.map(({ check, example }) => ({
      taskId: check,
      input: 'x',
      ...(parse(example) as object),
    }));
    expect(readSuiteFile(stringify({ ...SUITE, tasks })).suite.tasks).toHaveLength(CHECK_NAMES.length);
    const one = (await call('explain_check', { check: 'contains' })).value;
    expect(one.checks).toEqual([checks.find(({ check }) => check === 'contains')]);
  });
});

describe('run_suite', () => {
  it('tells the failures that touchstone run --json tells, by which checks', async () => {
    const { cli, call } = await open();
    const { value } = await call('run_suite', RUN);
    expect(value).toMatchObject({
      ...{ outcome: 'failed', exitCode: 1, passed: false, agent: 'local.desk.bot@1.0.0' },
      tasks: { total: 3, selected: 3, passed: 1, failed: 2, unscored: 0 },
      unscored: [],
      failures: [
        {
          taskId: 'late',
          answer: 'It arrives on CANARY-ANSWER.',
          reasons: expect.arrayContaining([expect.stringContaining('not met: contains')]),
        },
        { taskId: 'price', answer: { total: 12 }, reasons: ['json-match differs at /total'] },
      ],
    });
    const { out } = await cli.run('run', 'evals/orders.suite.json', '--agent', RUN.agent, '--json');
    type Task = { taskId: string; score: number; passed: boolean };
    const { summary, exitCode } = JSON.parse(out) as { summary: { tasks: Task[] }; exitCode: number };
    const failed = summary.tasks.filter(({ passed }) => !passed);
    const told = value.failures as readonly Task[];
    expect(told.map(({ taskId, score }) => ({ taskId, score }))).toEqual(
      failed.map(({ taskId, score }) => ({ taskId, score })),
    );
    expect(value.exitCode).toBe(exitCode);
  });

  it('runs what is chosen, and says so when nothing has failed', async () => {
    const { call } = await open();
    const tagged = await call('run_suite', { ...RUN, tags: ['slow'], repeats: 2 });
    expect(tagged.value).toMatchObject({ tasks: { selected: 1 }, failures: [{ taskId: 'late' }] });
    expect((await call('run_suite', { ...RUN, failed: true })).value).toMatchObject({
      tasks: { selected: 1 },
    });
    expect((await call('run_suite', { ...RUN, only: ['fi*'] })).value).toMatchObject({ outcome: 'passed' });
    const none = await call('run_suite', { ...RUN, failed: true });
    expect(none.value).toMatchObject({ outcome: 'nothing-to-run', exitCode: 0, failures: [] });
  });

  it('takes the agent as it is when it is called', async () => {
    const { cli, call } = await open();
    await call('run_suite', RUN);
    cli.write('script.json', REPAIRED);
    const { value } = await call('run_suite', { ...RUN, failed: true });
    expect(value.failures).toMatchObject([{ taskId: 'late' }]);
  });

  it('tells a client that asks how far it is', async () => {
    const { call, heard } = await open();
    const last = heard(({ params }) => params?.progress === 3);
    await call('run_suite', RUN, { progressToken: 'p' });
    expect(await last).toMatchObject({
      method: 'notifications/progress',
      params: { progressToken: 'p', total: 3, message: '3/3 · 1 passed · 2 failed' },
    });
  });
});

describe('what was kept', () => {
  it('is listed, shown and compared', async () => {
    const { cli, call } = await open();
    const first = await call('run_suite', RUN);
    cli.write('script.json', REPAIRED);
    const second = await call('run_suite', RUN);
    const { runs } = (await call('list_runs', { suite: RUN.suite })).value;
    expect(runs).toMatchObject([{ runId: second.value.runId }, { runId: first.value.runId }]);
    const shown = (await call('show_failures', { run: 'last~1', limit: 1 })).value;
    expect(shown).toMatchObject({ failures: [{ taskId: 'late' }], moreFailures: 1, status: 'completed' });
    const task = (await call('show_task', { run: 'last', taskId: 'price' })).value;
    expect(task).toMatchObject({ passed: true, invocations: [{ input: 'price', output: { total: 13 } }] });
    const compared = (await call('compare_runs')).value;
    expect(compared).toMatchObject({
      before: { runId: first.value.runId },
      after: { runId: second.value.runId },
      tasks: [{ taskId: 'price', turn: 'better' }],
      unchanged: 2,
    });
  });

  it('is told without content with --no-bodies, in every tool', async () => {
    const { call } = await open('--no-bodies');
    const first = await call('run_suite', RUN);
    await call('run_suite', RUN);
    const answers = await Promise.all([
      call('list_suites'),
      call('list_runs'),
      call('show_failures', { run: 'last' }),
      call('show_task', { run: 'last', taskId: 'late' }),
      call('compare_runs'),
    ]);
    expect(first.value.failures).toMatchObject([
      { reasons: ['0 of 1 criteria met; not met: contains'] },
      { reasons: ['json-match differs at /total'] },
    ]);
    for (const { text } of [first, ...answers]) expect(text).not.toContain('CANARY');
    const withContent = await open();
    expect((await withContent.call('run_suite', RUN)).text).toContain('CANARY-ANSWER');
  });
});

describe('refusals are errors of the tool, and the server goes on', () => {
  const REFUSALS: readonly (readonly [tool: string, args: object, words: string])[] = [
    ['run_suite', { ...RUN, comand: 'rm' }, 'unknown property "comand"; known are suite, agent'],
    ['run_suite', { ...RUN, budgetUsd: 2 }, 'at most 0.5 US dollars'],
    ['run_suite', { ...RUN, budgetUsd: '1' }, 'expected a number'],
    ['run_suite', { ...RUN, repeats: 0 }, 'at least 1'],
    ['run_suite', { ...RUN, only: ['nope'] }, 'has no task "nope"'],
    ['run_suite', { ...RUN, tags: ['nope'] }, 'no task fits "tags" nope'],
    ['run_suite', { suite: RUN.suite }, 'Which agent? Name it with "agent"'],
    ['run_suite', { ...RUN, agent: './agent.mjs' }, 'has no agent ./agent.mjs'],
    ['run_suite', { ...RUN, agent: 'http://127.0.0.1:1/' }, 'has no agent http'],
    ['run_suite', { ...RUN, agent: 'local.desk.bott' }, 'Did you mean local.desk.bot?'],
    ['run_suite', { ...RUN, suite: '/etc/passwd' }, 'is outside the folder'],
    ['run_suite', { ...RUN, suite: '../other.suite.yaml' }, 'is outside the folder'],
    ['run_suite', { ...RUN, suite: 'evals/link.suite.json' }, 'is outside the folder'],
    ['run_suite', { ...RUN, suite: 'linked/other.suite.json' }, 'is outside the folder'],
    ['run_suite', { ...RUN, suite: 'local.desk.evals.elsewhere' }, 'The folder has no suite'],
    ['run_suite', { ...RUN, suite: 'rows.suite.yaml' }, 'takes its rows from outside the folder'],
    ['validate_suite', { suite: 'rows.suite.yaml' }, 'takes its rows from outside the folder'],
    ['validate_suite', { suite: 'https://example.com/x.suite.yaml' }, 'There is no suite'],
    ['validate_suite', { suite: 'evals\u0000' }, 'expected a string that matches'],
    ['show_failures', { run: 'last' }, 'list_runs'],
    ['show_failures', { run: './scorecard.json' }, 'expected a string that matches'],
    ['compare_runs', { before: 'run-none', after: 'last' }, 'There is no run'],
    ['explain_check', { check: 'contain' }, 'Did you mean contains'],
  ];

  it('of what nobody may ask for', async () => {
    const { cli, call } = await open('--max-budget', '0.5');
    const other = openTestCli();
    writeElsewhere(cli, other);
    for (const [name, args, words] of REFUSALS) {
      const { isError, text } = await call(name, args);
      expect({ args, isError, text }).toEqual({ args, isError: true, text: expect.stringContaining(words) });
      expect(text).not.toContain('CANARY');
    }
    expect((await call('list_suites')).value.suites).toHaveLength(1);
    expect((await call('list_runs')).value.runs).toEqual([]);
    other.close();
  });

  it('of a configuration that is broken, until it is repaired', async () => {
    const { cli, call } = await open();
    cli.write('touchstone.config.json', '{');
    expect(await call('list_suites')).toMatchObject({ isError: true });
    writeFolder(cli);
    expect((await call('list_suites')).value.suites).toHaveLength(1);
  });

  it('of lines that are no messages nobody hears', async () => {
    const { cli, call, send } = await open();
    send('CANARY\n{"CANARY":1}\n[]\n\n');
    expect((await call('list_runs')).value.runs).toEqual([]);
    expect(cli.written.err).toContain('passed over');
    expect(cli.written.err).not.toContain('CANARY');
  });
});
