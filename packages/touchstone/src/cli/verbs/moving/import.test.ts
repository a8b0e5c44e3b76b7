import { describe, expect, it } from 'vitest';
import { importFiles, lines, shownItems } from '../../testing/import-cli.js';
import { openTestCli } from '../../testing/test-cli.js';

const ROWS = 'input,expected\nCapital of France?,Paris\nCapital of Italy?,Rome\n';
const PROMPTFOO = {
  prompts: ['{{q}}'],
  providers: ['echo'],
  tests: [
    { vars: { q: 'a' }, assert: [{ type: 'contains', value: 'a' }, { type: 'is-sql' }] },
    { vars: { q: 'b' }, assert: [{ type: 'is-html' }] },
    { vars: { q: 'c' } },
  ],
};

describe('an import', () => {
  it('writes a suite that is valid, its report in two forms, and one line about what was carried over', async () => {
    const { cli, code, err } = await importFiles({ 'tests.csv': ROWS }, 'tests.csv');
    expect(code).toBe(0);
    expect(err).toBe('2 of 2 tests, 2 of 2 assertions carried over; nothing lost: import-report.md\n');
    expect(cli.has('out/import-report.md')).toBe(true);
    expect(cli.has('out/moved.config.json')).toBe(false);
    expect((await cli.run('validate', 'out/moved.suite.yaml')).code).toBe(0);
  });

  it('lists what was lost with its line, and leaves out tests that would pass with any answer', async () => {
    const result = await importFiles({ 'p.json': JSON.stringify(PROMPTFOO, null, 1) }, 'p.json');
    expect(result.code).toBe(0);
    expect(result.err).toBe('1 of 3 tests, 1 of 3 assertions carried over; 3 lost: import-report.md\n');
    expect(shownItems(result)).toEqual([
      'lost p.json:18 assertion is-sql: nothing here stands for it',
      'note p.json:23 test: left out, because none of its assertions could be carried over',
      'lost p.json:28 assertion is-html: nothing here stands for it',
      'lost p.json:33 test: left out, because it has no assertion and would pass with any answer',
    ]);
    expect(result.cli.read('out/import-report.md')).toContain(
      '`p.json:18:5` `/tests/0/assert/1`: assertion is-sql',
    );
  });

  it('ends with 1 under --strict when anything was lost, and with 0 otherwise', async () => {
    const lossy = await importFiles({ 'p.json': PROMPTFOO }, 'p.json', '--strict');
    expect(lossy.code).toBe(1);
    expect(lossy.cli.has('out/moved.suite.yaml')).toBe(true);
    expect((await importFiles({ 'tests.csv': ROWS }, 'tests.csv', '--strict')).code).toBe(0);
  });

  it('writes nothing when a target is there, unless it is told to overwrite', async () => {
    const cli = openTestCli();
    cli.write('tests.csv', ROWS);
    cli.write('out/import-report.md', 'mine');
    const refused = await cli.run('import', 'tests.csv', '-o', 'out');
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('out/import-report.md');
    expect(cli.has('out/tests.suite.yaml')).toBe(false);
    expect((await cli.run('import', 'tests.csv', '-o', 'out', '--force')).code).toBe(0);
    expect(cli.read('out/import-report.md')).toContain('# Import of rows');
  });

  it('leaves nothing in a folder of suites that would be taken for one', async () => {
    const cli = openTestCli();
    const chat = JSON.stringify([{ role: 'user', content: '{{q}}' }]);
    cli.write('p.json', { ...PROMPTFOO, prompts: [chat, 'Say {{q}}'], providers: ['echo', 'ollama:x'] });
    expect((await cli.run('import', 'p.json', '-o', 'evals')).code).toBe(0);
    expect(cli.written.out).toContain(
      'run evals/p.suite.yaml --config evals/p.config.json --agent local.p.echo-prompt-1',
    );
    const { code, out } = await cli.run('validate', 'evals', '--json');
    expect(code).toBe(0);
    expect(out).toContain('evals/p.suite.yaml');
  });

  it('gives one document with --json', async () => {
    const { out } = await importFiles({ 'tests.csv': ROWS }, 'tests.csv', '--json');
    expect(JSON.parse(out)).toMatchObject({
      format: 'rows',
      suiteId: 'local.test.evals.moved',
      files: ['out/moved.suite.yaml', 'out/import-report.md', 'out/import-report.json'],
      tests: { all: 2, carried: 2 },
      lost: 0,
      items: [],
    });
  });

  it('names the suite by its file when nobody names it', async () => {
    const cli = openTestCli();
    cli.write('My Tests.csv', ROWS);
    await cli.run('import', 'My Tests.csv');
    expect(cli.read('my-tests.suite.yaml')).toContain('suiteId: local.imported.evals.my-tests');
  });

  it('ends with 2 when no test is left, and writes nothing', async () => {
    const { cli, code, err } = await importFiles(
      { 'p.json': { ...PROMPTFOO, tests: [{ vars: {} }] } },
      'p.json',
    );
    expect(code).toBe(2);
    expect(err).toContain('None of 1 tests could be carried over. p.json:1: test: left out');
    expect(cli.has('out/import-report.md')).toBe(false);
  });

  it('ends with 2 and the line when a file cannot be read', async () => {
    const { code, err } = await importFiles(
      { 'a.jsonl': '{"input":"a","expected":"b"}\n{"input":\n' },
      'rows',
      'a.jsonl',
    );
    expect(code).toBe(2);
    expect(err).toContain('a.jsonl:2');
  });

  it('gives ids by what the source has, else by the number of the test, and tells equal ones apart', async () => {
    const rows = [
      { id: 'Late delivery!', input: 'a', expected: 'x' },
      { id: 'late-delivery', input: 'b', expected: 'x' },
      { input: 'c', expected: 'x' },
    ];
    const { tasks } = await importFiles({ 'a.jsonl': lines(rows) }, 'rows', 'a.jsonl');
    expect(tasks.map(({ taskId }) => taskId)).toEqual(['late-delivery', 'late-delivery-2', 't-0003']);
  });
});

