// Goal: whoever wrote a file that cannot be read learns all that is wrong with it, each with its line and column, and
// nothing of what the file says is repeated.
import { type HostError, isHostError } from '@touchstone/protocol';
import { describe, expect, test } from 'vitest';
import { agentDefinition } from './builders.js';
import { MAX_TEXT_LENGTH } from './definition-text.js';
import { parseDefinition, readDefinition } from './read-definition.js';
import {
  INVOICES,
  issuesOf,
  manifestAgent,
  manifestOf,
  minimalDefinition,
  POLICIES,
} from './testing/definitions.js';

const CANARY = 'CANARY-4711';

function refusal(text: string, file: string): HostError {
  try {
    readDefinition(text, { file });
  } catch (error) {
    if (isHostError(error)) return error;
    throw error;
  }
  throw new Error('It was accepted.');
}
function places(text: string, file: string): readonly string[] {
  const error = refusal(text, file);
  expect(error.code).toBe('validation_error');
  expect(error.details?.file).toBe(file);
  expect(error.message + JSON.stringify(error.details)).not.toContain(CANARY);
  return issuesOf(() => {
    throw error;
  }).map(({ line, column, pointer }) => `${line}:${column} ${pointer}`);
}

/** A text in which @@ marks the places where something is wrong: the text without marks, and those places. */
function unmarked(text: string): { readonly text: string; readonly marks: readonly string[] } {
  const parts = text.split('@@');
  const marks = parts.slice(0, -1).map((_, index) => {
    const lines = parts
      .slice(0, index + 1)
      .join('')
      .split('\n');
    return `${lines.length}:${(lines.at(-1) ?? '').length + 1}`;
  });
  return { text: parts.join(''), marks };
}

const inJson = (from: string | RegExp, to: string) => INVOICES.replace(from, to);
const inYaml = (from: string | RegExp, to: string) => POLICIES.replace(from, to);

const RUBRIC = '/evaluation/grading_rubric';

describe('a malformed JSON definition', () => {
  test.each<[string, string, readonly string[]]>([
    ['a comma too many', inJson('"policy": {', '"policy": {@@,'), ['/policy']],
    ['half a file', `${INVOICES.slice(0, INVOICES.indexOf('"config"'))}@@`, ['']],
    ['a key twice', inJson('"strict": true', '"strict": true, @@"strict": false'), [`${RUBRIC}/1/strict`]],
    ['NaN', inJson('"threshold": 0.98', '"threshold": @@NaN'), [`${RUBRIC}/0/threshold`]],
    [
      'a number beyond a double',
      inJson('"threshold": 0.98', '@@"threshold": 1e999'),
      [`${RUBRIC}/0/threshold`],
    ],
    [
      'a latency in words',
      inJson('"expected_latency_ms": 1500', `@@"expected_latency_ms": "${CANARY}"`),
      ['/evaluation/expected_latency_ms'],
    ],
    [
      'a member that is not known',
      inJson('"evaluator_model"', `@@"evaluator_modell": "${CANARY}", "evaluator_model"`),
      ['/evaluation/evaluator_modell'],
    ],
    [
      'a hot model',
      inJson('"temperature": 0.0', '@@"temperature": 2.5'),
      ['/config/model_config/temperature'],
    ],
    [
      'several things wrong',
      inJson('"version": "1.2.0"', '@@"version": "1.2"')
        .replace('"risk_level": "safe"', '@@"risk_level": "none"')
        .replace('"strict": false', '@@"strict": null'),
      ['/metadata/version', '/dependencies/tools/0/risk_level', `${RUBRIC}/2/strict`],
    ],
  ])('with %s is refused at its place', (_, marked, pointers) => {
    const { text, marks } = unmarked(marked);
    expect(places(text, 'agent.json')).toEqual(marks.map((mark, index) => `${mark} ${pointers[index]}`));
    expect(marks).toHaveLength(pointers.length);
  });
});

