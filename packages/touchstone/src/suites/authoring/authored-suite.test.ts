import type { JsonObject } from '@touchstone/protocol';
import { CHECK_NAMES } from '@touchstone/protocol/bodies';
import { describe, expect, it } from 'vitest';
import { parseSuite, readSuiteFile, suiteDocument } from '../parse-suite.js';
import { sentenceFor } from './sentences.js';

const DESK = `suiteId: acme.shop.evals.desk
version: 1.0.0
defaults: { expect: [{ not-refused: {} }] }
tasks:
  - taskId: late-delivery
    tags: [delivery]
    input: Where is order 1042?
    expect:
      - { contains: friday, ignoreCase: true }
      - { tool-called: "local:orders.get", inputs: { orderId: "1042" }, weight: 2 }
      - The answer apologises for the wait.
`;

const read = (text: string, rows: readonly JsonObject[] = []) =>
  readSuiteFile(text, { format: 'yaml', readRows: () => rows });
const issuesOf = (text: string, rows?: readonly JsonObject[]) => {
  try {
    read(text, rows);
  } catch (error) {
    return (error as { details: { issues: { pointer: string; message: string; line: number }[] } }).details
      .issues;
  }
  return [];
};
const task = (expectation: string): string =>
  `suiteId: a.b.evals.c\nversion: 1.0.0\ntasks:\n  - taskId: t\n    input: x\n    expect:\n      - ${expectation}\n`;
const criterionOf = (expectation: string): string => {
  const { suite } = read(task(expectation));
  const { expected } = suite.tasks[0] as unknown as { expected: { rubric: { criterion: string }[] } };
  return expected.rubric[0]?.criterion as string;
};

describe('a suite file', () => {
  it('compiles to the form of the wire, defaults first, weights divided by the largest', () => {
    const { suite, notes } = read(DESK);
    expect(suite.tasks[0]).toEqual({
      taskId: 'late-delivery',
      input: 'Where is order 1042?',
      expected: {
        kind: 'rubric',
        rubric: [
          { criterion: '[check:not-refused {}] The agent does not refuse.', weight: 0.5 },
          {
            criterion:
              '[check:contains {"text":"friday","ignoreCase":true}] The answer contains "friday", in any case.',
            weight: 0.5,
          },
          {
            criterion:
              '[check:tool-called {"tool":"local:orders.get","inputs":{"orderId":"1042"}}] The agent calls local:orders.get with inputs that fit {"orderId":"1042"}, at least 1 times.',
            weight: 1,
          },
          { criterion: 'The answer apologises for the wait.', weight: 0.5 },
        ],
      },
    });
    expect(suite.head.modes).toEqual(['rubric']);
    expect(notes.get('late-delivery')).toEqual({ tags: ['delivery'] });
  });

  it('has the digest of its compiled form', () => {
    const { suite } = read(DESK);
    expect(parseSuite(suiteDocument(suite)).head.digest).toBe(suite.head.digest);
  });

  it('without members of its own has the digest it always had', () => {
    const plain = `suiteId: a.b.evals.c\nversion: 1.0.0\nmodes: [golden]\ntasks:\n  - { taskId: t, input: x, expected: { kind: golden, match: { strategy: exact, value: y } } }\n`;
    const { suite } = read(plain);
    expect(suite.head.digest).toBe(
      parseSuite({
        suiteId: 'a.b.evals.c',
        version: '1.0.0',
        modes: ['golden'],
        tasks: [
          { taskId: 't', input: 'x', expected: { kind: 'golden', match: { strategy: 'exact', value: 'y' } } },
        ],
      }).head.digest,
    );
  });

  it('knows the line of each task', () => {
    expect(read(DESK).lines().get('late-delivery')).toBe(5);
  });

  it.each([
    ['{ contains: [a, b], any: true }', '[check:contains {"text":["a","b"],"any":true}]'],
    ['{ length: 80, unit: words }', '[check:length {"max":80,"unit":"words"}]'],
    ['{ regex: "id (\\\\d+)", equals: "12" }', '[check:regex {"pattern":"id (\\\\d+)","equals":"12"}]'],
    ['{ contains-json: {}, schema: { type: object } }', '[check:contains-json {"schema":{"type":"object"}}]'],
    ['{ json-subset: { status: late } }', '[check:json-subset {"value":{"status":"late"}}]'],
    [
      '{ json-subset: { value: { a: 1 }, tolerance: 1 } }',
      '[check:json-subset {"value":{"a":1},"tolerance":1}]',
    ],
    ['{ equals: { a: 1 } }', '[check:equals {"value":{"a":1}}]'],
    ['{ equals: null }', '[check:equals {"value":null}]'],
    ['{ json: }', '[check:json {}]'],
    [
      '{ any: [{ contains: a, ignoreCase: true }, { length: 3 }] }',
      '[check:any {"of":[{"contains":{"text":"a","ignoreCase":true}},{"length":{"max":3}}]}]',
    ],
    [
      '{ judge: [calls], says: The order was looked up. }',
      '[check:judge {"sees":["calls"]}] The order was looked up.',
    ],
  ])('%s is %s', (expectation, notation) => {
    expect(criterionOf(expectation)).toContain(notation);
  });

  it.each([
    ['{ contians: a }', '/tasks/0/expect/0', 'There is no check "contians". Known are: contains'],
    ['{ contains: a, length: 3 }', '/tasks/0/expect/0', 'Here are contains and length'],
    ['{}', '/tasks/0/expect/0', 'Expected one check by its name'],
    ['{ contains: a, tex: b }', '/tasks/0/expect/0/contains', 'it takes text'],
    ['{ judge: [calls] }', '/tasks/0/expect/0', 'needs "says"'],
    ['not-refused', '/tasks/0/expect/0', 'Write "not-refused: {}"'],
    ['{ contains: a, weight: heavy }', '/tasks/0/expect/0/weight', 'a number'],
    ['{ tool-called: a, inputs: { $foo: 1 } }', '/tasks/0/expect/0/tool-called', 'operators that exist'],
  ])('%s is refused at its place', (expectation, pointer, words) => {
    const [issue] = issuesOf(task(expectation));
    expect(issue).toMatchObject({ pointer, message: expect.stringContaining(words), line: 7 });
  });

  it('tells what is wrong with a default at the default', () => {
    const [issue] = issuesOf(DESK.replace('not-refused: {}', 'contains: ""'));
    expect(issue).toMatchObject({ pointer: '/defaults/expect/0/contains', line: 3 });
  });

  it('has a sentence for every check but the one that asks the judge', () => {
    const args = { text: 'a', pattern: 'a', tool: 'a', steps: ['a'], of: [{ json: {} }], value: 1, by: 0 };
    for (const name of CHECK_NAMES.filter((one) => one !== 'judge'))
      expect(sentenceFor(name, args)).toMatch(/^[A-Z].*\.$/s);
  });
});

