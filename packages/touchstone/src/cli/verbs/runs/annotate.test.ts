import type { RunId } from '@touchstone/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LOCAL_OWNER } from '../../local.js';
import { type EvidenceCli, openEvidenceCli, steady } from '../../testing/evidence-cli.js';

let desk: EvidenceCli;
let runId: RunId;
beforeEach(async () => {
  desk = openEvidenceCli();
  runId = await desk.runSuite();
});
afterEach(() => desk.close());

const annotate = (...argv: string[]) => desk.run('annotate', 'last', ...argv);
const report = () => desk.inStore((touchstone) => touchstone.report(LOCAL_OWNER, runId));
const OVERRIDE = ['--task', 'late', '--passed', '--note', 'WORDS-NOTE'];

describe('an override', () => {
  test('shows the automatic result and the adjusted one side by side', async () => {
    const { code, out } = await annotate(...OVERRIDE);
    expect(code).toBe(0);
    expect(steady(out)).toMatchInlineSnapshot(`
      "  ✓ Recorded: override to passed
          on task late of run run-…

                 automatic    adjusted
        late     0.00 failed  1.00 passed
        the run  0.67 failed  1.00 passed

        The log and its scorecard stay as they are; reports show both results.
      "
    `);
  });

  test('adds what the report adjusts, and changes nothing else', async () => {
    const events = async () => (await desk.run('show', runId, '--events', '--json', '--bodies')).out;
    const [before, log] = [await report(), await events()];
    const file = desk.read(await desk.exported());
    const { out } = await annotate(...OVERRIDE, '--json');
    const { adjusted, ...rest } = await report();
    expect(before.adjusted).toBeUndefined();
    expect(rest).toEqual(before);
    expect(adjusted).toMatchObject({
      score: 1,
      passed: true,
      overrides: [{ taskId: 'late', before: { score: 0, passed: false }, after: { score: 1, passed: true } }],
    });
    expect(await events()).toBe(log);
    expect(desk.read(await desk.exported())).toBe(file);
    expect(JSON.parse(out)).toMatchObject({
      target: { runId, taskId: 'late' },
      override: { score: 1, passed: true },
      automatic: { passed: false, task: { score: 0, passed: false } },
      adjusted: { score: 1, passed: true, task: { score: 1, passed: true } },
      by: 'cli',
    });
  });

  test.each([
    [['--score', '0.9'], 'late', 0.9, false],
    [['--score', '0'], 'early', 0, false],
    [['--failed'], 'early', 0, false],
  ])('by %j is the score that the report then counts', async (argv, task, value, passed) => {
    await annotate('--task', task, ...argv, '--note', 'so');
    const { adjusted } = await report();
    expect(adjusted?.overrides).toMatchObject([{ taskId: task, after: { score: value, passed } }]);
  });

  test('by a later one is replaced', async () => {
    await annotate(...OVERRIDE);
    await annotate('--task', 'late', '--score', '0.25', '--note', 'on second thoughts');
    const { adjusted } = await report();
    expect(adjusted?.overrides).toMatchObject([{ after: { score: 0.25 }, replaced: 1 }]);
    expect((await annotate('--list')).out).toContain('override to passed, which a later one replaced');
  });
});

describe('a remark', () => {
  test.each([
    [['--rating', '4'], { kind: 'rating', rating: 4 }],
    [['--label', 'WORDS-LABEL'], { kind: 'label', label: 'WORDS-LABEL' }],
    [['--flag'], { kind: 'flag' }],
    // Not even the very words of an override are one, unless they are said as one.
    [['--correction', '{"score":1}', '--note', 'so'], { kind: 'correction', correction: '{"score":1}' }],
  ])('%j is kept, of the run or of a task, and adjusts nothing', async (argv, signal) => {
    expect((await annotate(...argv)).code).toBe(0);
    expect((await annotate(...argv, '--task', 'late')).code).toBe(0);
    const kept = await desk.inStore(({ annotations }) => annotations.list(LOCAL_OWNER, runId));
    expect(kept).toMatchObject([{ signal }, { signal, nodeId: 'late' }]);
    expect((await report()).adjusted).toBeUndefined();
  });
});

describe('--list', () => {
  test('shows words on a terminal and where they are asked for, and nowhere else', async () => {
    expect((await annotate('--list')).out).toContain('Nobody has said anything about this run.');
    await annotate(...OVERRIDE);
    await annotate('--correction', 'WORDS-CORRECTION', '--task', 'early');
    await annotate('--label', 'WORDS-LABEL');
    const { out } = await annotate('--list');
    expect(steady(out)).toMatchInlineSnapshot(`
      "  override to passed · task late · by cli · <when>
        correction · task early · by cli · <when>
        label · the run · by cli · <when>
      "
    `);
    expect((await annotate('--list')).err).toBe('Add --bodies to see the words.\n');
    const json = (await annotate('--list', '--json')).out;
    expect(out + json).not.toContain('WORDS');
    expect((await annotate('--list', '--bodies')).out).toContain('should be WORDS-CORRECTION');
    const screen = openEvidenceCli({ isTTY: true, env: { NO_COLOR: '1' }, cwd: desk.cwd });
    const shown = [
      (await annotate('--list', '--bodies')).out,
      (await annotate('--list', '--bodies', '--json')).out,
      (await screen.run('annotate', 'last', '--list')).out,
    ];
    for (const text of shown)
      for (const words of ['WORDS-NOTE', 'WORDS-CORRECTION', 'WORDS-LABEL']) expect(text).toContain(words);
  });
});

test.each([
  [[], 'What is to be said of it?', '--list'],
  [['--rating', '6'], 'whole number from 1 to 5', ''],
  [['--score', '1.5', '--task', 'late', '--note', 'x'], 'a number from 0 to 1', ''],
  [['--rating', '3', '--flag'], '--rating, --flag say different things', 'second command'],
  [['--passed', '--failed', '--task', 'late', '--note', 'x'], '--passed, --failed say different things', ''],
  [['--passed'], '--passed overrides a score, which needs --task and --note', '--note "'],
  [['--score', '0.5', '--task', 'late'], 'needs --note', '--score 0.5'],
  [['--passed', '--task', 'late', '--note', ' '], '--note is empty', ''],
  [['--label', ''], '--label is empty', ''],
  [['--passed', '--task', 'lat', '--note', 'x'], 'has no finished task lat', 'Did you mean late?'],
  [['--flag', '--task', 'lat'], 'has no finished task lat', 'Did you mean late?'],
  [['--list', '--flag'], '--list only looks', ''],
])('annotate %j is refused, and nothing is kept', async (argv, words, hint) => {
  const { code, err } = await annotate(...argv);
  expect([code, err]).toEqual([2, expect.stringContaining(words)]);
  expect(err).toContain(hint);
  expect(await desk.inStore(({ annotations }) => annotations.list(LOCAL_OWNER, runId))).toEqual([]);
});
