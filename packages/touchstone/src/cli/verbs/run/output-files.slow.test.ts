import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { openPackCli } from '../../testing/pack-cli.js';
import { openTestCli, type TestCli } from '../../testing/test-cli.js';

const CANARIES = ['canary-input', 'canary-output', 'canary-expected', 'canary-sentence', 'canary-call'];
const SUITE = `suiteId: local.test.evals.files
version: 1.0.0
tasks:
  - taskId: gold
    tags: [easy, "=cmd"]
    input: { q: canary-input }
    expected: { kind: golden, match: { strategy: exact, value: canary-expected } }
  - taskId: rubric
    input: { q: canary-input two }
    expect:
      - { contains: canary-missing, says: canary-sentence }
      - { not-refused: {} }
    fixtures:
      toolResponses: [{ tool: "local:kb.search", response: canary-call }]
`;
const AGENT = `export default async ({ q }, ctx) => {
  if (q.endsWith('two')) await ctx.tools.call('local:kb.search', { q: 'canary-call' });
  return '=canary-output, "quoted"\\nsecond line </script> \\u2028';
};`;
const RUN = ['run', 'files.suite.yaml', '--agent', './agent.mjs'];

let cli: TestCli;
beforeEach(() => {
  cli = openTestCli();
  cli.write('files.suite.yaml', SUITE);
  cli.write('agent.mjs', AGENT);
});
afterEach(() => cli.close());

const FILES = ['r.jsonl', 'r.csv', 'r.html', 'r.sarif'];
const outputs = FILES.flatMap((name) => ['--output', name]);
const rowsOf = (name: string) =>
  cli
    .read(name)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('files of every task', () => {
  it('are written by run, show and export, and say that content was left out', async () => {
    await cli.run(...RUN, ...outputs);
    const verbs = { run: FILES.map((name) => cli.read(name)) };
    await cli.run('show', 'last', ...outputs);
    expect(FILES.map((name) => cli.read(name))).toEqual(verbs.run);
    const { code, out } = await cli.run('export', 'last', ...outputs, '--json');
    expect([code, JSON.parse(out).files]).toEqual([0, FILES]);
    expect(FILES.map((name) => cli.read(name))).toEqual(verbs.run);
    for (const text of verbs.run) {
      expect(text).toContain('left-out');
      for (const canary of CANARIES) expect(text).not.toContain(canary);
    }
  });

  it('hold content with --bodies, except SARIF', async () => {
    await cli.run(...RUN, ...outputs, '--bodies');
    for (const canary of CANARIES)
      for (const name of ['r.jsonl', 'r.html']) expect(cli.read(name)).toContain(canary);
    for (const canary of CANARIES) expect(cli.read('r.sarif')).not.toContain(canary);
  });

  it('have one JSON document a line for each task and repeat', async () => {
    await cli.run(...RUN, '--repeats', '2', '--output', 'r.jsonl', '--bodies');
    const rows = rowsOf('r.jsonl');
    expect(rows.map(({ taskId, repeat }: { taskId: string; repeat: number }) => [taskId, repeat])).toEqual([
      ['gold', 0],
      ['gold', 1],
      ['rubric', 0],
      ['rubric', 1],
    ]);
    expect(rows[0]).toMatchObject({
      suite: 'local.test.evals.files@1.0.0',
      agent: 'local.cli.agent@0.0.0',
      score: 0,
      passed: false,
      outcome: 'completed',
      latencyMs: expect.any(Number),
      criteria: [],
      findings: [],
      tags: ['easy', '=cmd'],
      content: 'included',
      expected: { kind: 'golden' },
    });
    expect(rows[2]).toMatchObject({
      score: 0.5,
      criteria: [{ met: 0, check: 'contains', text: 'canary-sentence' }, { met: 1 }],
      reasons: [{ criterion: expect.any(String), reason: expect.stringContaining('canary-missing') }],
      toolCalls: [{ toolId: 'local:kb.search', inputs: { q: 'canary-call' }, status: 'ok' }],
    });
  });

  it('are CSV that a spreadsheet takes for text', async () => {
    await cli.run(...RUN, '--output', 'r.csv', '--bodies');
    const text = cli.read('r.csv');
    expect(text.split('\r\n')[0]).toBe(
      'runId,suite,agent,taskId,repeat,score,passed,unscored,outcome,latencyMs,costUsd,inputTokens,outputTokens,criteria,findings,tags,content,input,output,expected,toolCalls,reasons',
    );
    expect(text).toContain(`,"'=canary-output, ""quoted""\nsecond line </script> \u2028",`);
    expect(text).toContain(',easy; =cmd,');
  });

  it('have no tags when the suite file has changed since the run', async () => {
    await cli.run(...RUN);
    cli.write('files.suite.yaml', SUITE.replace('canary-input', 'other'));
    await cli.run('show', 'last', '--output', 'r.jsonl');
    expect(rowsOf('r.jsonl')[0].tags).toEqual([]);
  });

  it('hold whole answers, however many pages they take', async () => {
    cli.write('agent.mjs', 'export default () => "x".repeat(900_000);');
    await cli.run(...RUN, '--repeats', '6', '--output', 'r.jsonl', '--bodies');
    const lengths = rowsOf('r.jsonl').map(({ output }: { output: string }) => output.length);
    expect(lengths).toEqual(Array.from({ length: 12 }, () => 900_000));
  });

  it('take the place of an earlier file at once, so that whoever has it open reads the whole earlier one', async () => {
    cli.write('r.jsonl', 'earlier');
    const earlier = openSync(join(cli.cwd, 'r.jsonl'), 'r');
    await cli.run(...RUN, '--output', 'r.jsonl');
    expect(rowsOf('r.jsonl')).not.toEqual([]);
    expect(readFileSync(earlier, 'utf8')).toBe('earlier');
    closeSync(earlier);
  });

  it.each([
    [['--output', 'r.xml'], 'its name must end in .jsonl, .csv, .html, .sarif'],
    [['--output', 'r.csv', '--output', './r.csv'], '--output and --output are the same file'],
    [['--output', 'r.csv', '--junit', 'r.csv'], '--junit and --output are the same file'],
  ])('are refused for %j before anything runs', async (more, words) => {
    const { code, err } = await cli.run(...RUN, ...more);
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
    expect(JSON.parse((await cli.run('runs', '--json')).out).items).toEqual([]);
  });

  it('of runs side by side hold all runs, and the page their matrix', async () => {
    cli.write('other.mjs', 'export default () => "canary-expected";');
    await cli.run(...RUN, '--agent', './other.mjs', '--output', 'r.jsonl', '--output', 'r.html');
    expect(new Set(rowsOf('r.jsonl').map(({ runId }: { runId: string }) => runId)).size).toBe(2);
    const [, data = ''] = /id="touchstone-file">(.*?)<\/script>/s.exec(cli.read('r.html')) ?? [];
    const { runs, matrix } = JSON.parse(data);
    const tagsOf = ({ snapshot }: { snapshot: { tags: readonly string[] } }) => snapshot.tags[0];
    expect(runs.map(tagsOf)).toEqual(['./agent.mjs', './other.mjs']);
    expect(matrix.runs).toHaveLength(2);
    expect(runs[1].against[runs[0].snapshot.runId].report.regression).toBeDefined();
  });
});