describe('without the name of a format', () => {
  it.each([
    [
      'promptfoo',
      'a.yaml',
      'prompts: [x]\nproviders: [echo]\ntests: [{vars: {}, assert: [{type: contains, value: x}]}]\n',
    ],
    ['promptfoo', 'a.csv', 'q,__expected\na,a\n'],
    ['langsmith', 'a.jsonl', '{"inputs":{"q":"a"},"outputs":{"a":"b"}}\n'],
    ['braintrust', 'a.jsonl', '{"input":"a","expected":"b","metadata":{}}\n'],
    ['langfuse', 'a.jsonl', '{"input":"a","expectedOutput":"b"}\n'],
    ['deepeval', 'a.json', '[{"input":"a","expected_output":"b"}]'],
    ['rows', 'a.csv', 'question,answer\na,b\n'],
  ])('the shape decides: %s %s', async (format, name, content) => {
    const { out } = await importFiles({ [name]: content }, name, '--json');
    expect(JSON.parse(out)).toMatchObject({ format });
  });

  it('names both formats when two fit, and ends with 2', async () => {
    const row = { inputs: {}, outputs: {}, input: 'a', expectedOutput: 'b' };
    const { code, err } = await importFiles({ 'a.jsonl': lines([row]) }, 'a.jsonl');
    expect(code).toBe(2);
    expect(err).toContain('a.jsonl may be langsmith or langfuse.');
  });

  it('rows with input and ideal are of OpenAI Evals, which needs their class', async () => {
    const files = { 'a.jsonl': '{"input":"a","ideal":"b"}\n' };
    const { code, err } = await importFiles(files, 'a.jsonl');
    expect(code).toBe(2);
    expect(err).toContain('--class');
  });
});

describe('what was typed', () => {
  it.each([
    [['import', 'nothing.csv'], 'There is no file nothing.csv.'],
    [['import', 'promtfoo', 'a.csv'], 'There is no file or format promtfoo.'],
    [['import', 'rows'], 'A file of rows is missing.'],
    [['import', 'a.csv', '--id', 'no id'], 'no id is no suite id.'],
    [['import', 'a.csv', '--map', 'question'], 'Expected --map to give columns'],
    [['import', 'rows', 'a.csv', '--class', 'Match'], '--class means nothing for rows.'],
    [['import', 'a.csv', '--expect', 'trajectory'], 'Expected --expect to be one of exact, contains'],
    [['import', 'a.csv', '--map', 'input=nope'], '--map input=nope: no row has that.'],
  ])('%j is refused with 2', async (typed, words) => {
    const cli = openTestCli();
    cli.write('a.csv', ROWS);
    const { code, err } = await cli.run(...typed);
    expect(code).toBe(2);
    expect(err).toContain(words);
  });
});
