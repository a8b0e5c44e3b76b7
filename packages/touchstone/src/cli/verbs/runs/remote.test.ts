import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CompareCli, openCompareCli, SUITE, TASKS } from '../../testing/compare-cli.js';
import { openTestCli } from '../../testing/test-cli.js';

// Goal: a verb says the same of runs here and of the same runs on a host. Method: runs made here; a server over the same
// store, whose key is of the tenant of the command line; every verb asked both ways, its document and exit code compared.
let cli: CompareCli;
let caller: ReturnType<typeof openTestCli>;
let serving: ReturnType<CompareCli['run']>;
let host: readonly string[];
const runIds: string[] = [];

beforeAll(async () => {
  cli = openCompareCli();
  cli.writeSuite(TASKS);
  runIds.push(await cli.runWith({}));
  runIds.push(await cli.runWith({ one: 'wrong', two: 'wrong', three: 'wrong', four: 'wrong', five: 'x' }));
  await cli.run('baseline', 'bless', runIds[0] ?? '');
  await cli.run('annotate', 'last', '--task', 'one', '--passed', '--note', 'NOTE-WORDS');
  await cli.run('export', 'last', '--out', 'last.scorecard.json');
  serving = cli.run('serve', '--port', '0');
  await cli.seen('This is the only time the key is shown');
  const [, url = '', key = ''] =
    cli.written.out.match(/listening (\S+)\nexport TOUCHSTONE_KEY=(\S+)\n/) ?? [];
  caller = openTestCli({ cwd: cli.cwd, env: { TOUCHSTONE_KEY: key } });
  host = ['--host', url];
});
afterAll(async () => {
  cli.signal('SIGTERM');
  await serving;
  cli.close();
});

const here = (...argv: string[]) => caller.run(...argv, '--json');
const there = (...argv: string[]) => caller.run(...argv, ...host, '--json');

describe('the same on a host as here', () => {
  test.each<[string, string[], number]>([
    ['runs', ['runs'], 0],
    ['runs of a suite', ['runs', '--suite', SUITE, '--limit', '1'], 0],
    ['show', ['show', 'last'], 0],
    ['show, the newest', ['show'], 0],
    ['show --failed', ['show', 'last', '--failed'], 0],
    ['show --task', ['show', 'last', '--task', 'one', '--bodies'], 0],
    ['show --events', ['show', 'last', '--events', '--bodies'], 0],
    ['show of no run', ['show', 'run-none'], 2],
    ['show of no task', ['show', 'last', '--task', 'on'], 2],
    ['compare', ['compare', 'last~1', 'last'], 1],
    ['compare blessed', ['compare', 'blessed', 'last', '--bodies'], 1],
    ['compare --task', ['compare', 'last~1', 'last', '--task', 'two'], 1],
    ['compare --tolerance', ['compare', 'last~1', 'last', '--tolerance', '0.9'], 0],
    ['compare of no run', ['compare', 'nope', 'last'], 2],
    ['baseline list', ['baseline', 'list'], 0],
    ['baseline show', ['baseline', 'show', SUITE], 0],
    ['annotate --list', ['annotate', 'last', '--list', '--bodies'], 0],
    ['verify', ['verify', 'last.scorecard.json'], 0],
  ])('%s', async (_name, argv, code) => {
    const [local, remote] = [await here(...argv), await there(...argv)];
    expect({ code: remote.code, out: JSON.parse(remote.out) }).toEqual({
      code: local.code,
      out: JSON.parse(local.out),
    });
    expect(local.code).toBe(code);
  });

  test('export, with the same bytes for the same key', async () => {
    await caller.run('export', 'last', '--out', 'a.scorecard.json');
    expect((await caller.run('export', 'last', '--out', 'b.scorecard.json', ...host)).code).toBe(0);
    const { out } = await here('verify', 'a.scorecard.json', 'b.scorecard.json');
    const [one, other] = JSON.parse(out).map(({ file: _, ...facts }: { file: string }) => facts);
    expect(other).toEqual(one);
    expect(one).toMatchObject({ verified: true });
  });
});

test('what is recorded on a host is there for both, under the principal of the key', async () => {
  const blessed = JSON.parse((await there('baseline', 'bless', runIds[1] ?? '')).out);
  expect(blessed).toMatchObject({ blessed: { runId: runIds[1] }, replaced: { runId: runIds[0] } });
  expect(blessed.blessed.principal).not.toBe('cli');
  expect(JSON.parse((await here('baseline', 'list')).out).items[0]).toMatchObject(blessed.blessed);
  const said = await there('annotate', 'last', '--task', 'two', '--score', '0.5', '--note', 'half right');
  expect(JSON.parse(said.out)).toMatchObject({
    override: { score: 0.5 },
    adjusted: { task: { score: 0.5 } },
  });
});

test('a scorecard file is compared only with runs of this machine', async () => {
  const { code, err } = await there('compare', 'last.scorecard.json', 'last');
  expect(code).toBe(2);
  expect(err).toContain('only with runs of this machine');
});
