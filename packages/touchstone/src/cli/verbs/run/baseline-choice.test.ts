import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RunId } from '@touchstone/protocol';
import type { Client } from '@touchstone/sdk';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openJudgeCli } from '../../testing/judge-cli.js';
import { openTestCli, type TestCli } from '../../testing/test-cli.js';
import { chooseBaseline } from './baseline-choice.js';

let desk: TestCli;
beforeEach(() => {
  desk = openTestCli();
  write('shop.suite.json', suite('shop'));
  answerAll();
});
afterEach(() => desk.close());

const write = (name: string, text: string): void => {
  mkdirSync(dirname(join(desk.cwd, name)), { recursive: true });
  writeFileSync(join(desk.cwd, name), text);
};
const read = (name: string): string => readFileSync(join(desk.cwd, name), 'utf8');

const NAMES = Array.from({ length: 12 }, (_, index) => `t${index}`);
const suite = (name: string, more: object = {}): string =>
  JSON.stringify({
    suiteId: `local.test.evals.${name}`,
    version: '1.0.0',
    modes: ['golden', 'regression'],
    thresholds: { passScore: 0.4 },
    tasks: NAMES.map((taskId) => ({
      taskId,
      input: { say: taskId },
      expected: { kind: 'golden', match: { strategy: 'exact', value: taskId } },
    })),
    ...more,
  });

/** The agent says what it is told to say, except for these. */
const answerAll = (...except: readonly string[]): void =>
  write(
    'agent.mjs',
    `export default ({ say }) => (${JSON.stringify(except)}.includes(say) ? 'SOMETHING-ELSE' : say);`,
  );

type Told = { readonly code: number; readonly err: string; readonly document: Document };
type Document = {
  readonly runId: string;
  readonly exitCode: number;
  readonly summary: { readonly passed: boolean };
  readonly report: {
    readonly modes: readonly string[];
    readonly regression?: {
      readonly baselineRunId: string;
      readonly verdict: string;
      readonly tolerance: number;
    };
  };
};
const run = async (...more: readonly string[]): Promise<Told> => {
  const { code, out, err } = await desk.run(
    'run',
    'shop.suite.json',
    '--agent',
    'agent.mjs',
    '--json',
    ...more,
  );
  return { code, err, document: JSON.parse(out || 'null') };
};
const comparedWith = ({ document }: Told): string | undefined => document.report.regression?.baselineRunId;

