import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { importInto, verdicts } from '../../testing/import-checks.js';
import { lines, shownItems } from '../../testing/import-cli.js';
import { openTestCli, type TestCli } from '../../testing/test-cli.js';
import { deflated, framedSample, stored, zipOf } from '../../testing/zip-archive.js';

let cli: TestCli;
beforeEach(() => {
  cli = openTestCli();
});
afterEach(() => cli.close());

const suite = (name = 'log') => parse(cli.read(`out/${name}.suite.yaml`));
const said = (content: unknown): object => ({ role: 'assistant', content });
const sample = (id: string | number, target: unknown, completion: string, more: object = {}): object => ({
  id,
  epoch: 1,
  input: 'What is the capital of France?',
  target,
  messages: [{ role: 'user', content: 'What is the capital of France?' }, said(completion)],
  output: { choices: [{ message: said(completion) }], completion },
  scores: {},
  ...more,
});
const header = (scorer: string, params: object = {}): object => ({
  version: 2,
  status: 'success',
  eval: { task: 'capitals', scorers: [{ name: scorer, options: params }] },
  results: { scores: [{ name: scorer, scorer, params, metrics: {} }] },
});

/** What Inspect says about answers: scorer, parameters, then target, answer and whether it was right. */
const RECORDED: readonly [string, object, readonly [unknown, string, boolean][]][] = [
  [
    'match',
    {},
    [
      ['Paris', 'It is paris.', true],
      ['Paris', 'Paris it is', false],
      [['Lutetia', 'Paris'], '"Paris"', true],
    ],
  ],
  [
    'match',
    { location: 'begin' },
    [
      ['Paris', '  *Paris* it is', true],
      ['Paris', 'It is Paris', false],
    ],
  ],
  [
    'match',
    { location: 'any', ignore_case: false },
    [
      ['Paris.', 'So Paris it is', true],
      ['Paris', 'paris', false],
    ],
  ],
  [
    'match',
    { location: 'exact' },
    [
      ['Paris (1)', ' paris (1)! ', true],
      ['Paris', 'Paris, France', false],
    ],
  ],
  [
    'includes',
    {},
    [
      ['Paris', 'So PARIS it is', true],
      ['Paris', 'London', false],
    ],
  ],
  ['includes', { ignore_case: false }, [['Paris', 'PARIS', false]]],
  [
    'pattern',
    { pattern: 'result: (\\d+)' },
    [
      ['42', 'Result: 42', true],
      ['42', 'result: 421', false],
      ['42', 'it is 42', false],
    ],
  ],
  [
    'answer',
    { pattern: 'letter' },
    [
      ['B', 'Well.\nANSWER: b', true],
      ['B', 'ANSWER: BC', false],
    ],
  ],
  [
    'answer',
    { pattern: 'word' },
    [
      ['7', 'answer: 7', true],
      ['7', 'answer: 7 of them', false],
    ],
  ],
  [
    'answer',
    { pattern: 'line' },
    [
      ['1 + 1', 'ANSWER: 1 + 1\n', true],
      ['1', 'ANSWER: 1 + 1', false],
    ],
  ],
];