describe('rows of a file', () => {
  const suite = (more: string) => `suiteId: a.b.evals.c\nversion: 1.0.0\nrows: { file: rows.csv${more} }\n`;

  it('become tasks, each expected by the shape of its value', () => {
    const rows = [
      { question: 'Capital of France?', answer: 'Paris', key: 'France 1' },
      { question: 'Order?', answer: { status: 'late' }, key: 'France 1' },
      { question: 'Explain.', answer: 'x'.repeat(41), topic: 'a, b' },
    ];
    const map = ', map: { input: question, expected: answer, id: key, tags: topic }';
    const { suite: compiled, notes } = read(suite(map), rows);
    expect(compiled.tasks.map(({ taskId }) => taskId)).toEqual(['france-1', 'france-1-2', 't-0003']);
    const checks = compiled.tasks.map(
      ({ expected }) =>
        (expected as unknown as { rubric: { criterion: string }[] }).rubric[0]?.criterion.split(' ')[0],
    );
    expect(checks).toEqual(['[check:equals', '[check:json-subset', '[check:judge']);
    expect(notes.get('t-0003')?.tags).toEqual(['a', 'b']);
  });

  it('that would be tasks beside others are refused', () => {
    expect(issuesOf(`${suite('')}tasks: []\n`)[0]).toMatchObject({ pointer: '/rows' });
  });

  it.each([
    ['expected: anwser', '/rows/map/expected', 'No row has "anwser". The rows have: question, answer.'],
    ['input: q', '/rows/map/input', 'No row has "q".'],
    ['input: question', '/rows', 'Nothing says what is expected'],
  ])('lose no column without a word: %s', (map, pointer, words) => {
    const text = suite(`, map: { ${map} }`);
    const withDefaults = pointer === '/rows' ? text : `${text}defaults: { expect: [{ not-refused: {} }] }\n`;
    const [issue] = issuesOf(withDefaults, [{ question: 'a', answer: 'b' }]);
    expect(issue).toMatchObject({ pointer, message: expect.stringContaining(words) });
  });

  it('that are none at all are refused', () => {
    expect(issuesOf(suite(', map: { input: q }'), [])[0]?.message).toBe('The file has no rows.');
  });

  it('without an input are refused by their number where the input is mapped', () => {
    const rows = [{ q: 'a', expected: 'b' }, { expected: 'c' }];
    const [issue] = issuesOf(suite(', map: { input: q }'), rows);
    expect(issue?.message).toContain('Row 2 does not have "q"');
  });

  it.each(['', ' ', null])(
    'with %j where an expectation should be do not ask for an empty answer',
    (empty) => {
      const rows = [
        { q: 'a', expected: 'x' },
        { q: 'b', expected: empty },
        { q: 'c', expected: empty },
      ];
      const text = suite(', map: { input: q }');
      expect(issuesOf(text, rows)).toMatchObject([
        {
          pointer: '/rows/file',
          message: expect.stringContaining('Row 2 has nothing in "expected", like 1 more.'),
        },
      ]);
      const { suite: compiled } = read(`${text}defaults: { expect: [{ not-refused: {} }] }\n`, rows);
      const counts = compiled.tasks.map(
        ({ expected }) => (expected as unknown as { rubric: [] }).rubric.length,
      );
      expect(counts).toEqual([2, 1, 1]);
    },
  );

  it('that are the input themselves do not tell the agent what is expected of it', () => {
    const row = { city: 'Oslo', meta: { answer: 'rain' }, key: 'k' };
    const { suite: compiled } = read(suite(', map: { expected: /meta/answer, id: key }'), [row]);
    expect(compiled.tasks.map(({ input }) => input)).toEqual([{ city: 'Oslo' }]);
  });

  it('with a column that nobody knows are refused', () => {
    expect(issuesOf(suite(', map: { question: q }'))[0]).toMatchObject({ pointer: '/rows/map' });
  });
});
