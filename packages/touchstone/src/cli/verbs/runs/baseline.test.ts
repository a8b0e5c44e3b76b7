import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CompareCli, openCompareCli, SUITE, steady, TASKS } from '../../testing/compare-cli.js';
import { openJudgeCli } from '../../testing/judge-cli.js';
import { openPackCli } from '../../testing/pack-cli.js';

let desk: CompareCli;
beforeEach(() => {
  desk = openCompareCli();
  desk.writeSuite(TASKS);
});
afterEach(() => desk.close());

const bless = (runId = 'last') => desk.run('baseline', 'bless', runId);
const list = async () => JSON.parse((await desk.run('baseline', 'list', '--json')).out).items;

describe('a blessed run', () => {
  test('is the baseline until another one is, and both are kept', async () => {
    const first = await desk.runWith({});
    const told = await bless();
    expect(told.code).toBe(0);
    expect(steady(told.out)).toMatchSnapshot();
    const second = await desk.runWith({ one: 'wrong' });
    expect((await bless()).out).toContain(`It replaces run ${first}`);
    expect(await list()).toMatchObject([
      { runId: second, current: true, principal: 'cli', suite: { ref: `${SUITE}@1.0.0` } },
      { runId: first, current: false, score: 1 },
    ]);
    expect(steady((await desk.run('baseline', 'list')).out)).toMatchSnapshot();
    const shown = await desk.run('baseline', 'show');
    expect(steady(shown.out)).toMatchSnapshot();
    expect(shown.out).toContain(first);
    expect((await desk.run('baseline', 'show', first)).out).toContain('no longer counts');
  });

  test('blessed again says so and adds nothing', async () => {
    await desk.runWith({});
    await bless();
    expect((await bless()).out).toContain('is already the baseline');
    expect(await list()).toHaveLength(1);
  });

  test('counts beside those of other suites and agents, and is found by suite', async () => {
    await desk.runWith({});
    await bless();
    desk.writeSuite(TASKS, { suiteId: 'local.test.evals.other' });
    await desk.runWith({});
    await bless();
    expect((await list()).every(({ current }: { current: boolean }) => current)).toBe(true);
    const { items } = JSON.parse((await desk.run('baseline', 'show', SUITE, '--json')).out);
    expect(items).toMatchObject([
      { suite: { ref: `${SUITE}@1.0.0` }, aggregate: { score: 1 }, history: [{ current: true }] },
    ]);
    const unknown = await desk.run('baseline', 'show', 'local.test.evals.othre');
    expect(unknown.code).toBe(2);
    expect(unknown.err).toContain('Did you mean local.test.evals.other?');
  });

  test('of some tasks only is blessed with a word about it', async () => {
    await desk.runWith({}, '--only', 'one,two');
    expect((await bless()).out).toContain('It ran 2 of the 9 tasks');
  });

  test('of a scripted judge, and judged again, is blessed with a word about it', async () => {
    const judged = openJudgeCli();
    await judged.run('run', 'tone.suite.json');
    await judged.run('rejudge', 'last', '--judge', 'offline/mild');
    const { code, out } = await judged.run('baseline', 'bless', 'last');
    expect(code).toBe(0);
    expect(out).toContain('judged again.');
    expect(out).toContain('evidence of nothing');
    expect(out).toContain('judge   offline/mild');
    judged.close();
  });
});

describe('what is no measurement is no baseline', () => {
  test('a replay names the run it repeats', async () => {
    const source = await desk.runWith({});
    const { runId } = JSON.parse((await desk.run('replay', 'last', '--json')).out) as { runId: string };
    const { code, err } = await desk.run('baseline', 'bless', runId);
    expect(code).toBe(2);
    expect(err).toContain(`is a replay of run ${source}`);
    expect(err).toContain(`touchstone baseline bless ${source}`);
    expect(await list()).toEqual([]);
  });

  test('a run that did not complete', async () => {
    writeFileSync(join(desk.cwd, 'never.mjs'), 'export default () => new Promise(() => undefined);');
    await desk.run('run', 'orders.suite.json', '--agent', './never.mjs', '--timeout', '1');
    const { code, err } = await bless();
    expect(code).toBe(2);
    expect(err).toContain('only a completed run can be a baseline');
  });

  test('a run with answers from the cache', async () => {
    const packed = openPackCli();
    await packed.run('run', 'support', '--cache', '--modes', 'golden');
    await packed.run('run', 'support', '--cache', '--modes', 'golden');
    const { code, err } = await packed.run('baseline', 'bless', 'last');
    expect(code).toBe(2);
    expect(err).toContain('came from the cache');
    expect(err).toContain('without --cache');
    packed.close();
  });

  test('a run that is not there, and nothing is made by asking', async () => {
    expect((await bless()).err).toContain('There is no run here yet.');
    expect((await desk.run('baseline', 'list')).out).toContain('No baseline yet.');
    expect((await desk.run('baseline', 'show')).code).toBe(2);
    expect(existsSync(join(desk.cwd, '.touchstone'))).toBe(false);
  });
});