describe('--baseline last', () => {
  test('runs the first time without one, and says so in one line', async () => {
    const first = await run('--baseline', 'last', '--modes', 'golden,regression', '--tolerance', '0.1');
    expect([first.code, first.err]).toEqual([
      0,
      'Not compared with a baseline. There is no earlier run of this suite by this agent. This run can be the baseline.\n',
    ]);
    expect(first.document.report.modes).toEqual(['golden']);
    const second = await run('--baseline', 'last', '--modes', 'golden,regression');
    expect([second.code, second.err]).toEqual([0, '']);
    expect(second.document.report.modes).toEqual(['golden', 'regression']);
    expect(comparedWith(second)).toBe(first.document.runId);
  });

  test('ends with 1 for a real regression although the bar is met', async () => {
    const before = await run();
    answerAll(...NAMES.slice(0, 6));
    const after = await run('--baseline', 'last', '--markdown', 'comment.md');
    expect(after).toMatchObject({
      code: 1,
      document: {
        exitCode: 1,
        summary: { passed: true },
        report: { regression: { baselineRunId: before.document.runId, verdict: 'fail' } },
      },
    });
    expect(read('comment.md')).toMatch(/^<!-- touchstone:local\.test\.evals\.shop -->\n### ❌ REGRESSION: /);
    expect(read('comment.md')).not.toContain('SOMETHING-ELSE');
    const tolerant = await run('--baseline', before.document.runId, '--tolerance', '0.6');
    expect(tolerant).toMatchObject({ code: 0, document: { report: { regression: { tolerance: 0.6 } } } });
  });

  test('is the newest run of the same tasks and repeats, and neither a replay nor another suite', async () => {
    const all = await run();
    const some = await run('--only', 't1,t2');
    const twice = await run('--repeats', '2');
    expect((await desk.run('replay', all.document.runId)).code).toBe(0);
    write('shop.suite.json', suite('shop', { thresholds: { passScore: 0.5 } }));
    const changed = await run();
    write('shop.suite.json', suite('shop'));
    expect(comparedWith(await run('--baseline', 'last', '--only', 't2,t1'))).toBe(some.document.runId);
    expect(comparedWith(await run('--baseline', 'last', '--repeats', '2'))).toBe(twice.document.runId);
    expect(comparedWith(await run('--baseline', 'last'))).toBe(all.document.runId);
    const other = await run('--baseline', 'last', '--only', 't3');
    expect(comparedWith(other)).toBeUndefined();
    expect(other.err).toBe(
      'Not compared with a baseline. There are 7 earlier runs, but of other tasks of the suite. This run can be the baseline.\n',
    );
    expect(changed.code).toBe(0);
  });

  test('says what sets a run apart from all earlier ones, everywhere, and is not certain then', async () => {
    await run();
    await run();
    const reports = ['--conclusive', '--markdown', 'm.md', '--junit', 'j.xml'];
    const repeated = await run('--baseline', 'last', '--repeats', '2', ...reports);
    const reason = 'There are 2 earlier runs, but with another number of repeats.';
    expect(repeated).toMatchObject({
      code: 3,
      err: `Not compared with a baseline. ${reason} This run can be the baseline.\n`,
      document: { exitCode: 3, comparison: { made: false, reason } },
    });
    expect(read('m.md')).toContain(`\n\nNot compared with a baseline. ${reason}\n\n`);
    expect(read('j.xml')).toContain(`<property name="comparison" value="not made: ${reason}"/>`);
    expect(read('j.xml')).toMatch(/tests="13" failures="0" errors="1"/);
    expect(read('j.xml')).toMatch(/name="\(inconclusive\)">\n +<error message="[^"]*Not compared/);
    write('shop.suite.json', suite('shop', { thresholds: { passScore: 0.3 } }));
    const edited = await run('--baseline', 'last');
    expect([edited.code, edited.err]).toEqual([
      0,
      expect.stringContaining('There are 3 earlier runs, but the suite has changed since.'),
    ]);
    const shown = await desk.run('show', 'last', '--json');
    expect(JSON.parse(shown.out).comparison).toEqual({ made: false, reason: expect.any(String) });
    expect((await run('--baseline', 'last')).document).not.toHaveProperty('comparison');
  });

  test('takes the run before it for last~1', async () => {
    const [first] = [await run(), await run()];
    expect(comparedWith(await run('--baseline', 'last~1'))).toBe(first.document.runId);
    const far = await run('--baseline', 'last~9');
    expect([comparedWith(far), far.err]).toEqual([
      undefined,
      expect.stringContaining('There are 3 earlier runs, but only 3 measured in the same way.'),
    ]);
  });

  test('of a folder is found for each suite by itself', async () => {
    write('evals/a.json', suite('a'));
    expect((await desk.run('run', 'evals', '--agent', 'agent.mjs')).code).toBe(0);
    write('evals/b.json', suite('b'));
    const { code, out, err } = await desk.run(
      'run',
      'evals',
      '--agent',
      'agent.mjs',
      '--baseline',
      'last',
      '--json',
    );
    expect([code, err]).toEqual([
      0,
      'Not compared with a baseline. There is no earlier run of this suite by this agent. This run can be the baseline.\n',
    ]);
    const [a, b] = JSON.parse(out) as Document[];
    expect([a?.report.regression?.verdict, b?.report.regression]).toEqual(['pass', undefined]);
  });

  test('is a run by the same judge, unless another one is allowed', async () => {
    const judged = openJudgeCli();
    const tone = async (...more: readonly string[]): Promise<Document & { readonly err: string }> => {
      const { out, err } = await judged.run('run', 'tone.suite.json', '--json', ...more);
      return { ...JSON.parse(out), err };
    };
    try {
      const strict = await tone();
      judged.configure({ judge: { model: 'offline/mild' } });
      const mild = await tone('--baseline', 'last');
      expect([mild.report.regression, mild.err]).toEqual([
        undefined,
        expect.stringContaining('There is 1 earlier run, but scored by another judge.'),
      ]);
      judged.configure();
      expect((await tone('--baseline', 'last')).report.regression?.baselineRunId).toBe(strict.runId);
      const refused = await judged.run('run', 'tone.suite.json', '--baseline', mild.runId);
      expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('--baseline')]);
      const across = await tone('--baseline', mild.runId, '--allow-judge-mismatch');
      expect(across.report.regression).toMatchObject({ baselineRunId: mild.runId, otherJudge: true });
    } finally {
      judged.close();
    }
  });
});

