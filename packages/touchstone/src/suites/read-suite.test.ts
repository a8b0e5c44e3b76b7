import { type HostError, type Issue, isHostError } from '@touchstone/protocol';
import { describe, expect, test } from 'vitest';
import { parseSuite, readSuite } from './parse-suite.js';
import type { FileTextOptions } from './text/read-text.js';

const CANARY = 'CANARY 4711';

const YAML = `# Refunds
suiteId: core.acme.evals.refunds
version: 1.2.0
modes: [golden]
tasks:
  - taskId: late
    input:
      question: ${CANARY}
    expected:
      kind: golden
      match: { strategy: exact, value: "yes" }
  - taskId: early
    input: null
    expected:
      kind: golden
      match:
        strategy: contains
        value: no
`;
const VALUE = {
  suiteId: 'core.acme.evals.refunds',
  version: '1.2.0',
  modes: ['golden'],
  tasks: [
    {
      taskId: 'late',
      input: { question: CANARY },
      expected: { kind: 'golden', match: { strategy: 'exact', value: 'yes' } },
    },
    {
      taskId: 'early',
      input: null,
      expected: { kind: 'golden', match: { strategy: 'contains', value: 'no' } },
    },
  ],
};
const JSON_TEXT = JSON.stringify(VALUE, null, 2);

function refusal(text: string, options: FileTextOptions): HostError {
  try {
    readSuite(text, options);
  } catch (error) {
    if (isHostError(error)) return error;
    throw error;
  }
  throw new Error('The suite was accepted.');
}
function places(text: string, options: FileTextOptions): readonly string[] {
  const error = refusal(text, options);
  expect(error.message + JSON.stringify(error.details)).not.toContain(CANARY);
  const { issues } = error.details as { readonly issues: readonly Issue[] };
  return issues.map(({ line, column, pointer }) => `${line}:${column} ${pointer}`);
}
const inYaml = (from: string | RegExp, to: string) => YAML.replace(from, to);

describe('reading a suite', () => {
  test('YAML and JSON of the same suite are the same suite', () => {
    expect(readSuite(YAML, { file: 'refunds.eval.yml' })).toEqual(parseSuite(VALUE));
    expect(readSuite(JSON_TEXT, { file: 'refunds.eval.json' })).toEqual(parseSuite(VALUE));
  });

  test('the format comes from the option, then the extension, then the first character', () => {
    expect(readSuite(JSON_TEXT).head.taskCount).toBe(2);
    expect(readSuite(YAML, { file: 'suite.txt' }).head.taskCount).toBe(2);
    expect(readSuite(JSON_TEXT, { file: 'suite.yaml' }).head.taskCount).toBe(2);
    expect(places(YAML, { format: 'json', file: 'suite.yaml' })).toEqual(['1:1 ']);
  });

  test('a byte order mark is passed over and does not move the columns', () => {
    expect(readSuite(`\uFEFF${JSON_TEXT}`).head).toEqual(readSuite(JSON_TEXT).head);
    expect(readSuite(`\uFEFF${YAML}`, { format: 'yaml' }).head).toEqual(
      readSuite(YAML, { format: 'yaml' }).head,
    );
    expect(places('\uFEFF{"suiteId" 1}', { format: 'json' })).toEqual(['1:12 /suiteId']);
  });

  test('an error names the file it was told of', () => {
    expect(refusal('{', { file: 'evals/a.json' }).details?.file).toBe('evals/a.json');
  });
});

describe('positions in JSON', () => {
  const json = { format: 'json' } as const;

  test('every issue has the line and column of its key, in the order of the file', () => {
    const text = JSON_TEXT.replace('"early"', '"late"').replace('"1.2.0"', '7');
    expect(places(text, json)).toEqual(['3:3 /version', '22:7 /tasks/1/taskId']);
    expect(text.split('\n')[21]?.slice(6)).toMatch(/^"taskId": "late"/);
  });

  test('what is missing is shown at the object that lacks it', () => {
    expect(places(JSON_TEXT.replace('"input": null,', ''), json)[0]).toMatch(/^21:5 \/tasks\/1/);
  });

  test('a syntax error is shown where it stands', () => {
    expect(places(JSON_TEXT.replace('"version": "1.2.0",', '"version": "1.2.0"'), json)).toEqual(['4:3 ']);
  });

  test('a repeated key is an error although the platform would take the last', () => {
    const text = JSON_TEXT.replace('"input": null,', '"input": null, "input": {"\\"a:": ":"},');
    expect(places(text, json)).toEqual(['23:22 /tasks/1/input']);
  });

  test('where the list of a schema’s complaints is cut, the count of the rest stands last', () => {
    const tasks = Array.from({ length: 150 }, () => ({ ...VALUE.tasks[1], taskId: 7 }));
    const found = places(JSON.stringify({ ...VALUE, tasks }, null, 1), json);
    expect(found.length).toBeGreaterThan(100);
    expect(found[0]).toMatch(/ \/tasks\/0\/taskId$/);
    expect(found.slice(0, -1).every((place) => place.includes('/tasks/'))).toBe(true);
  });

  test('windows line ends count once', () => {
    expect(places(JSON_TEXT.replace('"1.2.0"', '7').replaceAll('\n', '\r\n'), json)).toEqual([
      '3:3 /version',
    ]);
  });

  test('a number too large for a double is shown where it stands', () => {
    expect(places(JSON_TEXT.replace('null', '{"n": 1e999}'), json)).toEqual(['23:17 /tasks/1/input/n']);
  });

  test('a value nested too deep is refused with a position', () => {
    const text = JSON_TEXT.replace('null', `${'['.repeat(5000)}${']'.repeat(5000)}`);
    expect(places(text, json)[0]).toMatch(/^23:\d+ \/tasks\/1\/input\/0/);
  });
});

