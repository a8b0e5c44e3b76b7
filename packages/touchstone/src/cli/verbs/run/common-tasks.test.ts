import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { EvalReport } from '@touchstone/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sealStatement } from '../../../app/index.js';
import { openTestCli, type TestCli } from '../../testing/test-cli.js';

let cli: TestCli;
beforeEach(() => {
  cli = openTestCli();
  write(FORTY);
  answerAllBut();
});
afterEach(() => cli.close());

const FORTY = Array.from({ length: 40 }, (_, at) => `t-${at}`);
const taskOf = (taskId: string, input = taskId) => ({
  taskId,
  input,
  expected: { kind: 'golden', match: { strategy: 'exact', value: input } },
});
const suiteOf = (tasks: readonly object[], more: object = {}) => ({
  suiteId: 'local.test.evals.ci',
  version: '1.0.0',
  modes: ['golden', 'regression'],
  tasks,
  ...more,
});
const write = (ids: readonly string[], more?: object): void =>
  cli.write(
    'ci.suite.json',
    suiteOf(
      ids.map((taskId) => taskOf(taskId)),
      more,
    ),
  );
const answerAllBut = (...wrong: readonly string[]): void =>
  cli.write(
    'echo.mjs',
    `export default (input) => (${JSON.stringify(wrong)}.includes(input) ? '-' : input);`,
  );

const RUN = ['run', 'ci.suite.json', '--agent', 'echo.mjs'];
const COMMON = [...RUN, '--baseline', 'last', '--common'];
const json = async (...argv: string[]) => {
  const { code, out, err } = await cli.run(...argv, '--json');
  return { code, err, document: JSON.parse(out) };
};
const tasksOf = async (...argv: string[]) => (await json(...argv)).document.report.regression.tasks;

