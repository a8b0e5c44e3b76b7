import { describe, expect, it } from 'vitest';
import { readRows } from './read-rows.js';
import { normaliseRows } from './row-reader.js';
import { allRows, pieces, rowOf, rowsOf, troubleOf } from './testing/reading.js';

const ID = '1b4e28ba-2fa1-11d2-883f-0016d3cca427';

describe('the shapes a row may have', () => {
  it('a normal row is kept as it is', async () => {
    const row = {
      id: 'r-1',
      input: { text: 'hi' },
      expected: null,
      match: 'json-match',
      reference: ['a', 'b'],
      schema: { type: 'object' },
      forbidden: ['secret'],
      criteria: ['accuracy'],
      capability: 'triage',
      tools: [{ tool: 'local:kb', response: null }, { tool: 'mcp:files.read' }],
      memory: [{ content: 'likes tea', tags: ['taste'] }],
      tags: ['slow'],
    };
    expect(await rowOf(row)).toEqual(row);
  });

  it.each(['target', 'ideal', 'expected_output', 'expectedOutput', 'outputs', '__expected'])(
    'a row of another tool, which calls what it expects %s',
    async (name) => {
      expect(await rowOf({ input: 'a', [name]: 'b' })).toEqual({ input: 'a', expected: 'b' });
      expect(await rowOf({ input: 'a', expected: 'b', [name]: 'c' })).toEqual({ input: 'a', expected: 'b' });
    },
  );

  it('a row with messages, unless it has an input', async () => {
    const messages = [{ role: 'user', content: 'Hi' }];
    expect(await rowOf({ messages, ideal: 'Hello' })).toEqual({ input: { messages }, expected: 'Hello' });
    expect(await rowOf({ input: 'Hi', messages, ideal: 'Hello' })).toEqual({
      input: 'Hi',
      expected: 'Hello',
    });
  });

  it('a case with inputs and expectations', async () => {
    const row = await rowOf({
      id: ID,
      corpus_id: ID,
      inputs: {
        prompt: 'Hello',
        files: [],
        context: {},
        tool_outputs: { search: { hits: 2 }, 'mcp:a.b': 1 },
      },
      expectations: {
        text: 'Hi',
        schema_id: null,
        structure: { type: 'object' },
        reasoning: [],
        forbidden_content: ['no'],
        tool_mocks: { search: 'made up', send: 'ok' },
        tone: null,
      },
    });
    expect(row).toEqual({
      id: ID,
      input: 'Hello',
      reference: 'Hi',
      schema: { type: 'object' },
      forbidden: ['no'],
      tools: [
        { tool: 'local:search', response: { hits: 2 } },
        { tool: 'mcp:a.b', response: 1 },
        { tool: 'local:send', response: 'ok' },
      ],
    });
  });

  it('context and files travel with what is asked', async () => {
    const inputs = { prompt: 'Sum up', files: ['a.pdf'], context: { lang: 'en' } };
    expect(await rowOf({ corpus_id: ID, inputs })).toEqual({
      input: 'Sum up',
      beside: { files: ['a.pdf'], context: { lang: 'en' } },
    });
    expect(await rowOf({ input: { q: 1 }, context: 'c' })).toEqual({ input: { q: 1, context: 'c' } });
  });

  it('a case of a manifest, with its structure as a schema', async () => {
    const structure = { type: 'object', required: ['y'] };
    const row = { id: 'c1', prompt: 'Go', context_files: [], expected_output_structure: structure };
    const file = { schema_version: '1.0', corpus_id: 'x', cases: [row] };
    expect(await rowsOf(JSON.stringify(file))).toEqual([{ id: 'c1', input: 'Go', schema: structure, at: 1 }]);
  });

  it.each([
    [
      { inputs: { q: 1 }, reference: ['a', 'b'] },
      { input: { q: 1 }, reference: ['a', 'b'] },
    ],
    [
      { input: 'q', output: 'a' },
      { input: 'q', reference: 'a' },
    ],
    [
      { question: 'q', answer: 'a' },
      { input: 'q', reference: 'a' },
    ],
    [
      { id: 7, prompt: 'q', expected_text: 'a' },
      { id: '7', input: 'q', reference: 'a' },
    ],
    [
      { input: 'q', memory: ['m'] },
      { input: 'q', memory: [{ content: 'm' }] },
    ],
  ])('a pair of question and answer: %j', async (row, normal) => {
    expect(await rowOf(row)).toEqual(normal);
  });

  it.each([
    [
      { objective: 'o', validation_logic: 'exact_match' },
      { input: 'o', expected: 'done' },
    ],
    [
      { objective: 'o', validation_logic: 'fuzzy' },
      { input: 'o', reference: 'done' },
    ],
    [
      { inputs: { a: 1 }, validation_logic: 'llm_judge' },
      { input: { a: 1 }, reference: 'done' },
    ],
  ])('a scenario: %j', async (scenario, normal) => {
    const v1 = { id: 's', name: 'n', difficulty: 2, expected_outcome: 'done', ...scenario };
    expect(await rowOf(v1)).toEqual({ id: 's', ...normal });
    const v2 = { id: 's', description: 'd', expected_output: 'done', ...scenario };
    expect(await rowOf(v2)).toEqual({ id: 's', ...normal });
  });

  it('code of a scenario is neither run nor compared with, and that is said', async () => {
    const scenario = {
      id: 's',
      objective: 'o',
      expected_outcome: 'process.exit(9)',
      validation_logic: 'code_eval',
    };
    const rows = readRows(pieces(JSON.stringify(scenario)));
    expect(await allRows(rows)).toEqual([{ id: 's', input: 'o', at: 1 }]);
    expect(rows.warnings()).toMatchObject([{ code: 'code_eval', line: 1 }]);
  });

  it('tasks of a suite, golden with its match and rubric without', async () => {
    const suite = {
      suiteId: 'local.acme.evals.x',
      version: '1.0.0',
      modes: ['golden', 'rubric'],
      tasks: [
        {
          taskId: 't-1',
          input: { q: 1 },
          expected: { kind: 'golden', match: { strategy: 'contains', value: null } },
          fixtures: { toolResponses: [{ tool: 'local:kb', response: 1 }], memorySeed: [{ content: 'm' }] },
        },
        {
          taskId: 't-2',
          input: 'q',
          expected: { kind: 'rubric', rubric: [{ criterion: 'polite', weight: 1 }] },
        },
      ],
    };
    const rows = readRows(pieces(JSON.stringify(suite)), { name: 'suite.json' });
    expect(await allRows(rows)).toEqual([
      {
        id: 't-1',
        input: { q: 1 },
        expected: null,
        match: 'contains',
        tools: [{ tool: 'local:kb', response: 1 }],
        memory: [{ content: 'm' }],
        at: 1,
      },
      { id: 't-2', input: 'q', at: 2 },
    ]);
    expect(rows.warnings()).toMatchObject([
      { code: 'unused_row_key', message: expect.stringContaining('rubric') },
    ]);
  });

  it('a table with the columns of a corpus', async () => {
    const header =
      'id,corpus_id,prompt,files,context,tool_outputs,expected_text,expected_schema_id,expected_structure,expected_reasoning,forbidden_content,tool_mocks';
    const cells = `1,${ID},"Hi, you",[],,"{""f"": 1}",Hello,,"{""type"": ""string""}",,never,`;
    expect(await rowsOf(`${header}\r\n${cells}\r\n`)).toEqual([
      {
        id: '1',
        input: 'Hi, you',
        reference: 'Hello',
        schema: { type: 'string' },
        forbidden: ['never'],
        tools: [{ tool: 'local:f', response: 1 }],
        at: 2,
      },
    ]);
  });

  it('what has no effect is told once a name, with the first line it stands in', async () => {
    const rows = readRows(
      pieces('{"input":1}\n{"input":2,"colour":"red","tone":"kind"}\n{"input":3,"colour":"blue"}\n'),
    );
    await allRows(rows);
    expect(rows.warnings()).toMatchObject([
      { code: 'unknown_row_key', message: expect.stringContaining('"colour"'), line: 2 },
      { code: 'unused_row_key', message: expect.stringContaining('"tone"'), line: 2 },
    ]);
    expect(JSON.stringify(rows.warnings())).not.toMatch(/red|kind"|blue/);
  });

  it.each([
    [3, ['2:/1 Expected an object, got a number.']],
    [{ output: 'x' }, ['2:/1 Expected an input: one of input, inputs, prompt, question, objective.']],
    [{ input: null }, ['2:/1 Expected an input: one of input, inputs, prompt, question, objective.']],
    [{ input: 1, prompt: 2 }, ['2:/1/prompt "input" says the same already. Keep one of the two.']],
    [{ input: 1, answer: 2, text: 3 }, ['2:/1/text "answer" says the same already. Keep one of the two.']],
    [{ input: 1, id: '' }, ['2:/1/id Expected a text that is not empty, got an empty one.']],
    [{ input: 1, id: {} }, ['2:/1/id Expected a text that is not empty, got an object.']],
    [{ input: 1, match: 'regex' }, ['2:/1/match Expected one of exact, contains, json-match.']],
    [{ input: 1, reference: [] }, ['2:/1/reference Expected at least one acceptable answer in the list.']],
    [{ input: 1, schema: true }, ['2:/1/schema Expected an object, got a boolean.']],
    [{ input: 1, forbidden: ['a', ''] }, ['2:/1/forbidden Expected an array of texts that are not empty.']],
    [{ input: 1, tags: 'x' }, ['2:/1/tags Expected an array of texts that are not empty.']],
    [{ input: 1, tools: {} }, ['2:/1/tools Expected an array of tools, got an object.']],
    [
      { input: 1, tools: [{ tool: 'a b' }] },
      ['2:/1/tools/0/tool Expected the name of a tool without spaces.'],
    ],
    [
      { input: 1, tools: [{ tool: 'a', reply: 1 }] },
      ['2:/1/tools/0 Expected no members but "tool" and "response".'],
    ],
    [{ input: 1, tool_mocks: [] }, ['2:/1/tool_mocks Expected an object of answers by tool, got an array.']],
    [{ input: 1, memory: [{}] }, ['2:/1/memory/0 A memory seed needs "content", a string.']],
    [{ input: 1, memory: [1] }, ['2:/1/memory/0 Expected an object or a text, got a number.']],
    [
      { inputs: 'x', expectations: {} },
      [
        '2:/1/inputs Expected an object, got a string.',
        '2:/1 Expected an input: one of input, inputs, prompt, question, objective.',
      ],
    ],
    [
      { input: { context: 1 }, context: 'c' },
      ['2:/1/input/context The row has "context" beside its input already. Keep one of the two.'],
    ],
    [
      { objective: 1, validation_logic: 'vibes' },
      ['2:/1/validation_logic Expected one of exact_match, fuzzy, llm_judge, code_eval.'],
    ],
    [
      { taskId: 't', input: 1, expected: { kind: 'rubric' } },
      ['2:/1/expected/rubric Expected a "rubric" with criteria in a task of kind rubric: there is none.'],
    ],
    [
      { taskId: 't', input: 1, expected: { kind: 'rubric', rubric: [] } },
      ['2:/1/expected/rubric Expected a "rubric" with criteria in a task of kind rubric: there is none.'],
    ],
    [
      { taskId: 't', input: 1, expected: { kind: 'golden' } },
      ['2:/1/expected/match Expected "match" in a task of kind golden: there is none.'],
    ],
    [{ taskId: 't', input: 1, expected: {} }, ['2:/1/expected/kind Expected one of golden, rubric.']],
    [{ taskId: 't', input: 1, expected: 'x' }, ['2:/1/expected Expected an object, got a string.']],
  ])('a malformed row is refused by its line: %j', async (row, issues) => {
    const trouble = await troubleOf(rowsOf(`{"input":1}\n${JSON.stringify(row)}\n{"input":2}`));
    expect(trouble).toEqual({ code: 'invalid_rows', issues: expect.arrayContaining(issues) });
    expect(trouble.issues).toHaveLength(issues.length);
  });
});

describe('rows that are handed over', () => {
  it('are read like those of a file', () => {
    const { rows, warnings } = normaliseRows([{ prompt: 'a', colour: 1 }, { input: 'b' }]);
    expect(rows).toEqual([
      { input: 'a', at: 1 },
      { input: 'b', at: 2 },
    ]);
    expect(warnings).toMatchObject([{ code: 'unknown_row_key' }]);
  });

  it('are refused by their place', async () => {
    const trouble = await troubleOf(() => normaliseRows([{ input: 1 }, { input: 1, match: 2 }], '/rows'));
    expect(trouble.issues).toEqual([':/rows/1/match Expected one of exact, contains, json-match.']);
    const unsound = await troubleOf(() => normaliseRows([{ input: Number.NaN }], '/rows'));
    expect(unsound.issues).toEqual([':/rows/0/input Expected a finite number that fits a double.']);
  });
});
