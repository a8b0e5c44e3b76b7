import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { importFiles, scoresOf, shownItems } from '../../testing/import-cli.js';

const sample = (name: string): string =>
  readFileSync(
    fileURLToPath(new URL(`../../../importers/testing/promptfoo/${name}`, import.meta.url)),
    'utf8',
  );

type Assertion = { readonly type: string } & { readonly [name: string]: unknown };

/** Each assertion as the only one of a test. */
const importAll = (assertions: readonly Assertion[], more: object = {}) =>
  importFiles(
    {
      'p.json': {
        prompts: ['{{q}}'],
        providers: ['echo'],
        tests: assertions.map((one, at) => ({ vars: { q: `${at}`, context: 'the docs' }, assert: [one] })),
        ...more,
      },
    },
    'p.json',
  );

describe('the sample with every assertion that is carried over as it is', () => {
  it('imports without loss, is valid, and has the verdicts that its tests say they have', async () => {
    const files = { 'agreeing.yaml': sample('agreeing.yaml'), 'agreeing.csv': sample('agreeing.csv') };
    const result = await importFiles(files, 'agreeing.yaml', '--strict');
    expect(result.code).toBe(0);
    // The answers of the sample hold no character for which that matters.
    const units = /assertion levenshtein: an emoji .* counts as one here/;
    expect(result.items.filter(({ severity, what }) => severity !== 'changed' || !units.test(what))).toEqual(
      [],
    );
    expect((await result.cli.run('validate', 'out/moved.suite.yaml')).code).toBe(0);
    const scores = await scoresOf(result, '--agent', 'local.moved.echo');
    // promptfoo says the same of them: scripts/compare-promptfoo.mjs.
    const failing =
      /unmet|missed|default-assertion|weights-without|set-without|out-2|scenario-2|levenshtein-default/;
    const wrong = Object.entries(scores).filter(([taskId, score]) => failing.test(taskId) === (score === 1));
    expect(wrong).toEqual([]);
    expect(Object.keys(scores)).toHaveLength(60);
  });
});