describe('a run whose suite has changed since the baseline', () => {
  it('is compared on the common tasks, and names the one that was added', async () => {
    await cli.run(...RUN);
    write([...FORTY, 'new']);
    const { code, document } = await json(...COMMON);
    expect(code).toBe(0);
    expect(document.report.regression).toMatchObject({
      verdict: 'pass',
      tasks: { paired: 40, common: 40, added: ['new'], removed: [], changed: [] },
    });
  });

  it('has the verdict it had before the task was added', async () => {
    await cli.run(...RUN);
    answerAllBut(...FORTY.slice(0, 8));
    const before = (await json(...RUN, '--baseline', 'last')).document.report.regression;
    answerAllBut();
    await cli.run(...RUN);
    answerAllBut(...FORTY.slice(0, 8));
    write([...FORTY, 'new']);
    const { code, document } = await json(...COMMON);
    const { verdict, toFail, scoreDelta } = document.report.regression;
    expect([code, verdict, toFail, scoreDelta]).toEqual([1, 'fail', before.toFail, before.scoreDelta]);
  });

  it('names the task that was removed in every report, and fails by it when told to', async () => {
    answerAllBut('t-0');
    await cli.run(...RUN);
    write(FORTY.slice(1));
    const told = await cli.run(...COMMON, '--junit', 'r.xml', '--markdown', 'r.md');
    expect([told.code, told.out]).toEqual([0, expect.stringContaining('Removed since (1): t-0.')]);
    expect(cli.read('r.md')).toContain('Removed since (1): t-0.');
    expect(cli.read('r.xml')).toMatch(/name="\(removed\)"[\s\S]*skipped[^>]*t-0/);
    expect(cli.read('r.xml')).not.toMatch(/<failure|<error/);
    // The newest run has no such task any more: its baseline is named.
    const [, first] = JSON.parse((await cli.run('runs', '--json')).out).items;
    const NAMED = [...RUN, '--baseline', first.runId, '--common', '--fail-on', 'removed'];
    const red = await cli.run(...NAMED, '--junit', 'r.xml');
    expect([red.code, red.out]).toEqual([
      1,
      expect.stringContaining('1 task of the baseline was removed: t-0'),
    ]);
    expect(cli.read('r.xml')).toMatch(/<failure[^>]*t-0/);
  });

  it('does not compare a task that asks something else under the same name', async () => {
    await cli.run(...RUN);
    const [first = '', ...others] = FORTY;
    cli.write('ci.suite.json', suiteOf([taskOf(first, 'other words'), ...others.map((id) => taskOf(id))]));
    answerAllBut('other words');
    expect(await tasksOf(...COMMON)).toMatchObject({ common: 39, changed: ['t-0'], differing: 0 });
  });

  it('has no verdict when no task is the same', async () => {
    await cli.run(...RUN);
    write(['another']);
    const { document } = await json(...COMMON);
    expect(document.report.regression).toMatchObject({ verdict: 'inconclusive', tasks: { common: 0 } });
    write(['third']);
    expect((await cli.run(...COMMON)).out).toContain('cannot tell: no task is the same in both suites');
  });

  it('counts what passed then by the bar of today', async () => {
    const task = (taskId: string) => ({
      taskId,
      input: taskId,
      expected: {
        kind: 'rubric',
        rubric: [
          { criterion: '[check:contains {"text":"2"}] Two.', weight: 1 },
          { criterion: '[check:contains {"text":"1"}] One.', weight: 1 },
        ],
      },
    });
    const rubric = (passScore: number) =>
      cli.write('ci.suite.json', suiteOf([task('half')], { modes: ['rubric'], thresholds: { passScore } }));
    cli.write('echo.mjs', 'export default () => "11";');
    rubric(0.4);
    await cli.run(...RUN);
    rubric(0.9);
    const { document } = await json(...COMMON);
    // It passed the bar of then, and misses that of today in both runs: no news.
    expect(document.report.regression).toMatchObject({ toFail: [], tasks: { common: 1, differing: 0 } });
  });

  it('keeps the comparison off the wire, where both runs need the same suite', async () => {
    await cli.run(...RUN);
    const same = await json(...COMMON);
    expect(same.document.summary.regression).toMatchObject({ scoreDelta: 0 });
    write([...FORTY, 'new']);
    expect((await json(...COMMON)).document.summary.regression).toBeUndefined();
  });

  it('is refused without --common, with the number of tasks that are the same', async () => {
    await cli.run(...RUN);
    const [{ runId }] = JSON.parse((await cli.run('runs', '--json')).out).items;
    write([...FORTY, 'new']);
    const named = await cli.run(...RUN, '--baseline', runId);
    expect([named.code, named.err]).toEqual([
      2,
      expect.stringContaining('40 tasks are the same in both; --common compares them.'),
    ]);
    const last = await cli.run(...RUN, '--baseline', 'last');
    expect([last.code, last.err]).toEqual([
      0,
      expect.stringContaining(
        'the suite has changed since. 40 tasks are the same in both; --common compares them.',
      ),
    ]);
  });

  it('is compared although the new task is the first that needs a scorer', async () => {
    await cli.run(...RUN);
    cli.write('scorer.mjs', 'export default () => 1;');
    cli.write('touchstone.config.json', { scorers: { tone: { kind: 'module', path: 'scorer.mjs' } } });
    const scored = {
      taskId: 'scored',
      input: 'x',
      expected: {
        kind: 'rubric',
        rubric: [{ criterion: '[check:scorer {"name":"tone"}] Kind.', weight: 1 }],
      },
    };
    cli.write(
      'ci.suite.json',
      suiteOf([...FORTY.map((id) => taskOf(id)), scored], { modes: ['golden', 'rubric'] }),
    );
    expect(await tasksOf(...COMMON)).toMatchObject({ common: 40, added: ['scored'] });
  });

  it('is refused for another number of repeats alone without a word about common tasks', async () => {
    await cli.run(...RUN);
    const [{ runId }] = JSON.parse((await cli.run('runs', '--json')).out).items;
    const { code, err } = await cli.run(...RUN, '--repeats', '2', '--baseline', runId);
    expect([code, err]).toEqual([2, expect.stringContaining('Use the same number of repeats.')]);
    expect(err).not.toContain('--common');
  });
});

describe('compare', () => {
  it('lists changed suites without a verdict and hints at --common, which gives one', async () => {
    await cli.run(...RUN);
    write([...FORTY.slice(1), 'new']);
    await cli.run(...RUN);
    const plain = await cli.run('compare', 'last~1', 'last');
    expect([plain.code, plain.out]).toEqual([
      0,
      expect.stringContaining('39 tasks are the same in both; --common compares them.'),
    ]);
    const { code, document } = await json('compare', '--common');
    expect(code).toBe(0);
    expect(document.regression.tasks).toMatchObject({ common: 39, added: ['new'], removed: ['t-0'] });
    const shown = await json('show', 'last', '--baseline', 'last~1', '--common');
    expect(shown.document.report.regression.tasks).toEqual(document.regression.tasks);
  });
});