describe('a malformed YAML definition', () => {
  const agent = '/definitions/policy-summariser';
  test.each<[string, string, readonly string[]]>([
    ['a tab for indentation', inYaml('  policy-summariser:\n', '@@\tpolicy-summariser:\n'), ['']],
    ['a key twice', inYaml('    role:', '    @@name: again\n    role:'), ['']],
    ['.nan', inYaml('threshold: 0.8', '@@threshold: .nan'), [`${agent}${RUBRIC}/1/threshold`]],
    ['a tag of its own', inYaml('kind: Agent', 'kind: @@!py Agent'), ['']],
    ['an id under another key', inYaml('id: policy-summariser ', '@@id: summariser '), [`${agent}/id`]],
    [
      'a threshold in words',
      inYaml('threshold: 0.9', `@@threshold: ${CANARY}`),
      [`${agent}${RUBRIC}/0/threshold`],
    ],
    [
      'a criterion without threshold',
      inYaml('- {name: factuality', '- @@{name: factuality').replace(', threshold: 0.9', ''),
      [`${agent}${RUBRIC}/0/threshold`],
    ],
    [
      'a rubric that is null',
      inYaml(/grading_rubric:[\s\S]*?(?=policy: \{)/, '@@grading_rubric:\n'),
      [`${agent}${RUBRIC}`],
    ],
    ['a merge key', inYaml('policy: {', 'policy: {@@<<: {}, '), ['']],
    ['two documents', `${POLICIES}@@---\na: 1\n`, ['']],
  ])('with %s is refused at its place', (_, marked, pointers) => {
    const { text, marks } = unmarked(marked);
    expect(places(text, 'agent.yaml')).toEqual(marks.map((mark, index) => `${mark} ${pointers[index]}`));
    expect(marks).toHaveLength(pointers.length);
  });
});

describe('hostile input', () => {
  test('ten megabytes are refused unread, in either format', () => {
    const long = 'a'.repeat(10 * 1024 * 1024);
    for (const text of [long, `{"metadata": "${long}"}`]) {
      expect(issuesOf(() => readDefinition(text))).toEqual([
        { pointer: '', message: expect.stringContaining(`${MAX_TEXT_LENGTH} characters`) },
      ]);
    }
  });

  test('YAML with more keys than its reader can compare is refused unread', () => {
    const wide = Array.from({ length: 100_000 }, (_, index) => `k${index}: 1`);
    for (const text of [wide.join('\n'), `{${wide.map((pair) => pair.split(':')[0]).join(',')}}`]) {
      expect(issuesOf(() => readDefinition(text, { format: 'yaml' }))[0]?.message).toContain(
        'Write it as JSON',
      );
    }
  });

  test('nesting beyond all bounds is refused, as text and as a value', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(issuesOf(() => readDefinition(inJson('"ap-ops"', deep)))[0]?.message).toContain('Nested deeper');
    const nested: { inner?: unknown } = {};
    nested.inner = nested;
    expect(
      issuesOf(() => parseDefinition(minimalDefinition({ custom_metadata: nested })))[0]?.message,
    ).toContain('Nested deeper');
    expect(
      issuesOf(() => agentDefinition(minimalDefinition({ custom_metadata: nested })))[0]?.message,
    ).toContain('Nested deeper');
  });

  test('__proto__ is a member like any other: unknown where others are, kept where anything is', () => {
    const { text, marks } = unmarked(
      inJson('"expected_latency_ms"', '@@"__proto__": {"strict": false}, "expected_latency_ms"'),
    );
    expect(places(text, 'a.json')).toEqual([`${marks[0]} /evaluation/__proto__`]);
    const { value } = readDefinition(inJson('"team"', '"__proto__": {"x": 1}, "team"'));
    expect(JSON.stringify(value)).toContain('"custom_metadata":{"__proto__":{"x":1},"team":"ap-ops"}');
    const agent = JSON.parse(JSON.stringify(manifestAgent('__proto__'))) as object;
    const entries = Object.fromEntries([['__proto__', agent]]);
    expect(parseDefinition(manifestOf(entries)).agents[0]?.id).toBe('__proto__');
    expect(Object.hasOwn(Object.prototype, 'strict')).toBe(false);
  });

  test('a hundred thousand things wrong are a short list and a count', () => {
    const members = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`m${index}`, 1]));
    const issues = issuesOf(() => parseDefinition(minimalDefinition({ evaluation: members })));
    expect(issues).toHaveLength(101);
    expect(issues.at(-1)).toEqual({ pointer: '', message: 'And 99900 more.' });
  });

  test('a name as long as the file is cut in what is said about it', () => {
    const [issue] = issuesOf(() => parseDefinition(minimalDefinition({ ['x'.repeat(500_000)]: 1 })));
    expect(JSON.stringify(issue).length).toBeLessThan(400);
  });

  test('warnings without end are cut short', () => {
    const agents = Array.from({ length: 1000 }, (_, index) =>
      manifestAgent(`a${index}`, { interface: { outputs: { y: {} } } }),
    );
    const text = JSON.stringify(manifestOf(Object.fromEntries(agents.map((agent) => [agent.id, agent]))));
    const { agents: loaded, warnings } = readDefinition(text);
    expect([loaded.length, warnings.length]).toEqual([1000, 100]);
  });

  test('an alias bomb is refused', () => {
    const levels = Array.from(
      { length: 9 },
      (_, level) => `  l${level + 1}: &l${level + 1} [${Array(10).fill(`*l${level}`).join(', ')}]`,
    );
    const bomb = ['metadata: {}', 'config: {}', 'custom_metadata:', '  l0: &l0 [x]', ...levels].join('\n');
    expect(issuesOf(() => readDefinition(bomb))[0]?.message).toContain('Aliases');
  });
});