describe('import inspect: logs', () => {
  test.each(RECORDED)('answers are scored as %s %j has scored them', async (scorer, params, rows) => {
    const samples = rows.map(([target, completion], at) => sample(at + 1, target, completion));
    cli.write('log.json', { ...header(scorer, params), samples });
    const document = await importInto(cli, 'log.json');
    expect(document).toMatchObject({ format: 'inspect', lost: 0 });
    expect(document.items.filter(({ severity }) => severity !== 'note')).toEqual([]);
    const passed = await verdicts(cli, 'out/log.suite.yaml', 'out/recorded.jsonl');
    expect(Object.values(passed)).toEqual(rows.map(([, , isRight]) => isRight));
  });

  test('that match leaves more punctuation out than Inspect does is worth a note', async () => {
    cli.write('log.json', { ...header('match'), samples: [sample(1, 'Paris', 'It is “Paris”')] });
    const document = await importInto(cli, 'log.json');
    expect(shownItems(document)).toEqual([
      expect.stringMatching(/^note log.json:1 scorer match: punctuation/),
    ]);
  });

  test('a question with choices is the one that the model was asked', async () => {
    const prompt = 'Which?\n\nA) Rome\nB) Paris\n\nEnd with "ANSWER: $LETTER".';
    const choices = ['Rome', 'Paris'];
    const asked = (completion: string): object => ({
      choices,
      messages: [{ role: 'user', content: prompt }, said(completion)],
    });
    cli.write('log.json', {
      ...header('choice'),
      samples: [
        sample('right', 'B', 'ANSWER: B', asked('ANSWER: B')),
        sample('wrong', ['A'], 'ANSWER: B', asked('ANSWER: B')),
        sample('shuffled', 'B', 'ANSWER: A', {
          choices,
          messages: [{ role: 'user', content: 'A) Paris\nB) Rome' }],
        }),
      ],
    });
    const document = await importInto(cli, 'log.json');
    expect(shownItems(document)).toEqual([
      expect.stringMatching(/^changed log.json:1 choices that were shuffled/),
    ]);
    expect(suite().tasks[0].input).toBe(prompt);
    expect(suite().tasks[2].input).toContain('A) Rome\nB) Paris');
    expect(cli.read('out/recorded.jsonl')).not.toContain('shuffled');
    const passed = await verdicts(cli, 'out/log.suite.yaml', 'out/recorded.jsonl');
    expect(passed).toMatchObject({ right: true, wrong: false });
  });

  test('tool messages become fixtures, and calls part of the recorded answer', async () => {
    const messages = [
      { role: 'user', content: 'Where is order 1042?' },
      { ...said(''), tool_calls: [{ id: 'c1', function: 'get_order', arguments: { id: '1042' } }] },
      { role: 'tool', function: 'get_order', tool_call_id: 'c1', content: 'attachment://abc' },
      { ...said(''), tool_calls: [{ id: 'c2', function: 'get_order', arguments: { id: '7' } }] },
      {
        role: 'tool',
        function: 'get_order',
        content: '',
        error: { type: 'timeout', message: 'took too long' },
      },
      said('On Friday.'),
    ];
    const attachments = { abc: 'arrives on Friday' };
    cli.write('log.json', {
      ...header('includes'),
      samples: [sample(1, 'friday', 'On Friday.', { messages, attachments })],
    });
    await importInto(cli, 'log.json');
    expect(suite().tasks[0].fixtures.toolResponses).toEqual([
      { tool: 'local:get_order', response: 'arrives on Friday' },
      { tool: 'local:get_order', response: { error: 'took too long' } },
    ]);
    expect(JSON.parse(cli.read('out/recorded.jsonl')).toolCalls).toEqual([
      { toolId: 'local:get_order', inputs: { id: '1042' } },
      { toolId: 'local:get_order', inputs: { id: '7' } },
    ]);
  });

  test('only the first epoch becomes a task, and what it said', async () => {
    const second = { ...sample('a', 'Paris', 'London'), epoch: 2 };
    cli.write('log.json', { ...header('includes'), samples: [second, sample('a', 'Paris', 'Paris')] });
    const document = await importInto(cli, 'log.json');
    expect(document.tests).toEqual({ all: 1, carried: 1 });
    expect(shownItems(document)).toEqual([
      expect.stringMatching(/^note log.json:1 samples of further epochs/),
    ]);
    expect(JSON.parse(cli.read('out/recorded.jsonl')).output).toBe('Paris');
  });

  test.each([
    ['exact', { equals: { anyOf: ['Paris'], normalize: true } }],
    ['f1', { overlap: ['Paris'], min: 0.5, graded: true }],
    ['model_graded_qa', { judge: { reference: 'Paris' }, says: expect.any(String) }],
    ['model_graded_fact', { judge: { reference: 'Paris' }, says: expect.any(String) }],
  ])('%s is carried over and means something else', async (scorer, entry) => {
    cli.write('log.json', { ...header(scorer), samples: [sample(1, 'Paris', 'Paris')] });
    const document = await importInto(cli, 'log.json');
    expect(suite().tasks[0].expect).toEqual([entry]);
    expect(document.items).toMatchObject([{ severity: 'changed', what: `scorer ${scorer}` }]);
  });

  test('numbers are compared as numbers', async () => {
    const rows: [string, string, boolean][] = [
      ['1250', 'It costs $1,250.00', true],
      ['5', 'It is 25', false],
    ];
    const samples = rows.map(([target, completion], at) => sample(at + 1, target, completion));
    cli.write('log.json', { ...header('match', { numeric: true }), samples });
    const document = await importInto(cli, 'log.json');
    expect(document.items).toMatchObject([{ severity: 'changed' }]);
    const passed = await verdicts(cli, 'out/log.suite.yaml', 'out/recorded.jsonl');
    expect(Object.values(passed)).toEqual([true, false]);
  });

  test('an attachment that is not in the log, and a scorer whose place of the answer is unknown, are lost', async () => {
    const log = {
      ...header('includes'),
      samples: [{ ...sample(1, 'Paris', 'Paris'), input: 'attachment://gone' }],
      results: {
        scores: [
          { scorer: 'includes', params: {} },
          { scorer: 'match', params: { location: 'middle' } },
        ],
      },
    };
    cli.write('log.json', log);
    const { items } = await importInto(cli, 'log.json');
    expect(items.filter(({ severity }) => severity === 'lost').map(({ what }) => what)).toEqual([
      'a text that is kept as an attachment, which is not in the log',
      'scorer match: its location is not known',
    ]);
  });

  test('own scorers, sandboxes, files, set-ups, images and lost patterns are told, each with its line', async () => {
    const log = {
      ...header('includes'),
      samples: [
        {
          ...sample(1, 'Paris', 'Paris', {
            sandbox: ['docker', 'compose.yaml'],
            files: { a: 'b' },
            setup: 'ls',
          }),
          input: [
            {
              role: 'user',
              content: [
                { type: 'text', text: 'Which city? ' },
                { type: 'image', image: 'x.png' },
              ],
            },
          ],
        },
      ],
      results: {
        scores: [
          { scorer: 'includes', params: {} },
          { scorer: 'my_scorer', params: {} },
        ],
      },
    };
    cli.write('log.json', JSON.stringify(log, null, 1));
    const document = await importInto(cli, 'log.json');
    const text = JSON.stringify(log, null, 1).split('\n');
    const lineOf = (part: string): number => text.findIndex((line) => line.includes(part)) + 1;
    const places = Object.fromEntries(document.items.map(({ what, line }) => [what, line]));
    expect(places).toEqual({
      'scorer my_scorer: no check does the same': lineOf('my_scorer') - 1,
      'a part of a message that is no text': lineOf('"image"') - 1,
      'sandbox: tasks run without one': lineOf('"sandbox"'),
      'files that are put into the sandbox': lineOf('"files"'),
      'setup script of the sandbox': lineOf('"setup"'),
    });
    expect(document.assertions).toEqual({ all: 2, carried: 1 });
    expect(suite().tasks[0].input).toEqual({ messages: [{ role: 'user', content: 'Which city? ' }] });
  });

  test.each([
    ['a pattern that RE2 does not have', { pattern: '(?=x)(y)' }],
    ['match_all', { pattern: '(y)', match_all: true }],
  ])('a scorer that no check can stand for leaves its sample out: %s', async (_, pattern) => {
    cli.write('log.json', { ...header('pattern', pattern), samples: [sample(1, 'y', 'y')] });
    const { code, err } = await cli.run('import', 'log.json', '-o', 'out');
    expect(code).toBe(2);
    expect(err).toContain('None of 1 tests could be carried over.');
  });
});