describe('assertions', () => {
  const CARRIED: readonly (readonly [Assertion, unknown])[] = [
    [{ type: 'equals', value: 4 }, { equals: { value: '4' } }],
    [
      { type: 'icontains-any', value: 'a, "b, c"' },
      { contains: { text: ['a', 'b, c'], any: true, ignoreCase: true } },
    ],
    [{ type: 'not-starts-with', value: 'x' }, { 'starts-with': { text: 'x', not: true } }],
    [{ type: 'is-json', value: { type: 'object' } }, { schema: { schema: { type: 'object' } } }],
    [
      { type: 'is-json', value: { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' } },
      { schema: { schema: { type: 'object' } } },
    ],
    [
      { type: 'regex', value: 'a\\s[b\\s]\\\\s' },
      { regex: { pattern: 'a[\\s\\v\\x{feff}\\p{Z}][b\\s\\v\\x{feff}\\p{Z}]\\\\s' } },
    ],
    [{ type: 'word-count', value: { max: 3 } }, { length: { max: 3, unit: 'words' } }],
    [{ type: 'latency', threshold: 500.5 }, { latency: { maxMs: 500 } }],
    [{ type: 'cost', threshold: 0.01 }, { cost: { maxUsd: 0.01 } }],
    [{ type: 'trajectory:tool-used', value: 'orders' }, { 'tool-called': { tool: 'local:orders' } }],
    [
      { type: 'trajectory:tool-used', value: ['a', 'b'] },
      { all: { of: [{ 'tool-called': { tool: 'local:a' } }, { 'tool-called': { tool: 'local:b' } }] } },
    ],
    [
      { type: 'not-trajectory:tool-used', value: ['a', 'b'] },
      { 'tool-not-called': { tool: ['local:a', 'local:b'] } },
    ],
    [
      { type: 'trajectory:tool-used', value: { pattern: 'get_*', min: 2, max: 3 } },
      { 'tool-called': { tool: 'local:get_*', min: 2, max: 3 } },
    ],
    [
      { type: 'trajectory:tool-args-match', value: { name: 'a', args: { id: 1 } } },
      { 'tool-called': { tool: 'local:a', inputs: { id: 1 } } },
    ],
    [
      { type: 'trajectory:tool-args-match', value: { name: 'a', args: { id: 1 }, mode: 'exact' } },
      { 'tool-called': { tool: 'local:a', inputs: { $exact: { id: 1 } } } },
    ],
    [
      { type: 'trajectory:tool-sequence', value: ['a', 'b'] },
      { 'tool-sequence': { steps: ['local:a', 'local:b'], order: 'in-order' } },
    ],
    [
      { type: 'trajectory:tool-sequence', value: { mode: 'exact', steps: [{ name: 'a' }] } },
      { 'tool-sequence': { steps: ['local:a'], order: 'exact' } },
    ],
    [
      { type: 'trajectory:step-count', value: { type: 'tool', max: 5 } },
      { 'tool-called': { tool: '*', min: 0, max: 5 } },
    ],
    [
      { type: 'contains', value: 'x', weight: 2, metric: 'Tone' },
      { contains: { text: 'x' }, weight: 2, says: 'Tone: The answer contains "x".' },
    ],
  ];

  it('that a check stands for become it, without a word in the report', async () => {
    const { tasks, items } = await importAll(CARRIED.map(([assertion]) => assertion));
    expect(tasks.map(({ expect: [entry] }) => entry)).toEqual(CARRIED.map(([, entry]) => entry));
    expect(items).toEqual([]);
  });

  const CHANGED: readonly (readonly [Assertion, unknown])[] = [
    [
      { type: 'is-json', value: { properties: { a: { format: 'email' } } } },
      { schema: { schema: { properties: { a: { format: 'email' } } } } },
    ],
    [{ type: 'is-refusal' }, { refused: {} }],
    [{ type: 'not-is-refusal' }, { 'not-refused': {} }],
    [{ type: 'rouge-n', value: 'x' }, { overlap: { text: 'x', metric: 'rouge-1', min: 0.75 } }],
    [{ type: 'contains-json' }, { 'contains-json': {} }],
    [
      { type: 'tool-call-f1', value: 'a, b', threshold: 0.8 },
      { 'tool-sequence': { steps: ['local:a', 'local:b'], order: 'any-order', min: 0.8 } },
    ],
    [{ type: 'similar', value: 'x', threshold: 0.8 }, { similar: { text: 'x', min: 0.8 } }],
    [{ type: 'llm-rubric', value: 'It is kind to {{q}}.' }, 'It is kind to 7.'],
    [
      { type: 'not-llm-rubric', value: 'It is rude.' },
      { judge: { not: true }, says: 'It is rude.' },
    ],
    [
      { type: 'model-graded-closedqa', value: 'It is short.', threshold: 0.5 },
      { judge: { min: 0.5 }, says: 'It is short.' },
    ],
    [
      { type: 'g-eval', value: ['a', 'b'] },
      { judge: { min: 0.7 }, says: 'a\nb' },
    ],
    [
      { type: 'factuality', value: 'Paris' },
      { judge: { reference: 'Paris' }, says: 'The answer agrees with the facts of the reference.' },
    ],
    [{ type: 'answer-relevance' }, 'The answer is about what was asked.'],
    [
      { type: 'context-faithfulness', threshold: 0.9 },
      {
        judge: { reference: 'the docs', min: 0.9 },
        says: 'Everything that the answer says is supported by the context in the reference.',
      },
    ],
    [
      { type: 'context-relevance' },
      { judge: { reference: 'the docs' }, says: 'The context in the reference is about what was asked.' },
    ],
    [
      { type: 'context-recall', value: 'facts' },
      {
        judge: { reference: { context: 'the docs', facts: 'facts' } },
        says: 'The context in the reference has all of the facts in the reference.',
      },
    ],
    [{ type: 'conversation-relevance' }, 'Each answer of the conversation is about what the user said.'],
    [
      { type: 'trajectory:goal-success', value: 'book a flight' },
      { judge: { sees: ['calls'] }, says: 'The agent reaches this goal: book a flight' },
    ],
    [{ type: 'levenshtein', value: 'x' }, { distance: { text: 'x', max: 5 } }],
    [{ type: 'regex', value: '^.{3}$' }, { regex: { pattern: '^.{3}$' } }],
    [{ type: 'rouge-l', value: 'x' }, { overlap: { text: 'x', metric: 'rouge-l', min: 0.75 } }],
  ];

  it('that mean something else here are listed as changed, one by one', async () => {
    const { tasks, items } = await importAll(CHANGED.map(([assertion]) => assertion));
    expect(tasks.map(({ expect: [entry] }) => entry)).toEqual(CHANGED.map(([, entry]) => entry));
    expect(items.map(({ severity, pointer }) => `${severity} ${pointer}`)).toEqual(
      CHANGED.map((_, at) => `changed /tests/${at}/assert/0`),
    );
  });

  const LOST = (
    'select-best max-score moderation guardrails classifier is-sql is-html perplexity trace-span-count skill-used ' +
    'finish-reason bleu gleu meteor ruby webhook rouge-s similar:dot'
  )
    .split(' ')
    .map((type) => ({ type, value: 'x' }));

  it('that nothing here stands for are lost, each with its place', async () => {
    const { items, tasks } = await importAll([{ type: 'contains', value: 'x' }, ...LOST]);
    expect(tasks).toHaveLength(1);
    const lost = items.filter(({ severity }) => severity === 'lost');
    expect(lost.map(({ pointer, what }) => `${pointer} ${what}`)).toEqual(
      LOST.map(({ type }, at) => `/tests/${at + 1}/assert/0 assertion ${type}: nothing here stands for it`),
    );
  });

  it.each([
    [{ type: 'regex', value: '[\\S]' }, 'with a pattern that RE2 does not have'],
    [{ type: 'regex', value: '(?<=a)b' }, 'an assertion that cannot be checked here'],
    [{ type: 'contains', value: '{{ q | upper }}' }, 'its value is a template with more than names'],
    [{ type: 'contains', value: 'file://value.js' }, 'its value comes from code'],
    [{ type: 'equals', value: 'a', transform: 'output.toUpperCase()' }, 'the transform of the answer'],
    [{ type: 'trajectory:step-count', value: { max: 3 } }, 'of steps that are not only tools'],
    [
      { type: 'trajectory:tool-args-match', value: { name: 'a', args: {}, ignore: ['b'] } },
      'with "defaults" or "ignore"',
    ],
  ])('%j is lost', async (assertion, words) => {
    const { items } = await importAll([{ type: 'contains', value: 'x' }, assertion]);
    expect(items.find(({ severity }) => severity === 'lost')?.what).toContain(words);
  });

  it('in prose cannot stand under a threshold, and are lost with their place', async () => {
    const tests = [
      {
        threshold: 0.5,
        vars: { q: 'a' },
        assert: [
          { type: 'contains', value: 'a' },
          { type: 'regex', value: 'b', weight: 2 },
          { type: 'llm-rubric', value: 'It is kind.' },
        ],
      },
    ];
    const { tasks, err, items } = await importAll([], { tests });
    expect(tasks[0]?.expect).toEqual([
      { all: { of: [{ contains: { text: 'a' } }, { regex: { pattern: 'b' }, weight: 2 }], min: 0.5 } },
    ]);
    expect(err).toContain('1 of 1 tests, 2 of 3 assertions carried over; 1 lost');
    expect(items.find(({ severity }) => severity === 'lost')?.pointer).toBe('/tests/0/assert/2');
  });
});

describe('code of assertions', () => {
  const CODE = [
    { type: 'javascript', value: 'output.length < 3' },
    {
      type: 'javascript',
      value: 'const long = output.length;\nreturn { pass: long > 3, score: 0.2, reason: "short" };',
    },
    { type: 'javascript', value: '0.4', threshold: 0.5 },
    { type: 'not-javascript', value: 'false' },
    { type: 'javascript', value: 'file://check.js:isShort' },
    { type: 'javascript', value: 'context.vars.q === "5"' },
  ];

  it('becomes scorers that give the same verdicts, after a word that they are code', async () => {
    const result = await importFiles(
      {
        'check.js': 'module.exports = { isShort: (output) => output.length === 1 };',
        'p.json': {
          prompts: ['{{q}}'],
          providers: ['echo'],
          tests: CODE.map((one, at) => ({ vars: { q: `${at}` }, assert: [one] })),
        },
      },
      'p.json',
    );
    expect(result.items.map(({ severity, what }) => `${severity} ${what}`)).toEqual(
      CODE.map(({ type }) => `changed assertion ${type}: code: read scorers/ before you run it`),
    );
    expect(await scoresOf(result, '--agent', 'local.moved.echo')).toEqual({
      't-0001': 1,
      't-0002': 0,
      't-0003': 0,
      't-0004': 1,
      't-0005': 1,
      't-0006': 1,
    });
  });

  it('is given the part of the answer that a transform names', async () => {
    const assert = [
      { type: 'javascript', value: 'output[1] === "y"', transform: 'output.list' },
      { type: 'python', value: 'output[0] == "x"', transform: 'output.list' },
    ];
    const options = { transform: 'JSON.parse(output)' };
    const result = await importAll([], { tests: [{ vars: { q: '{"list": ["x", "y"]}' }, options, assert }] });
    expect(await scoresOf(result, '--agent', 'local.moved.echo')).toEqual({ 't-0001': 1 });
  });

  it('with a syntax error imports, and its task is unscored when it is run', async () => {
    const result = await importAll([{ type: 'javascript', value: 'output ===' }]);
    expect(result.code).toBe(0);
    const { code, out } = await result.cli.run(
      ...[
        'run',
        'out/moved.suite.yaml',
        '--config',
        'out/moved.config.json',
        '--agent',
        'local.moved.echo',
        '--json',
      ],
    );
    expect(code).toBe(3);
    expect(out).toContain('scorer_failed');
  });

  it('in Python becomes scorers too', async () => {
    const result = await importFiles(
      {
        'check.py':
          'def get_assert(output, context):\n    return {"pass": output == context["vars"]["q"], "score": 1, "reason": "r"}\n',
        'p.json': {
          prompts: ['{{q}}'],
          providers: ['echo'],
          tests: ['len(output) > 3', 'x = len(output)\nreturn x == 1', 'file://check.py'].map(
            (value, at) => ({
              vars: { q: `${at}` },
              assert: [{ type: 'python', value }],
            }),
          ),
        },
      },
      'p.json',
    );
    expect(await scoresOf(result, '--agent', 'local.moved.echo')).toEqual({
      't-0001': 0,
      't-0002': 1,
      't-0003': 1,
    });
  });
});

describe('tests', () => {
  it('in a table have a threshold and metadata in columns', async () => {
    const table = 'q,__expected1,__expected2,__threshold,__metadata:topic\na,contains: a,contains: b,0.5,x\n';
    const config = { prompts: ['{{q}}'], providers: ['echo'], tests: 'file://t.csv' };
    const result = await importFiles({ 'p.json': config, 't.csv': table }, 'p.json');
    const of = [{ contains: { text: 'a' } }, { contains: { text: 'b' } }];
    expect(result.tasks).toMatchObject([{ tags: ['x'], expect: [{ all: { of, min: 0.5 } }] }]);
    expect(await scoresOf(result, '--agent', 'local.moved.echo')).toEqual({ 't-0001': 1 });
  });

  it.each([
    ['output.a.b', '/a/b'],
    ['JSON.parse(output).a', '/a'],
    ['json.a[0]', '/a/0'],
  ])('with a transform %s look at %s of the answer', async (transform, pointer) => {
    const { tasks, items } = await importAll([{ type: 'contains', value: 'x', transform }]);
    expect(tasks[0]?.expect).toEqual([{ contains: { text: 'x', at: pointer } }]);
    expect(items).toEqual([]);
  });

  it('may use merge keys of YAML, and what is lost in them has the line where it stands', async () => {
    const source = (merge: string) => `
prompts: ['{{q}}']
providers: [echo]
common: &common
  metadata: { team: desk }
  assert:
    - { type: contains, value: a }
    - { type: is-sql }
other: &other { vars: { q: z }, metadata: { team: none } }
tests:
  - <<: ${merge}
    vars: { q: abc }
  - { vars: { q: b }, assert: [{ type: contains, value: b }] }
`;
    const result = await importFiles({ 'p.yaml': source('[*common, *other]') }, 'p.yaml');
    expect(result.tasks).toMatchObject([
      { tags: ['desk'], input: { q: 'abc' }, expect: [{ contains: { text: 'a' } }] },
      { input: { q: 'b' } },
    ]);
    expect(shownItems(result)).toEqual([
      'note p.yaml:4 common: not carried over',
      'lost p.yaml:8 assertion is-sql: nothing here stands for it',
      'note p.yaml:9 other: not carried over',
    ]);
    const wrong = await importFiles({ 'p.yaml': source('text') }, 'p.yaml');
    expect({ code: wrong.code, err: wrong.err }).toEqual({
      code: 2,
      err: expect.stringContaining('p.yaml:11:5 / Expected a mapping to merge'),
    });
  });

  it('of files, scenarios and lists of variables multiply out, and metadata are tags', async () => {
    const { tasks } = await importFiles(
      {
        'p.yaml': `
prompts: ['{{q}}']
providers: [echo]
defaultTest: { vars: { tone: kind }, metadata: { team: desk } }
tests:
  - { description: Both, vars: { q: [a, b], n: [1, 2] }, metadata: { topic: x }, assert: [{ type: contains, value: '{{q}}' }] }
  - file://more.jsonl
scenarios:
  - config: [{ vars: { q: c } }]
    tests: [{ assert: [{ type: contains, value: c }] }]
`,
        'more.jsonl': '{"vars":{"q":"d"},"assert":[{"type":"contains","value":"d"}]}\n',
      },
      'p.yaml',
    );
    expect(tasks.map(({ taskId, tags, input }) => ({ taskId, tags, input }))).toEqual([
      { taskId: 'both', tags: ['desk', 'x'], input: { tone: 'kind', q: 'a', n: [1, 2] } },
      { taskId: 'both-2', tags: ['desk', 'x'], input: { tone: 'kind', q: 'b', n: [1, 2] } },
      { taskId: 't-0003', tags: ['desk'], input: { tone: 'kind', q: 'd' } },
      { taskId: 't-0004', tags: ['desk'], input: { tone: 'kind', q: 'c' } },
    ]);
  });

  it('may have their variables in files', async () => {
    const { tasks, items } = await importFiles(
      {
        'p.yaml': `
prompts: ['{{q}}']
providers: [echo]
tests:
  - { vars: file://one.yaml, assert: [{ type: contains, value: '{{q}}' }] }
  - { vars: [one.yaml, two.json], assert: [{ type: contains, value: '{{q}}' }] }
`,
        'one.yaml': 'q: a\nn: 1\n',
        'two.json': { q: 'b' },
      },
      'p.yaml',
    );
    expect([tasks.map(({ input }) => input), items]).toEqual([
      [
        { q: 'a', n: 1 },
        { q: 'b', n: 1 },
      ],
      [],
    ]);
  });

  it('lose what is not where it should be, or comes from elsewhere, and never without a word', async () => {
    const result = await importFiles(
      {
        'p.yaml': `
prompts: ['{{q}}', '{{ env.TONE }} {{q}}']
providers: [echo]
defaultTest: 7
tests:
  - { vars: file://gone.yaml, assert: [{ type: contains, value: x }] }
  - { vars: { q: '{{ env.HOME }}' }, assert: [{ type: contains, value: x }] }
  - { vars: { q: '{{ w | upper }}' }, assert: [{ type: contains, value: x }] }
  - { vars: { q: a }, assert: [{ type: equals, value: '{{ env.HOME }}' }, { type: contains, value: x }] }
  - file://rows.jsonl
scenarios:
  - tests: [{ assert: [{ type: contains, value: c }] }]
`,
        'rows.jsonl': '7\n{"vars":{"q":"d"},"assert":[{"type":"contains","value":"d"}]}\n',
      },
      'p.yaml',
    );
    expect(result.tasks).toHaveLength(5);
    expect(shownItems(result).filter((item) => item.startsWith('lost'))).toEqual([
      'lost p.yaml:2 prompt: a template with more than names',
      'lost p.yaml:4 defaultTest that is neither a test nor a file',
      'lost p.yaml:6 variables that are neither members nor in a file that is there',
      'lost p.yaml:7 variable whose template needs more than names',
      'lost p.yaml:8 variable whose template needs more than names',
      'lost p.yaml:9 assertion equals: its value is a template with more than names',
      'lost p.yaml:12 scenario without data or tests',
      'lost rows.jsonl:1 test that is no object',
    ]);
  });

  it('whose lists multiply out to very many are lost, and the others come over', async () => {
    const list = Array.from({ length: 101 }, (_, at) => `${at}`);
    const tests = [
      { vars: { a: list, b: list }, assert: [{ type: 'contains', value: 'x' }] },
      { vars: { a: 'x' }, assert: [{ type: 'contains', value: 'x' }] },
    ];
    const result = await importAll([], { tests });
    expect(result.err).toContain('1 of 2 tests, 1 of 2 assertions carried over; 1 lost');
    expect(result.items.find(({ severity }) => severity === 'lost')).toMatchObject({
      pointer: '/tests/0/vars',
      what: expect.stringContaining('10000'),
    });
  });

  it('with the answer of a provider give its verdict, without any agent', async () => {
    const tests = ['yes', 'no'].map((providerOutput) => ({
      description: providerOutput,
      vars: {},
      providerOutput,
      assert: [{ type: 'equals', value: 'yes' }],
    }));
    expect(await scoresOf(await importAll([], { tests }))).toEqual({ yes: 1, no: 0 });
  });

  it('count a default assertion that is lost once for each of them, in one item', async () => {
    const defaultTest = { assert: [{ type: 'moderation' }] };
    const { items, err } = await importAll(
      [
        { type: 'contains', value: 'a' },
        { type: 'contains', value: 'b' },
      ],
      { defaultTest },
    );
    expect(err).toContain('2 of 2 tests, 2 of 4 assertions carried over; 2 lost');
    expect(items).toMatchObject([{ pointer: '/defaultTest/assert/0', times: 2 }]);
  });

  it.each(['redteam', 'tracing', 'derivedMetrics', 'extensions'])(
    'lose %s of the configuration, with its place',
    async (name) => {
      const result = await importAll([{ type: 'contains', value: 'a' }], { [name]: {} });
      expect(shownItems(result)).toEqual([`lost p.json:1 ${name}: nothing here stands for it`]);
    },
  );
});

describe('prompts with providers', () => {
  const config = (providers: unknown, more: object = {}) =>
    importFiles(
      {
        'provider.js':
          'module.exports = class { async callApi(prompt) { return { output: prompt + "!" }; } };',
        'provider.py': 'def call_api(prompt, options, context):\n    return {"output": prompt + "!"}\n',
        'p.json': {
          prompts: ['Answer {{q}}, {{ tone }}'],
          providers,
          tests: [
            { vars: { q: 'a', tone: 'kindly' }, assert: [{ type: 'contains', value: 'a' }] },
            { vars: { q: 'b' }, assert: [{ type: 'contains', value: 'b' }] },
          ],
          ...more,
        },
      },
      'p.json',
    );

  it('are one agent each, of models with their parameters', async () => {
    const openai = {
      id: 'openai:chat:gpt-4o-mini',
      label: 'Mini',
      config: { temperature: 0, max_tokens: 9, tools: [] },
    };
    const providers = [openai, 'anthropic:messages:claude-x', 'google:gemini-x', 'ollama:llama3'];
    const { config: made, items, cli } = await config(providers);
    const run = (more: object): object => ({ kind: 'openai', ...more, promptFile: './prompts/prompt-1.md' });
    expect(made).toEqual({
      providers: { ollama: { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:11434/v1' } },
      agents: [
        [
          'mini',
          { provider: 'openai', model: 'gpt-4o-mini', parameters: { temperature: 0, maxTokens: 9 } },
        ] as const,
        ['anthropic-messages-claude-x', { provider: 'anthropic', model: 'claude-x' }] as const,
        ['google-gemini-x', { provider: 'google', model: 'gemini-x' }] as const,
        ['ollama-llama3', { provider: 'ollama', model: 'llama3' }] as const,
      ].map(([name, more]) => ({ agentId: `local.moved.${name}`, version: '1.0.0', run: run(more) })),
    });
    expect(cli.read('out/prompts/prompt-1.md')).toBe('Answer {{ q }}, {{ tone | default("") }}\n');
    expect(items).toMatchObject([{ severity: 'lost', pointer: '/providers/0/config/tools' }]);
    const dry = [
      'run',
      'out/moved.suite.yaml',
      '--config',
      'out/moved.config.json',
      '--agent',
      'local.moved.ollama-llama3',
    ];
    expect((await cli.run(...dry, '--dry-run')).code).toBe(0);
  });

  it('map a service by its body and the place of its answer', async () => {
    const service = {
      id: 'https://desk.example/chat',
      config: {
        headers: { authorization: 'Bearer {{env.DESK_KEY}}' },
        body: { message: '{{prompt}}', who: '{{q}}' },
        transformResponse: 'json.choices[0].text',
      },
    };
    const { config: made, items } = await config([service]);
    expect(made.agents).toMatchObject([
      {
        run: {
          kind: 'http',
          url: 'https://desk.example/chat',
          method: 'POST',
          headers: { authorization: 'Bearer ${DESK_KEY}' },
          request: { message: 'Answer {{ q }}, {{ tone | default("") }}', who: '{{ q }}' },
          response: { output: '/choices/0/text' },
        },
      },
    ]);
    expect(items).toEqual([]);
  });

  it.each([
    ['file://provider.js', 'local.moved.file-provider-js'],
    ['file://provider.py', 'local.moved.file-provider-py'],
    ['exec:echo', 'local.moved.exec-echo'],
  ])('that are code answer here as there: %s', async (provider, agent) => {
    const result = await config([provider]);
    expect(result.items).toMatchObject([{ severity: 'changed', pointer: '/providers/0' }]);
    expect(await scoresOf(result, '--agent', agent)).toEqual({ 't-0001': 1, 't-0002': 1 });
  });

  it('that nothing here stands for are lost by their name', async () => {
    const result = await config(['bedrock:anthropic.claude', 'echo']);
    expect(shownItems(result)).toEqual(['lost p.json:1 provider bedrock: nothing here stands for it']);
  });

  it('are multiplied, and chat messages stay messages', async () => {
    const chat = JSON.stringify([
      { role: 'system', content: 'Be {{tone}}' },
      { role: 'user', content: '{{q}}' },
    ]);
    const prompts = [
      { label: 'Chat', raw: chat },
      { label: 'Plain', raw: '{{q}}' },
    ];
    const { config: made } = await config(['ollama:a', 'ollama:b'], { prompts });
    expect((made.agents as { agentId: string }[]).map(({ agentId }) => agentId)).toEqual([
      'local.moved.ollama-a-chat',
      'local.moved.ollama-a-plain',
      'local.moved.ollama-b-chat',
      'local.moved.ollama-b-plain',
    ]);
    expect(made.agents).toMatchObject([
      {
        run: {
          prompt: [
            { role: 'system', content: 'Be {{ tone | default("") }}' },
            { role: 'user', content: '{{ q }}' },
          ],
        },
      },
      { run: { promptFile: './prompts/plain.md' } },
      {},
      {},
    ]);
  });

  it('that end with a line break say so, because the other tool may leave it out', async () => {
    const source = (prompt: string) =>
      `prompts:\n  - ${prompt}\nproviders: [echo]\ntests: [{ vars: { q: a }, assert: [{ type: equals, value: a }] }]\n`;
    const kept = await importFiles({ 'p.yaml': source('|\n    {{q}}') }, 'p.yaml');
    expect(shownItems(kept)).toEqual([
      'changed p.yaml:2 prompt: ends with a line break, which promptfoo may leave out',
    ]);
    expect((await importFiles({ 'p.yaml': source("'{{q}}'") }, 'p.yaml')).items).toEqual([]);
  });

  it('that need more than names are lost with their place', async () => {
    const prompts = ['{% if q %}x{% endif %}', '{{q}}'];
    const { items, config: made } = await config(['ollama:a'], { prompts });
    expect(items).toMatchObject([
      { severity: 'lost', pointer: '/prompts/0', what: 'prompt: a template with more than names' },
    ]);
    expect(made.agents).toHaveLength(1);
  });
});