describe('--baseline', () => {
  test('blessed is the run that somebody has blessed, and there must be one', async () => {
    const first = await run();
    const none = await run('--baseline', 'blessed');
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('touchstone baseline bless <runId>')]);
    expect((await desk.run('baseline', 'bless', first.document.runId)).code).toBe(0);
    await run();
    expect(comparedWith(await run('--baseline', 'blessed'))).toBe(first.document.runId);
  });

  test('blessed before the suite was edited is said to be so', async () => {
    const first = await run();
    await desk.run('baseline', 'bless', 'last');
    write('shop.suite.json', suite('shop', { thresholds: { passScore: 0.3 } }));
    const { code, err } = await run('--baseline', 'blessed');
    expect([code, err]).toEqual([2, expect.stringContaining('the suite has changed since')]);
    expect(err).toContain(first.document.runId);
  });

  test('that is a fork is named as one', async () => {
    const source = (await run()).document.runId;
    const { runId } = JSON.parse((await desk.run('replay', 'last', '--json')).out) as Document;
    const words = `The baseline, run ${runId}, is a replay of run ${source}: the same facts again.\n`;
    expect((await run('--baseline', runId)).err).toBe(words);
    expect((await desk.run('show', 'last', '--baseline', runId)).err).toBe(words);
    expect((await run('--baseline', source)).err).toBe('');
  });

  test('of a scorecard file is believed when a trusted key has signed it', async () => {
    await run();
    expect((await desk.run('export', 'last', '--out', 'then.json', '--public-key', 'pub.pem')).code).toBe(0);
    const elsewhere = ['--data', 'elsewhere', '--baseline', 'then.json'];
    const unknown = await desk.run('run', 'shop.suite.json', '--agent', 'agent.mjs', ...elsewhere);
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('not trusted')]);
    const { signatures } = JSON.parse(read('then.json')) as { signatures: readonly { keyid: string }[] };
    const keyId = signatures[0]?.keyid;
    write('touchstone.config.json', JSON.stringify({ trust: { keys: [{ keyId, file: 'pub.pem' }] } }));
    const { document } = await run(...elsewhere);
    expect(document.report.regression).toMatchObject({ verdict: 'pass', baseline: { imported: true } });
    write('then.json', read('then.json').replace(/"payload": ?"..../, '$&AAAA'));
    expect((await desk.run('run', 'shop.suite.json', '--agent', 'agent.mjs', ...elsewhere)).code).toBe(2);
  });

  test.each([
    [['--baseline', 'run-nope'], 'There is no run run-nope here to compare with.'],
    [['--baseline', 'gone.json'], 'Cannot read gone.json'],
    [['--baseline', ''], '--baseline is empty.'],
    [['--markdown', 'a.md', '--junit', './a.md'], '--junit and --markdown are the same file'],
    [['--tolerance', '0.1'], 'there is no --baseline to compare with'],
    [['--allow-judge-mismatch'], 'there is no --baseline to compare with'],
    [['--baseline', 'last', '--tolerance', '2'], 'number from 0 to 1'],
    [['--markdown', '-', '--json'], 'both write to stdout'],
    [['--baseline', 'x.json', '--host', 'http://127.0.0.1:1'], 'takes last, blessed or the id of a run'],
  ])('%j is refused with a hint', async (argv, words) => {
    const person = openTestCli({ cwd: desk.cwd, env: { TOUCHSTONE_KEY: 'k' } });
    const { code, out, err } = await person.run('run', 'shop.suite.json', '--agent', 'agent.mjs', ...argv);
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
    if (!argv.includes('--json')) expect(out).toBe('');
  });
});

test('--conclusive ends with 3 when chance alone could explain the result', async () => {
  await run();
  answerAll('t1', 't2');
  const { code, document } = await run('--baseline', 'last');
  expect([code, document.report.regression?.verdict]).toEqual([0, 'inconclusive']);
  expect((await run('--baseline', 'last', '--conclusive')).code).toBe(0);
  answerAll();
  expect(await run('--baseline', 'last', '--conclusive')).toMatchObject({
    code: 3,
    document: { exitCode: 3, report: { regression: { verdict: 'inconclusive' } } },
  });
});

