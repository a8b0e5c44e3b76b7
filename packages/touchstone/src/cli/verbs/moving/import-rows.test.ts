import { describe, expect, it } from 'vitest';
import { importFiles, lines, scoresOf, shownItems } from '../../testing/import-cli.js';

const LONG = 'An answer of more than forty characters, which nobody repeats word by word.';

describe('rows', () => {
  it('become checks by the shape of the expected value, and the report counts each', async () => {
    const rows = [
      { input: 'a', expected: 'Paris' },
      { input: 'b', expected: LONG },
      { input: 'c', expected: { city: 'Paris' } },
      { input: 'd', expected: 4 },
    ];
    const { tasks, cli } = await importFiles({ 'a.jsonl': lines(rows) }, 'rows', 'a.jsonl');
    expect(tasks.map(({ expect: [entry] }) => entry)).toEqual([
      { equals: { value: 'Paris' } },
      { judge: { reference: LONG }, says: 'The answer says the same as the reference.' },
      { 'json-subset': { value: { city: 'Paris' } } },
      { 'json-subset': { value: 4 } },
    ]);
    expect(cli.read('out/import-report.md')).toContain('- equals: 1\n- judge: 1\n- json-subset: 2\n');
  });

  it.each([
    ['exact', { equals: { value: 'Paris' } }],
    ['contains', { contains: { text: 'Paris' } }],
    ['overlap', { overlap: { text: 'Paris', min: 0.75 } }],
    ['json', { 'json-subset': { value: 'Paris' } }],
    ['judge', { judge: { reference: 'Paris' }, says: 'The answer says the same as the reference.' }],
    ['none', { 'not-refused': {} }],
  ])('--expect %s decides instead', async (expected, entry) => {
    const files = { 'a.csv': 'input,expected\na,Paris\n' };
    const { tasks } = await importFiles(files, 'rows', 'a.csv', '--expect', expected);
    expect(tasks[0]?.expect).toEqual([entry]);
  });

  it('are read by columns or pointers that --map names', async () => {
    const rows = [{ key: 'k1', q: { text: 'Where?' }, a: 'Here', topic: 'a, b', docs: ['d'] }];
    const map = 'input=/q/text,expected=a,id=key,tags=topic,context=docs';
    const { tasks } = await importFiles({ 'a.jsonl': lines(rows) }, 'rows', 'a.jsonl', '--map', map);
    expect(tasks).toEqual([
      {
        taskId: 'k1',
        tags: ['a', 'b'],
        input: { input: 'Where?', context: ['d'] },
        expect: [{ equals: { value: 'Here' } }],
      },
    ]);
  });

  it.each(['target', 'ideal', 'expected_output', 'expectedOutput', 'outputs', '__expected'])(
    'know %s as what is expected',
    async (name) => {
      const { tasks } = await importFiles({ 'a.csv': `input,${name}\na,b\n` }, 'rows', 'a.csv');
      expect(tasks[0]?.expect).toEqual([{ equals: { value: 'b' } }]);
    },
  );

  it('keep messages as messages', async () => {
    const messages = [{ role: 'user', content: 'Hi' }];
    const { tasks } = await importFiles(
      { 'a.jsonl': lines([{ messages, expected: 'Hello' }]) },
      'rows',
      'a.jsonl',
    );
    expect(tasks[0]?.input).toEqual({ messages });
  });

  it('without an expected value are left out with their line, also below a cell of two lines', async () => {
    const result = await importFiles({ 'a.csv': 'input,expected\n"a\nb",x\nc,\n' }, 'rows', 'a.csv');
    expect(result.err).toContain('1 of 2 tests, 1 of 1 assertions carried over; 1 lost');
    expect(shownItems(result)).toEqual([
      'lost a.csv:4 test: left out, because it has no assertion and would pass with any answer',
    ]);
  });

  it.each(['""', '" "', 'null'])(
    'whose expected value is %s are never held to an empty answer',
    async (empty) => {
      const rows = `{"input":"a","expected":"x"}\n{"input":"b","expected":${empty}}\n`;
      const result = await importFiles({ 'a.jsonl': rows }, 'rows', 'a.jsonl');
      expect(result.tasks).toHaveLength(1);
      expect(shownItems(result)).toEqual([expect.stringMatching(/^lost a.jsonl:2 test: left out/)]);
    },
  );

  it('whose expected value is empty beside another expectation say so', async () => {
    const tools = [{ name: 'get_order' }];
    const rows = lines([
      { input: 'a', expected_output: '', expected_tools: tools },
      { input: 'b', expected_output: 'x' },
    ]);
    const result = await importFiles({ 'a.jsonl': rows }, 'deepeval', 'a.jsonl');
    expect(result.tasks).toHaveLength(2);
    expect(shownItems(result)).toContain(
      'note a.jsonl:1 expected value: empty, so nothing is expected of the answer',
    );
  });

  it('with an answer give the verdicts that the answers deserve', async () => {
    const rows = [
      { id: 'right', input: 'a', expected: 'Paris', output: 'Paris' },
      { id: 'wrong', input: 'b', expected: 'Rome', output: 'Oslo' },
    ];
    const result = await importFiles({ 'a.jsonl': lines(rows) }, 'rows', 'a.jsonl');
    expect(await scoresOf(result)).toEqual({ right: 1, wrong: 0 });
  });

  it('say which columns are not carried over', async () => {
    const result = await importFiles({ 'a.csv': 'input,expected,notes\na,b,c\n' }, 'rows', 'a.csv');
    expect(shownItems(result)).toEqual(['note a.csv:2 column "notes": not carried over']);
  });

  it('without a column for the input are refused with the columns that there are', async () => {
    const { code, err } = await importFiles({ 'a.csv': 'foo,bar\na,b\n' }, 'rows', 'a.csv');
    expect(code).toBe(2);
    expect(err).toContain('--map input=<column>. The rows have: foo, bar.');
  });
});