describe('positions in YAML', () => {
  const yaml = { format: 'yaml' } as const;

  test.each<[string, string, readonly string[]]>([
    ['a wrong value', inYaml('version: 1.2.0', 'version: 12'), ['3:1 /version']],
    ['a missing match', inYaml(/ {6}match:\n.*\n.*\n/, ''), ['14:5 /tasks/1/expected']],
    ['a repeated id', inYaml('early', 'late'), ['12:5 /tasks/1/taskId']],
    ['several', inYaml('early', 'late').replace('1.2.0', '12'), ['3:1 /version', '12:5 /tasks/1/taskId']],
    ['a number that is not one', inYaml('input: null', 'input: .nan'), ['13:5 /tasks/1/input']],
    [
      'a key of its own inside flow style',
      inYaml('value: "yes"', 'value: .inf'),
      ['11:33 /tasks/0/expected/match/value'],
    ],
    ['a repeated key', inYaml('input: null', 'input: null\n    input: 1'), ['14:5 ']],
    ['an unknown tag', inYaml('input: null', 'input: !env SECRET'), ['13:12 ']],
    ['a tag of YAML 1.1', inYaml('input: null', 'input: !!binary aGk='), ['13:12 ']],
    ['a merge key', inYaml('input: null', 'input:\n      <<: { a: 1 }'), ['14:7 ']],
    ['a key that is no text', inYaml('input: null', 'input:\n      ? [a]\n      : 1'), ['14:9 ']],
    ['a second document', `${YAML}---\na: 1\n`, ['19:1 ']],
    ['an alias to nothing', inYaml('input: null', 'input: *nowhere'), ['13:12 ']],
    ['an alias inside itself', inYaml('input: null', 'input: &me [1, *me]'), ['13:20 ']],
    ['an older YAML', `%YAML 1.1\n---\n${YAML}`, ['1:1 ']],
    ['an unknown directive', `%HOUSE rules\n---\n${YAML}`, ['1:1 ']],
    ['a tab', inYaml('    input: null', '\tinput: null'), ['13:1 ', '13:9 ']],
    ['a colon in plain text', inYaml(`question: ${CANARY}`, `question: ${CANARY}: x`), ['8:17 ']],
  ])('%s is shown where it stands', (_, text, expected) => {
    expect(places(text, yaml)).toEqual(expected);
  });

  test('what is wrong inside an alias is shown at its anchor', () => {
    const text = inYaml(
      'expected:\n      kind: golden\n      match: {',
      'expected: &same\n      kind: golden\n      mat: {',
    ).replace(/expected:\n {6}kind: golden\n {6}match:\n.*\n.*\n/, 'expected: *same\n');
    expect(places(text, yaml).every((place) => /^(9|1[0-4]):/.test(place))).toBe(true);
  });

  test('scalars are those of the YAML 1.2 core schema', () => {
    const text = inYaml(
      'input: null',
      'input: { a: yes, b: 017, c: 0o17, d: 2026-01-01, e: 1_000, 1: "<<", "<<": ~ }',
    );
    const input = { a: 'yes', b: 17, c: 15, d: '2026-01-01', e: '1_000', '1': '<<', '<<': null };
    expect(readSuite(text, yaml).tasks[1]?.input).toEqual(input);
  });

  test('a shared fixture is written out for each task that names it', () => {
    const text = inYaml(
      'taskId: late',
      'taskId: late\n    fixtures: &shared { toolResponses: [{ tool: "local:a", response: 1 }] }',
    ).replace('taskId: early', 'taskId: early\n    fixtures: *shared');
    const { tasks } = readSuite(text, yaml);
    expect(tasks[1]?.fixtures).toEqual(tasks[0]?.fixtures);
    expect(tasks[1]?.fixtures).not.toBe(tasks[0]?.fixtures);
  });

  test('a mapping of very many keys is read without comparing each with every other', () => {
    const keys = Array.from({ length: 60_000 }, (_, i) => `      k${i}: 1`).join('\n');
    const head = 'suiteId: acme.shop.evals.many\nversion: 1.0.0\nmodes: [golden]\ntasks:\n  - taskId: a\n';
    const text = `${head}    expected: { kind: golden, match: { strategy: exact, value: x } }\n    input:\n${keys}\n`;
    expect(readSuite(text, { format: 'yaml' }).head.taskCount).toBe(1);
  });

  test('an alias bomb and a bottomless nesting are refused in bounded time and memory', () => {
    const levels = Array.from(
      { length: 30 },
      (_, n) => `  a${n + 1}: &a${n + 1} [${`*a${n}, `.repeat(9)}]`,
    ).join('\n');
    expect(refusal(inYaml('suiteId', `bomb:\n  a0: &a0 1\n${levels}\nsuiteId`), yaml).message).toContain(
      'too many values',
    );
    expect(refusal(inYaml('null', '['.repeat(20_000)), yaml).code).toBe('validation_error');
    const chain = Array.from({ length: 500 }, (_, n) => `  a${n + 1}: &a${n + 1} [*a${n}]`).join('\n');
    expect(refusal(inYaml('suiteId', `chain:\n  a0: &a0 1\n${chain}\nsuiteId`), yaml).message).toContain(
      'deeper',
    );
  });

  test('a key called __proto__ stays a key', () => {
    const { tasks } = readSuite(inYaml('input: null', 'input: { __proto__: { a: 1 } }'), yaml);
    expect(JSON.stringify(tasks[1]?.input)).toBe('{"__proto__":{"a":1}}');
  });

  test.each(['', '# nothing here\n', 'just text', '- a\n- b'])(
    'text that is no suite is refused: %j',
    (text) => {
      expect(refusal(text, yaml).code).toBe('validation_error');
    },
  );
});