describe('show', () => {
  test('compares a past run with another, and writes the comment of it', async () => {
    const good = await run();
    answerAll(...NAMES.slice(0, 6));
    const bad = await run();
    const shown = await desk.run('show', bad.document.runId, '--baseline', good.document.runId);
    expect([shown.code, shown.out]).toEqual([0, expect.stringContaining('REGRESSION real: −0.50')]);
    const comment = await desk.run('show', 'last', '--baseline', good.document.runId, '--markdown', '-');
    expect(comment.out).toMatch(/^<!-- touchstone:local\.test\.evals\.shop -->\n### ❌ REGRESSION/);
    expect(comment.out).not.toMatch(/SOMETHING-ELSE|█/);
    await desk.run('show', 'last', '--markdown', 'out/c.md', '--bodies');
    expect(read('out/c.md')).toContain('got "SOMETHING-ELSE"');
    expect((await desk.run('show', 'last', '--task', 't1', '--markdown', '-')).err).toContain(
      'the whole run',
    );
    const strange = await desk.run('show', 'last', '--baseline', 'run-nope');
    expect([strange.code, strange.err]).toEqual([
      2,
      expect.stringContaining('There is no run run-nope here.'),
    ]);
  });

  test('tells what people have corrected, and their words only where content may be shown', async () => {
    answerAll('t1');
    await run();
    for (const score of ['0.4', '1'])
      await desk.run('annotate', 'last', '--task', 't1', '--score', score, '--note', `NOTE-${score}`);
    expect((await desk.run('show', 'last')).out).toContain('with 1 correction: 1.00 PASSED');
    const plain = await desk.run('show', 'last', '--task', 't1');
    expect(plain.out).toMatch(/0\.00 → 0\.40 {2}by \S+, moments ago, replaced since\n.*0\.00 → 1\.00 {2}by/);
    expect(plain.out).not.toContain('NOTE');
    expect((await desk.run('show', 'last', '--task', 't1', '--bodies')).out).toContain('NOTE-1');
    const document = JSON.parse((await desk.run('show', 'last', '--task', 't1', '--json')).out);
    expect(document.corrections).toMatchObject([{ score: 0.4 }, { score: 1 }]);
    expect(JSON.stringify(document)).not.toContain('NOTE');
  });
});

describe('on another host', () => {
  test('the newest original run of the same suite and repeats is the last one', async () => {
    const suite = { ref: 'a.evals.b@1.0.0', digest: 'd1' };
    const plan = { kind: 'eval', suite, repeats: 1, tasks: { selected: 3 } };
    const told = (runId: string, touchstone: object): object => ({ runId, touchstone });
    const asked: object[] = [];
    const items = [
      told('foreign', {}),
      told('forked', { ...plan, fork: {} }),
      told('rejudged', { ...plan, rejudgeOf: 'x' }),
      told('changed', { ...plan, suite: { ...plan.suite, digest: 'd2' } }),
      told('repeated', { ...plan, repeats: 3 }),
      told('newest', plan),
      told('judged', { ...plan, judge: { digest: 'j' } }),
      told('older', plan),
    ];
    const list = async (filter: object): Promise<object> => {
      asked.push(filter);
      return { items };
    };
    const get = async (runId: RunId): Promise<object> => ({ runId });
    const session = { client: { runs: { list, get } } as unknown as Client, where: {} };
    const context = { io: desk.io, settings: { data: '.touchstone', json: false, color: false } };
    const run = { suiteId: 'a.evals.b', digest: 'd1', agentId: 'x.y', repeats: 1 };
    const choose = (name: string) => chooseBaseline(context, session, name, run);
    const last = await choose('last');
    expect(last.candidates).toEqual(['newest', 'judged']);
    expect(last.earlier).toHaveLength(5);
    expect((await choose('last~1')).candidates).toEqual(['older']);
    expect(asked[0]).toMatchObject({ suiteId: 'a.evals.b', agentId: 'x.y', status: 'completed' });
    expect(await choose('run-7')).toEqual({
      candidates: ['run-7'],
    });
  });

  test('a run is compared there, and its report is told here', async () => {
    const project = openTestCli();
    await project.run('init', '.');
    const serving = project.run('serve', '--port', '0');
    await project.seen('This is the only time the key is shown');
    const [, url = '', key = ''] =
      project.written.out.match(/listening (\S+)\nexport TOUCHSTONE_KEY=(\S+)\n/) ?? [];
    const person = openTestCli({ env: { TOUCHSTONE_KEY: key } });
    try {
      const there = (baseline: string) =>
        person.run('run', join(project.cwd, 'evals/first.suite.yaml'), '--host', url, '--baseline', baseline);
      const first = await there('last');
      expect([first.code, first.err]).toEqual([0, expect.stringContaining('There is no earlier run')]);
      const second = await there('last');
      expect([second.code, second.err]).toEqual([0, '']);
      expect(second.out).toContain('no regression: 5 tasks scored as before');
      const [, runId = ''] = first.out.match(/run (run-\S+)/) ?? [];
      expect((await there(runId)).out).toContain(`baseline 1.00: ${runId}, version`);
      expect((await there('run-nope')).err).toContain('There is no run run-nope on 127.0.0.1');
    } finally {
      project.signal('SIGTERM');
      person.close();
    }
    expect((await serving).code).toBe(0);
    project.close();
  });
});