describe('presets', () => {
  it('langsmith: inputs, outputs, metadata', async () => {
    const row = {
      inputs: { question: 'Where?' },
      outputs: { answer: 'Here' },
      metadata: { topic: 'places', n: 3 },
    };
    const { tasks } = await importFiles({ 'a.jsonl': lines([row]) }, 'langsmith', 'a.jsonl');
    expect(tasks).toEqual([
      {
        taskId: 't-0001',
        tags: ['places'],
        input: { question: 'Where?' },
        expect: [{ 'json-subset': { value: { answer: 'Here' } } }],
      },
    ]);
  });

  it('langsmith: cells of a table hold JSON', async () => {
    const files = { 'a.csv': 'inputs,outputs\n"{""q"":1}","{""a"":2}"\n' };
    const { tasks } = await importFiles(files, 'langsmith', 'a.csv');
    expect(tasks[0]).toMatchObject({ input: { q: 1 }, expect: [{ 'json-subset': { value: { a: 2 } } }] });
  });

  it('braintrust: input, expected, metadata, tags, id, and the output as the recorded answer', async () => {
    const row = { id: 'R1', input: 'a', expected: 'b', output: 'b', tags: ['x'], metadata: { topic: 'y' } };
    const result = await importFiles({ 'a.jsonl': lines([row]) }, 'braintrust', 'a.jsonl');
    expect(result.tasks[0]).toMatchObject({ taskId: 'r1', tags: ['x', 'y'], input: 'a' });
    expect(await scoresOf(result)).toEqual({ r1: 1 });
  });

  it('langfuse: archived items are left out and noted, and stay in the count', async () => {
    const rows = [
      { input: 'a', expectedOutput: 'b', status: 'ACTIVE' },
      { input: 'c', expectedOutput: 'd', status: 'ARCHIVED' },
    ];
    const result = await importFiles({ 'a.jsonl': lines(rows) }, 'langfuse', 'a.jsonl', '--strict');
    expect(result.code).toBe(0);
    expect(result.err).toContain('1 of 2 tests, 1 of 1 assertions carried over; nothing lost');
    expect(shownItems(result)).toContain('note a.jsonl:2 test: left out, because it is archived');
  });

  it('deepeval: expected tools are a check, and the answer with its calls is recorded', async () => {
    const row = {
      input: 'Where is 1042?',
      expected_output: 'Friday',
      actual_output: 'Friday',
      context: ['Orders take a week.'],
      expected_tools: [{ name: 'orders.get' }],
      tools_called: [{ name: 'orders.get' }],
    };
    const result = await importFiles({ 'a.json': [row] }, 'deepeval', 'a.json');
    expect(result.tasks[0]).toMatchObject({
      input: { input: 'Where is 1042?', context: ['Orders take a week.'] },
      expect: [
        { equals: { value: 'Friday' } },
        { 'tool-sequence': ['local:orders.get'], order: 'any-order' },
      ],
    });
    expect(await scoresOf(result)).toEqual({ 't-0001': 1 });
  });

  it('deepeval: a conversation is fixed turns or a simulated user, and its outcome a question to the judge', async () => {
    const rows = [
      { scenario: 'Wants a refund', expected_outcome: 'The refund is granted.' },
      {
        scenario: 'Asks twice',
        turns: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'Yes?' },
          { role: 'user', content: 'Refund?' },
        ],
        expected_outcome: 'It is granted.',
      },
    ];
    const result = await importFiles({ 'a.json': rows }, 'deepeval', 'a.json');
    expect(result.tasks.map(({ input }) => input)).toEqual([
      { user: { opening: 'Wants a refund', goal: 'Wants a refund' } },
      { turns: ['Hi', 'Refund?'] },
    ]);
    expect(result.tasks[0]?.expect).toEqual([
      { judge: {}, says: 'The conversation ends like this: The refund is granted.' },
    ]);
    expect(result.items.map(({ severity }) => severity)).toEqual(['changed', 'changed', 'changed']);
  });
});
