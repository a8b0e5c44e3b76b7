import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CompareCli, openCompareCli, SUITE, steady, TASKS } from '../../testing/compare-cli.js';
import { openJudgeCli } from '../../testing/judge-cli.js';

let desk: CompareCli;
beforeEach(() => {
  desk = openCompareCli();
  desk.writeSuite(TASKS);
});
afterEach(() => desk.close());

const SECRET = 'SECRET-ANSWER';
/** All tasks but the first fail, which chance alone rarely does. */
const BAD = Object.fromEntries(TASKS.slice(1).map((taskId) => [taskId, `${SECRET} ${taskId}`]));
const json = async (...argv: string[]) => JSON.parse((await desk.run('compare', ...argv, '--json')).out);

describe('two runs of one suite', () => {
  test('with a real drop exit 1 and tell it on a pipe without any content', async () => {
    await desk.runWith({ one: 'wrong' });
    await desk.runWith(BAD);
    const { code, out } = await desk.run('compare', 'last~1', 'last');
    expect(code).toBe(1);
    expect(steady(out)).toMatchSnapshot();
    expect(out).not.toContain(SECRET);
    const document = await json('last~1', 'last');
    expect(document).toMatchObject({
      exitCode: 1,
      comparable: true,
      regression: { verdict: 'fail', tasks: { paired: 9, differing: 9 }, toPass: ['one'] },
    });
    expect(document.tasks.map(({ turn }: { turn: string }) => turn)).toEqual([
      ...Array(8).fill('worse'),
      'better',
    ]);
    expect(JSON.stringify(document)).not.toContain(SECRET);
  });

  test('need not be named: the last two that can be compared are taken', async () => {
    const before = await desk.runWith({ one: 'wrong' });
    const after = await desk.runWith({});
    // Another suite is run in between and last, once: it has nothing to be compared with.
    desk.write('other.suite.json', desk.read('orders.suite.json').replace(SUITE, 'local.test.evals.other'));
    await desk.run('run', 'other.suite.json', '--agent', './agent.mjs');
    expect(await json()).toMatchObject({ before: { runId: before }, after: { runId: after }, exitCode: 0 });
  });

  test('have to be there, and one name is not enough', async () => {
    await desk.runWith({});
    const none = await desk.run('compare');
    expect(none.code).toBe(2);
    expect(none.err).toContain('There are no two runs here that can be compared');
    const one = await desk.run('compare', 'last');
    expect(one.code).toBe(2);
    expect(one.err).toContain('touchstone compare last~1 last');
  });

  test('on a terminal show how the answers changed, at most five unless a task is named', async () => {
    const screen = openCompareCli({ isTTY: true, env: { NO_COLOR: '1' } });
    screen.writeSuite(TASKS);
    await screen.runWith({ one: { total: 12, items: ['a', 'b'] } });
    await screen.runWith({ ...BAD, one: { total: 13, items: ['a', 'b'] }, two: 'two\u001b[2J\u202e' });
    const { out } = await screen.run('compare', 'last~1', 'last');
    expect(steady(out)).toMatchSnapshot();
    expect(out).toContain('… and 3 more changed answers: add --task <taskId>');
    const one = (await screen.run('compare', 'last~1', 'last', '--task', 'one')).out;
    expect(steady(one)).toMatchSnapshot();
    screen.close();
  });

  test('are coloured where a person looks: drops red, gains green', async () => {
    const screen = openCompareCli({ isTTY: true });
    screen.writeSuite(TASKS);
    await screen.runWith({ one: 'wrong' });
    await screen.runWith(BAD);
    const { out } = await screen.run('compare', 'last~1', 'last');
    expect(out).toContain('\u001b[31m↓\u001b[39m two');
    expect(out).toContain('\u001b[32m↑\u001b[39m one');
    expect((await screen.run('compare', 'last~1', 'last', '--no-color')).out).not.toContain('\u001b');
    screen.close();
  });

  test('with --bodies show answers on a pipe and in the document', async () => {
    await desk.runWith({});
    await desk.runWith(BAD);
    const { out } = await desk.run('compare', 'last~1', 'last', '--bodies');
    expect(out).toContain(`+ ${SECRET} two`);
    const { answers } = await json('last~1', 'last', '--bodies', '--task', 'two');
    expect(answers).toEqual([
      {
        taskId: 'two',
        before: { output: 'two', outcome: 'completed' },
        after: { output: `${SECRET} two`, outcome: 'completed' },
      },
    ]);
  });

  test('with too few differences are inconclusive: 0, and 3 when a verdict was asked for', async () => {
    await desk.runWith({});
    await desk.runWith({ two: 'wrong' });
    const { code, out } = await desk.run('compare', 'last~1', 'last');
    expect(code).toBe(0);
    expect(steady(out)).toMatchSnapshot();
    expect((await desk.run('compare', 'last~1', 'last', '--conclusive')).code).toBe(3);
  });

  test('that came out the same list nothing, and everything with --all', async () => {
    await desk.runWith({ two: 'wrong' });
    await desk.runWith({ two: 'wrong' });
    const { code, out } = await desk.run('compare', 'last~1', 'last', '--conclusive');
    expect(code).toBe(0);
    expect(out).not.toContain('change\n');
    expect(out).toContain('9 tasks: 9 as before, 0 lower, 0 higher');
    expect((await desk.run('compare', 'last~1', 'last', '--all')).out).toContain('= nine');
  });

  test('show at most fifty tasks unless all are wanted', async () => {
    const many = Array.from({ length: 60 }, (_, at) => `task-${at}`);
    desk.writeSuite(many);
    await desk.runWith({});
    await desk.runWith(Object.fromEntries(many.map((taskId) => [taskId, 'wrong'])));
    const { out } = await desk.run('compare', 'last~1', 'last');
    expect(out.match(/↓ task-/g)).toHaveLength(50);
    expect(out).toContain('… and 10 more: add --all');
    expect((await desk.run('compare', 'last~1', 'last', '--all')).out.match(/↓ task-/g)).toHaveLength(60);
  });

  test('of different selections get no verdict, and only what both ran is listed', async () => {
    await desk.runWith({});
    await desk.runWith({ two: 'wrong' }, '--only', 'one,two');
    const { code, out } = await desk.run('compare', 'last~1', 'last');
    expect(code).toBe(0);
    expect(out).toContain('no verdict: The two runs ran different tasks of the suite.');
    expect(out).toContain('↓ two');
    expect(out).not.toContain('three');
    expect(out).toContain('9 tasks: 1 as before, 1 lower, 0 higher, 7 only before');
  });
});