describe('a folder of scorecards', () => {
  const ALL = ['run', '.', '--agent', 'echo.mjs'];
  const OTHER = { ...suiteOf([taskOf('one')]), suiteId: 'local.test.evals.other' };
  /** The runs are gone, as on another machine; the key that signed stays trusted. */
  const forgetRuns = (): void => {
    for (const end of ['', '-wal', '-shm'])
      rmSync(join(cli.cwd, `.touchstone/touchstone.db${end}`), { force: true });
  };

  it('is written by export --all, and each suite finds its file in it by its id', async () => {
    cli.write('other.suite.json', OTHER);
    await cli.run(...ALL);
    await cli.run(...RUN, '--only', 't-1');
    const written = await cli.run('export', '--all', 'cards');
    expect([written.code, written.err]).toEqual([0, '']);
    expect(readdirSync(join(cli.cwd, 'cards')).sort()).toEqual([
      'local.test.evals.ci.local.cli.echo.scorecard.json',
      'local.test.evals.other.local.cli.echo.scorecard.json',
    ]);
    forgetRuns();
    write([...FORTY.slice(1), 'new']);
    const { code, document } = await json(...ALL, '--baseline', 'cards', '--common');
    expect(code).toBe(0);
    const tasks = document.map(({ report }: { report: EvalReport }) => report.regression?.tasks);
    expect(tasks).toEqual([
      expect.objectContaining({ common: 39, added: ['new'], removed: ['t-0'] }),
      expect.objectContaining({ common: 1, added: [], removed: [] }),
    ]);
  });

  it('without a file of the suite leaves the run uncompared, and says so', async () => {
    await cli.run(...RUN);
    await cli.run('export', '--all', 'cards');
    cli.write('other.suite.json', OTHER);
    const told = await cli.run('run', 'other.suite.json', '--agent', 'echo.mjs', '--baseline', 'cards');
    expect([told.code, told.err]).toEqual([
      0,
      expect.stringContaining('There is no scorecard of local.test.evals.other in cards.'),
    ]);
  });

  it('of files without digests of tasks serves runs of the very same suite alone', async () => {
    await cli.run(...RUN);
    await cli.run('export', '--all', 'cards');
    const name = 'cards/local.test.evals.ci.local.cli.echo.scorecard.json';
    const key = readFileSync(join(cli.cwd, '.touchstone/signing-key.pem'), 'utf8');
    cli.write(name, withoutDigests(cli.read(name), key));
    forgetRuns();
    expect((await cli.run(...RUN, '--baseline', 'cards', '--common')).code).toBe(0);
    write([...FORTY, 'new']);
    const { code, err } = await cli.run(...RUN, '--baseline', 'cards', '--common');
    expect([code, err]).toEqual([2, expect.stringContaining('older than digests of tasks')]);
  });

  it('says no less when an older file of the same run is read after a newer one', async () => {
    await cli.run(...RUN);
    await cli.run('export', '--all', 'cards');
    const name = 'cards/local.test.evals.ci.local.cli.echo.scorecard.json';
    const key = readFileSync(join(cli.cwd, '.touchstone/signing-key.pem'), 'utf8');
    cli.write('older.json', withoutDigests(cli.read(name), key));
    forgetRuns();
    const COMPARED = [...RUN, '--common', '--baseline'];
    for (const file of ['older.json', name, 'older.json'])
      expect((await cli.run(...COMPARED, file)).code).toBe(0);
    const { runId } = claimsIn(cli.read(name));
    write([...FORTY, 'new']);
    expect(await tasksOf(...COMPARED, runId)).toMatchObject({ common: 40, added: ['new'] });
  });

  it('is nothing that another host could read', async () => {
    await cli.run(...RUN);
    await cli.run('export', '--all', 'cards');
    const { code, err } = await cli.run(...RUN, '--baseline', 'cards', '--host', 'http://127.0.0.1:9');
    expect([code, err]).toEqual([2, expect.stringContaining('--baseline with --host')]);
  });
});

const claimsIn = (text: string) =>
  JSON.parse(Buffer.from(JSON.parse(text).payload, 'base64').toString()).predicate.scorecard;

/** The file as an earlier version wrote it. */
function withoutDigests(text: string, key: string): string {
  const { payload, signatures } = JSON.parse(text);
  const statement = JSON.parse(Buffer.from(payload, 'base64').toString());
  for (const result of statement.predicate.scorecard.results) delete result.taskDigest;
  return sealStatement(statement, { privateKey: key, keyId: signatures[0].keyid });
}