describe('export', () => {
  it('writes the page by --html, as report.html when no name is given, and refuses another kind of name', async () => {
    await cli.run(...RUN);
    expect((await cli.run('export', 'last', '--html')).code).toBe(0);
    expect((await cli.run('export', 'last', '--html', 'page.html', '--bodies')).code).toBe(0);
    expect(cli.read('report.html')).not.toContain('canary');
    expect(cli.read('page.html')).toContain('canary-output');
    const { code, err } = await cli.run('export', 'last', '--html', 'page.txt');
    expect([code, err]).toEqual([2, expect.stringContaining('page.txt does not end in .html')]);
  });

  it('writes no scorecard when only files of tasks are wanted, and both when both are', async () => {
    await cli.run(...RUN);
    await cli.run('export', 'last', '--output', 'r.csv');
    await cli.run('export', 'last', '--output', 'two.csv', '--out', 'card.json');
    expect([cli.has('r.csv'), cli.has('two.csv'), cli.has('card.json')]).toEqual([true, true, true]);
    expect((await cli.run('export', 'last', '--bodies')).code).toBe(2);
    expect((await cli.run('export', 'last', '--output', 'c.csv', '--out', 'c.csv')).code).toBe(2);
  });
});

test('show --all lists every task, and --json has a row for each', async () => {
  await cli.run(...RUN);
  const { out } = await cli.run('show', 'last', '--all');
  expect(out).toMatch(/✗ +gold +0\.00/);
  expect(out).toMatch(/✗ +rubric +0\.50 .*contains/);
  const { tasks } = JSON.parse((await cli.run('show', 'last', '--all', '--json')).out);
  expect(tasks).toMatchObject([
    { taskId: 'gold', content: 'left-out' },
    { taskId: 'rubric', content: 'left-out' },
  ]);
  expect((await cli.run('show', 'last', '--all', '--task', 'gold')).code).toBe(2);
});

test('rows tell the tokens of the agent, where its model is asked by the host', async () => {
  const packs = openPackCli();
  await packs.run('run', 'support', '--output', 'r.jsonl');
  const [line = ''] = packs.read('r.jsonl').split('\n');
  expect(JSON.parse(line).tokens).toEqual({ input: expect.any(Number), output: expect.any(Number) });
  packs.close();
});