describe('two versions of a suite', () => {
  beforeEach(async () => {
    await desk.runWith({});
    desk.writeSuite(['one', 'two', 'ten'], { version: '1.1.0' });
    await desk.runWith({ two: 'wrong' });
  });

  test('are listed side by side without a verdict', async () => {
    const { code, out } = await desk.run('compare', `${SUITE}@1.0.0`, `${SUITE}@1.1.0`);
    expect(code).toBe(0);
    expect(steady(out)).toMatchSnapshot();
    const document = await json(`${SUITE}@1.0.0`, `${SUITE}@1.1.0`);
    expect(document.comparable).toBe(false);
    expect(document.reason).toContain('different versions');
    expect(document.regression).toBeUndefined();
  });

  test('give 3 when a verdict was asked for', async () => {
    expect((await desk.run('compare', 'last~1', 'last', '--conclusive')).code).toBe(3);
  });

  test('stand for the newest completed run of the agent that is named', async () => {
    const agent = ['--agent', 'local.cli.agent@0.0.0'];
    const { after } = await json(`${SUITE}@1.0.0`, `${SUITE}@1.1.0`, ...agent);
    expect(after.suite.ref).toBe(`${SUITE}@1.1.0`);
    const { code, err } = await desk.run('compare', 'last', `${SUITE}@1.0.0`, '--agent', 'local.other');
    expect(code).toBe(2);
    expect(err).toContain(`no completed run of ${SUITE}@1.0.0 with agent local.other`);
  });
});

describe('a scorecard file', () => {
  test('of a run that is kept here is that run; of another, its numbers', async () => {
    const first = await desk.runWith({ one: 'wrong' });
    expect((await desk.run('export', 'last', '--out', 'card.json')).code).toBe(0);
    await desk.runWith(BAD);
    expect((await json('card.json', 'last')).before.imported).toBeUndefined();
    // A store without that run, on a machine that believes the key.
    renameSync(join(desk.cwd, '.touchstone'), join(desk.cwd, 'old'));
    await desk.runWith(BAD);
    renameSync(join(desk.cwd, 'old', 'signing-key.pem'), join(desk.cwd, '.touchstone', 'signing-key.pem'));
    const { code, out } = await desk.run('compare', 'card.json', 'last', '--bodies');
    expect(code).toBe(1);
    expect(out).toContain('Only the scorecard of the run before is here');
    expect(out).not.toContain(SECRET);
    // Once it has been brought in, it answers to the id of its run as well.
    expect((await json(first, 'last')).before).toMatchObject({ runId: first, imported: true });
    // Two scorecards are enough for a verdict, in either order.
    expect(await json('last', 'card.json')).toMatchObject({ regression: { verdict: 'pass' } });
    await desk.run('export', 'last', '--out', 'bad.json');
    expect(await json('card.json', 'bad.json')).toMatchObject({ regression: { verdict: 'fail' } });
  });

  test('that nobody known has signed is refused', async () => {
    await desk.runWith({});
    await desk.run('export', 'last', '--out', 'card.json');
    rmSync(join(desk.cwd, '.touchstone', 'signing-key.pem'));
    await desk.runWith({});
    expect((await desk.run('compare', 'card.json', 'last')).err).toContain('not trusted here');
  });
});