describe('import inspect: .eval files', () => {
  test('a sample in two frames of Zstandard reads as it was, on every Node', async () => {
    cli.write(
      'log.eval',
      zipOf([stored('header.json', header('match')), framedSample('samples/capital_epoch_1.json')]),
    );
    const document = await importInto(cli, 'log.eval');
    expect(document).toMatchObject({ format: 'inspect', tests: { all: 1, carried: 1 } });
    expect(suite().tasks[0]).toMatchObject({ taskId: 'capital', expect: [{ 'ends-with': ['Paris'] }] });
    expect(await verdicts(cli, 'out/log.suite.yaml', 'out/recorded.jsonl')).toEqual({ capital: true });
  });

  test('a sample in chunks is put together, with the messages and attachments it refers to', async () => {
    const prefix = 'samples/order_epoch_1';
    cli.write(
      'log.eval',
      zipOf([
        deflated('header.json', header('includes')),
        deflated(`${prefix}/sample.json`, {
          ...sample('order', 'friday', 'On Friday.', { messages: undefined }),
          input: 'attachment://0',
          message_refs: [[1, 3]],
        }),
        deflated(`${prefix}/messages/0.json`, [{ role: 'system', content: 'not of this sample' }]),
        deflated(`${prefix}/messages/1.json`, [
          { role: 'tool', function: 'get_order', content: 'attachment://1' },
          said('On Friday.'),
        ]),
        deflated(`${prefix}/attachments/0.json`, ['Where is order 1042?']),
        deflated(`${prefix}/attachments/1.json`, ['arrives on Friday']),
        deflated(`${prefix}/events/0.json`, []),
        deflated('summaries.json', []),
      ]),
    );
    await importInto(cli, 'inspect', 'log.eval');
    expect(suite().tasks[0]).toMatchObject({
      taskId: 'order',
      input: 'Where is order 1042?',
      fixtures: { toolResponses: [{ tool: 'local:get_order', response: 'arrives on Friday' }] },
    });
    expect(await verdicts(cli, 'out/log.suite.yaml', 'out/recorded.jsonl')).toEqual({ order: true });
  });

  test.each([
    ['no archive', Buffer.from('not a zip'), 'Expected a zip archive'],
    ['an archive without a log', zipOf([stored('other.json', {})]), 'Expected header.json in the archive.'],
    [
      'a damaged file',
      zipOf([{ ...deflated('header.json', {}), bytes: Buffer.from([1, 2, 3]) }]),
      'header.json',
    ],
    ['an unknown method', zipOf([{ ...stored('header.json', {}), method: 14 }]), 'method 14 is not known'],
  ])('%s is refused', async (_, bytes, words) => {
    cli.write('log.eval', bytes);
    const { code, err } = await cli.run('import', 'log.eval', '-o', 'out');
    expect(code).toBe(2);
    expect(err).toContain(words);
  });
});

