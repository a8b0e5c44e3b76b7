import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { RunId } from '@touchstone/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withTouchstone } from '../../local.js';
import { type Judges, openJudgeCli, rubricTask, suite } from '../../testing/judge-cli.js';

let desk: Judges;
beforeEach(() => {
  desk = openJudgeCli();
});
afterEach(() => desk.close());

const CONTENT = /SENTENCE|REASON|ANSWER/;
const runTone = (...more: string[]) => desk.run('run', 'tone.suite.json', ...more);
const read = (name: string): string => readFileSync(join(desk.cwd, name), 'utf8');
/** Ids and times differ from run to run. */
const steady = (text: string): string =>
  text
    .replaceAll(/run-[0-9a-z]{26}/g, 'run-…')
    .replaceAll(/ +[\d.]+ m?s$/gm, '  –')
    .replaceAll(/p50 .*? p95 .*? ·/g, 'p50 – p95 – ·')
    .replaceAll(/took .*/g, 'took –');

describe('a judged run', () => {
  test('on a pipe and in reports tells criteria by number, the judge and its cost, and no content', async () => {
    const { code, out } = await runTone('--junit', 'j.xml', '--markdown', 'm.md');
    expect(code).toBe(1);
    expect(steady(out)).toMatchSnapshot();
    expect(steady(read('m.md'))).toMatchSnapshot();
    expect(steady(read('j.xml')).replaceAll(/ time="[^"]*"/g, '')).toMatchSnapshot();
    const shown = await desk.run('show', 'last', '--task', 'late');
    expect(steady(shown.out)).toMatchSnapshot();
    expect(out + read('m.md') + read('j.xml') + shown.out).not.toMatch(CONTENT);
  });

  test('on a terminal and with --bodies shows sentences and reasons', async () => {
    const screen = openJudgeCli({ isTTY: true, env: { NO_COLOR: '1' } });
    expect(steady((await screen.run('run', 'tone.suite.json')).out)).toMatchSnapshot();
    expect(steady((await screen.run('show', 'last', '--task', 'late')).out)).toMatchSnapshot();
    screen.close();
    await runTone('--bodies', '--junit', 'j.xml', '--markdown', 'm.md');
    for (const report of ['j.xml', 'm.md']) {
      expect(read(report)).toContain('SENTENCE-TWO: it promises no date.');
      expect(read(report)).toContain('REASON-UNMET.');
    }
  });

  test('as JSON has criteria by id, the judge with its digest, and what it took', async () => {
    const document = JSON.parse((await runTone('--json')).out);
    expect(document).toMatchObject({
      exitCode: 1,
      judge: { provider: 'offline', model: 'strict', votes: 1, mock: true },
      judgeUsd: 0.02,
      rubrics: [
        {
          taskId: 'late',
          criteria: [
            { met: 1, weight: 0.5 },
            { met: 0, weight: 0.3 },
            { met: 1, weight: 0.2 },
          ],
        },
        { taskId: 'rude', criteria: [{ met: 0, weight: 1 }] },
      ],
    });
    expect(document.judge.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(document.rubrics[0].criteria[0].id).toMatch(/^c-[0-9a-f]{12}$/);
    const task = JSON.parse((await desk.run('show', 'last', '--task', 'late', '--json')).out);
    expect(task.criteria).toEqual(document.rubrics[0].criteria);
    expect(JSON.stringify([document, task])).not.toMatch(CONTENT);
  });

  test.each([
    ['offline/mumbles', 'the judge gave no readable verdict'],
    ['offline/twice', 'the judge gave no readable verdict'],
    ['offline/silent', 'the judge could not be reached'],
  ])('by %s is not judged, which is not a score of 0', async (model, words) => {
    desk.configure({ judge: { model } });
    const { code, out } = await runTone();
    expect([code, out.includes('NOT JUDGED'), out.includes('2 unscored')]).toEqual([3, true, true]);
    expect(out).toContain(words);
    const shown = (await desk.run('show', 'last', '--task', 'rude')).out;
    expect(shown).toContain('unscored');
    expect(shown).toContain(words);
  });

  test('tells what was found in an answer, also in a task that passed', async () => {
    const key = `AKIA${'QWERTYUIOPASDFGH'}`;
    desk.write('agent.mjs', `export default () => 'Take ${key} and be happy.';`);
    desk.write('one.suite.json', {
      suiteId: 'local.test.evals.one',
      version: '1.0.0',
      modes: ['golden'],
      tasks: ['a', 'b'].map((taskId) => ({
        taskId,
        input: {},
        expected: { kind: 'golden', match: { strategy: 'contains', value: 'happy' } },
      })),
    });
    const { code, out } = await desk.run('run', 'one.suite.json', '--markdown', 'm.md', '--junit', 'j.xml');
    expect(code).toBe(0);
    expect(out).toContain('! secret-leak (critical)  2 tasks: a, b');
    expect(read('m.md')).toContain('| secret-leak | critical | 2: a, b |');
    expect(read('j.xml')).toContain('secret-leak (critical): 2 tasks');
    expect((await desk.run('show', 'last', '--task', 'a')).out).toContain('finding: secret-leak (critical)');
    const document = JSON.parse((await desk.run('show', 'last', '--json')).out);
    expect(document.findings).toEqual([{ kind: 'secret-leak', severity: 'critical', taskIds: ['a', 'b'] }]);
    expect(out + read('m.md') + read('j.xml')).not.toContain(key);
  });
});

describe('rejudge', () => {
  test('puts both verdicts side by side, and asks no agent', async () => {
    await runTone();
    rmSync(join(desk.cwd, 'agent.mjs'));
    const { code, out } = await desk.run('rejudge', 'last', '--judge', 'offline/mild');
    expect(code).toBe(0);
    expect(steady(out)).toMatchSnapshot();
    expect(out).not.toMatch(CONTENT);
    const again = await desk.run('rejudge', 'last', '--judge', 'offline/strict', '--bodies');
    expect(again.code).toBe(1);
    expect(again.out).toContain('≠ SENTENCE-TWO: it promises no date.  1 of 1 differ');
    expect(again.out).toContain('↓ late     1.00 → 0.70  now fails');
  });

  test('as JSON compares only what judges decided', async () => {
    const source = JSON.parse((await runTone('--json')).out);
    const { out } = await desk.run('rejudge', source.runId, '--judge', 'offline/mild', '--json');
    const document = JSON.parse(out);
    expect(document).toMatchObject({
      exitCode: 0,
      rejudgeOf: source.runId,
      judge: { model: 'mild' },
      judgeUsd: 0.004,
      comparison: {
        before: { runId: source.runId, judge: { model: 'strict' }, passed: false },
        after: { runId: document.runId, judge: { model: 'mild' }, score: 1, passed: true },
        tasks: { same: 0, better: 2, worse: 0, unscored: 0 },
        changed: [
          { taskId: 'late', before: { score: 0.7, passed: false }, after: { score: 1, passed: true } },
          { taskId: 'rude', before: { score: 0, passed: false }, after: { score: 1, passed: true } },
        ],
        // Of four criteria one is a check, which would agree with anybody.
        criteria: { compared: 3, agreement: 1 / 3, kappa: 0, confusion: { tp: 1, fp: 2, fn: 0, tn: 0 } },
      },
    });
    expect(document.comparison.disputed).toHaveLength(2);
    expect(out).not.toMatch(CONTENT);
  });

  test('by a judge that cannot be read ends with 3 and says which tasks nobody can compare', async () => {
    await runTone();
    const { code, out } = await desk.run('rejudge', 'last', '--judge', 'offline/mumbles');
    expect(code).toBe(3);
    expect(out).toContain('? late     0.70 → unscored');
    expect(out).toContain('2 tasks: 0 as before, 0 higher, 0 lower, 2 not judged by one of the two');
    expect(out).not.toContain('kappa');
  });

  test.each<[string, string[], object, string]>([
    ['a model that is not there', ['--judge', 'nobody/x'], {}, '--judge Model nobody/x is asked for'],
    ['no judge at all', [], { judge: undefined }, '--judge No judge is configured.'],
  ])('with %s is refused before a run is made', async (_what, more, config, words) => {
    await runTone();
    desk.configure(config);
    const { code, err } = await desk.run('rejudge', 'last', ...more);
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
    expect(JSON.parse((await desk.run('runs', '--json')).out).items).toHaveLength(1);
  });

  test('of a run that needs no judge is refused, and says so', async () => {
    desk.write('tone.suite.json', suite({ tasks: [rubricTask('late', [['[check:json] It is JSON.', 1]])] }));
    await runTone();
    const { code, err } = await desk.run('rejudge', 'last');
    expect([code, err]).toEqual([2, expect.stringContaining('the run: No task of the run needs a judge')]);
  });

  test('that was interrupted is resumed without the agent and the suite file', async () => {
    const { runId } = JSON.parse((await runTone('--json')).out) as { runId: RunId };
    // Made and not driven, as if the process had ended in between.
    const settings = { data: '.touchstone', json: false, color: false };
    await withTouchstone({ io: desk.io, settings }, 'work', ({ touchstone, principal }) =>
      touchstone.rejudge(principal, runId, {}, { origin: 'cli', start: false }),
    );
    rmSync(join(desk.cwd, 'agent.mjs'));
    rmSync(join(desk.cwd, 'tone.suite.json'));
    desk.configure({ agents: [] });
    const { code, out } = await desk.run('run', '--resume', '--json');
    expect([code, JSON.parse(out).rejudgeOf]).toEqual([1, expect.stringMatching(/^run-/)]);
  });
});

const label = (output: string, criterion: string, met: boolean, more: object = {}): string =>
  `${JSON.stringify({ output, criterion, met, ...more })}\n`;
const LABELS = [
  label('ANSWER-LATE', 'SENTENCE-ONE.', true, { id: 'first', input: 'x' }),
  label('ANSWER-LATE', 'SENTENCE-TWO.', false, { input: 'x' }),
  '\n',
  label('ANSWER-RUDE', 'SENTENCE-THREE.', true, { id: 'third' }),
  label('ANSWER-RUDE', '[check:length {"max":3}] SENTENCE-CHECK.', false),
  label('ANSWER-LATE', 'SENTENCE-ONE.', false, { input: 'x', id: 'another person' }),
].join('');

describe('judge check', () => {
  const check = (...more: string[]) => desk.run('judge', 'check', 'labels.jsonl', ...more);
  beforeEach(() => desk.write('labels.jsonl', LABELS));

  test('tells agreement, kappa, confusion, cost and the lines that differ, and no content on a pipe', async () => {
    const { code, out } = await check();
    expect(code).toBe(0);
    expect(out).toMatchSnapshot();
    expect(out).not.toMatch(CONTENT);
    const shown = await check('--bodies');
    for (const words of ['SENTENCE-THREE.', '"ANSWER-RUDE"', 'REASON-UNMET.'])
      expect(shown.out).toContain(words);
  });

  test('as JSON asks once for equal answers, and keeps checks out of kappa', async () => {
    const document = JSON.parse((await check('--json')).out);
    expect(document).toMatchObject({
      exitCode: 0,
      labels: 5,
      questions: 2,
      costUsd: 0.02,
      unpriced: 0,
      judged: { confusion: { tp: 1, fp: 1, fn: 1, tn: 1 }, agreement: 0.5, kappa: 0 },
      checks: { confusion: { tp: 0, fp: 0, fn: 0, tn: 1 }, agreement: 1 },
      disagreements: [
        { line: 4, id: 'third', by: 'judge', label: true, verdict: false },
        { line: 6, id: 'another person', by: 'judge', label: false, verdict: true },
      ],
      undecided: [],
    });
    expect(JSON.stringify(document)).not.toMatch(CONTENT);
  });

  test.each([
    ['0', 0],
    ['0.01', 1],
  ])('with --min-kappa %s ends with %i', async (least, code) => {
    expect((await check('--min-kappa', least)).code).toBe(code);
  });

  test('a kappa that is undefined is not enough, and does not pass for one', async () => {
    desk.write('labels.jsonl', label('ANSWER-RUDE', 'SENTENCE-THREE.', false));
    const { code, out } = await check('--min-kappa', '-1');
    expect([code, out]).toEqual([1, expect.stringContaining('kappa       undefined')]);
    desk.write('labels.jsonl', label('x', '[check:json] JSON.', false));
    expect(await check('--min-kappa', '0')).toMatchObject({ code: 2, out: '' });
  });

  test.each([
    ['offline/mumbles', '4 unreadable'],
    ['offline/twice', '4 unreadable'],
    ['offline/silent', '4 without an answer'],
  ])('by %s ends with 3, and checks are decided all the same', async (model, words) => {
    const { code, out } = await check('--judge', model, '--min-kappa', '0.9');
    expect(code).toBe(3);
    expect(out).toContain(words);
    expect(out).toContain('checks      100 % (1 of 1), decided without a judge');
  });

  test('checks alone need no judge', async () => {
    desk.configure({ judge: undefined });
    desk.write('labels.jsonl', label('[1]', '[check:json] JSON.', true));
    const { code, out } = await check();
    expect([code, out]).toEqual([0, expect.not.stringContaining('kappa')]);
    desk.write('labels.jsonl', LABELS);
    expect(await check()).toMatchObject({ code: 2, err: expect.stringContaining('No judge is configured.') });
  });

  test('names every bad line, and none of what stands there', async () => {
    const lines = [
      'SENTENCE',
      '[]',
      '{"output":"ANSWER","criterion":"","met":"yes","id":3}',
      '{"criterion":"SENTENCE","met":true,"answer":"ANSWER"}',
      '{"output":1,"criterion":"[check:nothing] SENTENCE","met":true}',
      '{"output":1,"criterion":"[check:tool-called {\\"tool\\":\\"x\\"}] SENTENCE","met":true}',
    ];
    desk.write('labels.jsonl', lines.join('\r\n'));
    const { code, out, err } = await check();
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatchInlineSnapshot(`
      "error validation_error: 9 things are wrong:
        labels.jsonl:1 / Expected one JSON object on this line.
        labels.jsonl:2 / Expected one JSON object on this line.
        labels.jsonl:3 /met Expected true or false.
        labels.jsonl:3 /id Expected a string that is not empty.
        labels.jsonl:3 /criterion Expected a sentence.
        labels.jsonl:4 / A label has id, input, output, criterion, met, by, at, seen and nothing else.
        labels.jsonl:4 /output Expected the answer that was judged.
        labels.jsonl:5 /criterion There is no such check. Known are: contains, excludes, equals, starts-with, ends-with, regex, length, number, distance, overlap, cites, refused, not-refused, format, json, schema, contains-json, json-subset, latency, cost, tokens, tool-called, tool-not-called, tool-sequence, tool-no-repeat, tool-valid, turns, any, all, scorer, similar, judge.
        labels.jsonl:6 /criterion Check tool-called is about the calls of a run, and a label has none.
      "
    `);
    desk.write('labels.jsonl', label('x', '[check:regex {"pattern":"("}] SENTENCE', true));
    expect((await check()).err).toContain('labels.jsonl:1 /criterion The pattern of this check');
    desk.write('labels.jsonl', '\n');
    expect((await check()).err).toContain('There is no label in labels.jsonl.');
    expect((await desk.run('judge', 'check', 'nothing.jsonl')).err).toContain('Cannot read nothing.jsonl');
  });

  test('is interrupted without a half-finished kappa', async () => {
    let asked = (): void => undefined;
    const question = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const server = createServer(() => asked()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    desk.configure({
      providers: { slow: { kind: 'openai-compatible', baseUrl: `http://127.0.0.1:${port}/v1` } },
      judge: { model: 'slow/judge' },
    });
    const running = check();
    await question;
    desk.signal('SIGINT');
    expect(await running).toMatchObject({ code: 130, out: '', err: expect.stringContaining('Interrupted') });
    server.closeAllConnections();
    server.close();
  });
});

describe('doctor', () => {
  test('looks at the judges and the safety policy', async () => {
    desk.write('policy.json', { severities: { 'pii-email': 'low' } });
    desk.configure({
      judge: { model: 'offline/strict', votes: 3 },
      safety: { policy: 'policy.json', judge: 'nobody/x' },
    });
    const { code, out } = await desk.run('doctor');
    expect(code).toBe(1);
    expect(out).toMatch(/! judge +judge\.model: offline\/strict, 3 votes, a mock/);
    expect(out).toMatch(/✗ judge +safety\.judge: Model nobody\/x is asked for/);
    expect(out).toMatch(/✓ safety +policy\.json is a policy/);
  });

  test('names the variable of a judge’s credential, and what is wrong with a policy', async () => {
    desk.write('policy.yaml', 'severities: { pii-email: grave }');
    desk.configure({
      providers: {
        web: { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1', apiKeyEnv: 'JUDGE_KEY' },
      },
      judge: { model: 'web/judge' },
      safety: { policy: 'policy.yaml' },
    });
    const { out } = await desk.run('doctor');
    expect(out).toMatch(/✗ judge +judge.model: .*JUDGE_KEY/);
    expect(out).toMatch(/✗ safety +policy.yaml: \S+policy.yaml:1:15 \/severities\/pii-email/);
    expect((await desk.run('runs')).code).toBe(0);
  });
});

test('validate finds patterns and schemas that no run could use, with their lines', async () => {
  const criterion = (text: string): string => `        - { criterion: '${text}', weight: 1 }\n`;
  desk.write(
    'bad.suite.yaml',
    `suiteId: local.test.evals.bad\nversion: 1.0.0\nmodes: [rubric]\ntasks:\n  - taskId: a\n    input: x\n    expected:\n      kind: rubric\n      rubric:\n${criterion('[check:regex {"pattern":"(?=a)"}] No look-ahead.')}${criterion('[check:schema {"schema":{"type":"thing"}}] No schema.')}`,
  );
  const { code, out } = await desk.run('validate', 'bad.suite.yaml');
  expect(code).toBe(2);
  expect(out).toContain('bad.suite.yaml:10:24 /tasks/0/expected/rubric/0/criterion The pattern');
  expect(out).toContain('bad.suite.yaml:11:24 /tasks/0/expected/rubric/1/criterion');
  expect(out).toContain('2 problems in 1 file');
  expect((await desk.run('validate', 'tone.suite.json')).code).toBe(0);
  desk.write(
    'tone.suite.json',
    suite({ tasks: [rubricTask('a', [['[check:regex {"pattern":"("}] x', 1]])] }),
  );
  expect((await desk.run('validate', 'tone.suite.json')).out).toMatch(/tone\.suite\.json:1:\d+ \/tasks\/0/);
});

describe('init --adversarial', () => {
  const STARTER = 'evals/adversarial-starter.suite.yaml';

  test('adds the suite to a new project, and both run as they are', async () => {
    const { code, out } = await desk.run('init', 'new', '--adversarial');
    expect(code).toBe(0);
    expect(out).toContain(`cd new && touchstone run ${STARTER}`);
    renameSync(join(desk.cwd, 'new/agent.mjs'), join(desk.cwd, 'agent.mjs'));
    const run = await desk.run('run', `new/${STARTER}`, '--agent', 'agent.mjs', '--json');
    expect(JSON.parse(run.out)).toMatchObject({ exitCode: 1, unscored: [], summary: { taskCount: 97 } });
  });

  test('adds nothing else to a project that is there, and overwrites nothing', async () => {
    const before = read('touchstone.config.json');
    const { code, out } = await desk.run('init', '--adversarial', '--json');
    expect([code, JSON.parse(out).files]).toEqual([0, [STARTER]]);
    expect(read('touchstone.config.json')).toBe(before);
    expect(existsSync(join(desk.cwd, 'evals/first.suite.yaml'))).toBe(false);
    desk.write(STARTER, 'mine');
    expect((await desk.run('init', '--adversarial')).code).toBe(2);
    expect(read(STARTER)).toBe('mine');
  });
});