describe('what is compared', () => {
  test.each([
    [['last~9', 'last'], 'not enough runs here for last~9'],
    [['nope', 'last'], 'There is no run and no scorecard file nope here.'],
    [['nope.json', 'last'], 'There is no file nope.json.'],
    [['last', 'last'], 'Both names stand for run'],
    [['last~1', 'last', '--task', 'tow'], 'Neither run has a task tow.'],
    [['blessed', 'last'], 'is blessed.'],
    [['last', 'blessed'], 'Only the first of the two may be "blessed"'],
    [['last~1', 'last', '--agent', 'local.cli.agent'], '--agent narrows a suite'],
  ])('is refused when it is not there: %j', async (argv, words) => {
    await desk.runWith({});
    await desk.runWith({});
    const { code, err } = await desk.run('compare', ...argv);
    expect(code).toBe(2);
    expect(err).toContain(words);
  });

  test('is refused unless it is completed', async () => {
    await desk.runWith({});
    writeFileSync(join(desk.cwd, 'never.mjs'), 'export default () => new Promise(() => undefined);');
    await desk.run('run', 'orders.suite.json', '--agent', './never.mjs', '--timeout', '1');
    const { code, err } = await desk.run('compare', 'last~1', 'last');
    expect(code).toBe(2);
    expect(err).toMatch(/is (failed|cancelled), and only completed runs can be compared/);
  });

  test('may be the blessed run of the same suite, agent and judge', async () => {
    const baseline = await desk.runWith({});
    await desk.run('baseline', 'bless', 'last');
    await desk.runWith({ one: 'wrong' });
    await desk.runWith(BAD);
    expect((await json('blessed', 'last')).before.runId).toBe(baseline);
  });

  test('blessed before the suite was edited is said to be so', async () => {
    const baseline = await desk.runWith({});
    await desk.run('baseline', 'bless', 'last');
    desk.writeSuite(TASKS.slice(1));
    await desk.runWith({});
    const { code, err } = await desk.run('compare', 'blessed', 'last');
    expect([code, err]).toEqual([2, expect.stringContaining('but the suite has changed since.')]);
    expect(err).toContain(baseline);
    expect((await desk.run('compare', baseline, 'last')).code).toBe(0);
  });

  test('may be a fork, and is marked as one', async () => {
    const source = await desk.runWith({});
    const { runId } = JSON.parse((await desk.run('replay', 'last', '--json')).out);
    const { out } = await desk.run('compare', source, runId);
    expect(out).toMatch(/when .* ago, a replay\n/);
    expect(out).toContain('The run after is a replay of run');
    const document = await json(source, runId);
    expect([document.before.fork, document.after.fork]).toEqual([
      undefined,
      { source, mode: 'replay', fromSeq: 0 },
    ]);
  });

  test('of two files needs no folder to keep anything in', async () => {
    await desk.runWith({});
    await desk.run('export', 'last', '--out', 'one.json', '--public-key', 'pub.pem');
    await desk.runWith(BAD);
    await desk.run('export', 'last', '--out', 'other.json');
    const { signatures } = JSON.parse(readFileSync(join(desk.cwd, 'one.json'), 'utf8'));
    const trust = { keys: [{ keyId: signatures[0].keyid, file: 'pub.pem' }] };
    writeFileSync(join(desk.cwd, 'touchstone.config.json'), JSON.stringify({ trust }));
    rmSync(join(desk.cwd, '.touchstone'), { recursive: true });
    expect((await json('one.json', 'other.json')).regression.verdict).toBe('fail');
    expect((await desk.run('compare', 'one.json', 'last')).err).toContain('There is no run here yet.');
    expect(existsSync(join(desk.cwd, '.touchstone'))).toBe(false);
  });

  test('leaves no store behind where there is none', async () => {
    const { code, err } = await desk.run('compare', 'last~1', 'last');
    expect(code).toBe(2);
    expect(err).toContain('There is no run here yet.');
  });
});

describe('judged runs', () => {
  test('of different judges are refused unless asked for, and tell criteria by name', async () => {
    const judged = openJudgeCli();
    await judged.run('run', 'tone.suite.json');
    judged.configure({ judge: { model: 'offline/mild' } });
    await judged.run('run', 'tone.suite.json');
    const refused = await judged.run('compare', 'last~1', 'last');
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('offline/strict (mock), the one after by offline/mild (mock)');
    expect(refused.err).toContain('--allow-judge-mismatch');
    const { code, out } = await judged.run('compare', 'last~1', 'last', '--allow-judge-mismatch');
    expect(code).toBe(0);
    expect(steady(out)).toMatchSnapshot();
    expect(out).not.toMatch(/SENTENCE|ANSWER|REASON/);
    const shown = await judged.run('compare', 'last~1', 'last', '--allow-judge-mismatch', '--bodies');
    expect(shown.out).toContain('↑ SENTENCE-THREE: it is polite.');
    judged.close();
  });
});