describe('import inspect: datasets', () => {
  const CSV =
    'id,input,target\nfr,What is the capital of France?,Paris\nde,What is the capital of Germany?,Berlin\n';

  test('the scorer of the command line scores every row', async () => {
    cli.write('capitals.csv', CSV);
    const document = await importInto(cli, 'capitals.csv', '--scorer', 'match');
    expect(document).toMatchObject({ format: 'inspect', tests: { all: 2, carried: 2 }, lost: 0 });
    expect(suite('capitals').tasks[0]).toMatchObject({
      taskId: 'fr',
      input: 'What is the capital of France?',
      expect: [{ 'ends-with': ['Paris'], trim: true }],
    });
  });

  test('without a scorer the shape of the target decides', async () => {
    cli.write('capitals.csv', CSV);
    await importInto(cli, 'inspect', 'capitals.csv');
    expect(suite('capitals').tasks[1].expect).toEqual([{ equals: { value: 'Berlin' } }]);
  });

  test('choices stand below the question, and files for a sandbox are lost', async () => {
    cli.write(
      'q.jsonl',
      lines([
        {
          input: 'Which?',
          choices: ['Rome', 'Paris'],
          target: 'B',
          sandbox: 'docker',
          metadata: { level: 1 },
        },
      ]),
    );
    const document = await importInto(cli, 'q.jsonl', '--scorer', 'choice');
    expect(suite('q').tasks[0].input).toBe(
      'Which?\n\nA) Rome\nB) Paris\n\nEnd with a line of the form "ANSWER: <letter>".',
    );
    expect(shownItems(document)).toEqual([
      'lost q.jsonl:1 sandbox: tasks run without one',
      'note q.jsonl:1 metadata: left out',
    ]);
  });

  test('a scorer that needs more than its name is refused', async () => {
    cli.write('capitals.csv', CSV);
    const { code, err } = await cli.run('import', 'capitals.csv', '--scorer', 'pattern');
    expect(code).toBe(2);
    expect(err).toContain('--scorer is one of match, includes');
  });
});
