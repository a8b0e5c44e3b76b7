import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { importInto, verdicts } from '../../testing/import-checks.js';
import { lines, shownItems } from '../../testing/import-cli.js';
import { openTestCli, type TestCli } from '../../testing/test-cli.js';

let cli: TestCli;
beforeEach(() => {
  cli = openTestCli();
});
afterEach(() => cli.close());

type Attributes = { readonly [key: string]: unknown };
type SpanDraft = {
  readonly id: string;
  readonly parent?: string;
  readonly name?: string;
  readonly at?: number;
};

const anyValue = (value: unknown): object => {
  if (typeof value === 'number') return { intValue: String(value) };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  if (typeof value === 'object' && value !== null)
    return {
      kvlistValue: { values: Object.entries(value).map(([key, one]) => ({ key, value: anyValue(one) })) },
    };
  return { stringValue: String(value) };
};
const pairs = (attributes: Attributes): object[] =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
const span = ({ id, parent, name = id, at = 0 }: SpanDraft, attributes: Attributes): object => ({
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: id,
  ...(parent && { parentSpanId: parent }),
  name,
  startTimeUnixNano: `${1_700_000_000_000_000_000n + BigInt(at) * 1_000_000n}`,
  endTimeUnixNano: `${1_700_000_000_000_000_000n + BigInt(at + 250) * 1_000_000n}`,
  attributes: pairs(attributes),
});
const trace = (spans: readonly object[], resource: Attributes = { 'service.name': 'desk' }): object => ({
  resourceSpans: [{ resource: { attributes: pairs(resource) }, scopeSpans: [{ scope: {}, spans }] }],
});

const said = (role: string, content: string): object => ({ role, parts: [{ type: 'text', content }] });
const agent = {
  'gen_ai.operation.name': 'invoke_agent',
  'gen_ai.agent.name': 'desk',
  'gen_ai.input.messages': JSON.stringify([
    said('system', 'Be brief.'),
    said('user', 'Where is order 1042?'),
  ]),
  'gen_ai.output.messages': [said('assistant', 'It arrives on Friday.')],
};
const tool = (name: string, args: unknown, result: unknown): Attributes => ({
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.name': name,
  'gen_ai.tool.call.arguments': args,
  'gen_ai.tool.call.result': result,
});
const lookUp = trace([
  span({ id: 'b2', parent: 'a1', at: 20 }, tool('notify', JSON.stringify({ on: 'friday' }), 'sent')),
  span({ id: 'a1' }, agent),
  span({ id: 'a2', parent: 'a1', at: 5 }, { ...agent, 'gen_ai.agent.name': 'inner' }),
  span({ id: 'b1', parent: 'a2', at: 10 }, tool('get_order', { order_id: '1042' }, { arrives: 'Friday' })),
]);
const suite = (name = 'traces') => parse(cli.read(`out/${name}.suite.yaml`));

describe('import otel', () => {
  test('the outermost span of an agent becomes a task that nobody has reviewed, with its tools by start time', async () => {
    cli.write('traces.jsonl', lines([lookUp]));
    const document = await importInto(cli, 'traces.jsonl');
    expect(document).toMatchObject({ format: 'otel', tests: { all: 1, carried: 1 }, lost: 0 });
    expect(shownItems(document)).toEqual([
      'note traces.jsonl:1 system messages: left out, because an agent brings its own',
    ]);
    expect(suite().tasks).toEqual([
      {
        taskId: '0af7651916cd43dd8448eb211c80319c',
        tags: ['unreviewed'],
        input: 'Where is order 1042?',
        fixtures: {
          toolResponses: [
            { tool: 'local:get_order', response: { arrives: 'Friday' } },
            { tool: 'local:notify', response: 'sent' },
          ],
        },
        expect: [
          {
            'tool-sequence': [
              { tool: 'local:get_order', inputs: { $exact: { order_id: '1042' } } },
              { tool: 'local:notify', inputs: { $exact: { on: 'friday' } } },
            ],
            order: 'in-order',
          },
        ],
      },
    ]);
    expect(JSON.parse(cli.read('out/recorded.jsonl'))).toMatchObject({
      output: 'It arrives on Friday.',
      latencyMs: 250,
    });
  });

  test('the answers of production meet the sequence that was recorded', async () => {
    cli.write('traces.json', lookUp);
    await importInto(cli, 'otel', 'traces.json');
    expect(await verdicts(cli, 'out/traces.suite.yaml', 'out/recorded.jsonl')).toEqual({
      '0af7651916cd43dd8448eb211c80319c': true,
    });
  });

  test('spans of OpenInference mean the same: an agent, or else a chain at the root', async () => {
    const tools = span(
      { id: 'b1', parent: 'a1', at: 1 },
      {
        'openinference.span.kind': 'TOOL',
        'tool.name': 'get_order',
        'tool.parameters': '{"order_id":"1042"}',
        'output.value': 'Friday',
      },
    );
    const whole = { 'input.value': 'Where is order 1042?', 'output.value': 'On Friday.' };
    for (const kind of ['AGENT', 'CHAIN']) {
      const above = span({ id: 'a1' }, { 'openinference.span.kind': kind, ...whole });
      const within = span(
        { id: 'c1', parent: 'a1', at: 2 },
        { 'openinference.span.kind': 'CHAIN', ...whole },
      );
      cli.write('traces.jsonl', lines([trace([above]), trace([within, tools])]));
      await importInto(cli, 'traces.jsonl', '--force');
      expect(suite().tasks).toHaveLength(1);
      expect(suite().tasks[0]).toMatchObject({
        input: 'Where is order 1042?',
        fixtures: { toolResponses: [{ tool: 'local:get_order', response: 'Friday' }] },
        expect: [
          { 'tool-sequence': [{ tool: 'local:get_order', inputs: { $exact: { order_id: '1042' } } }] },
        ],
      });
    }
  });

  test('messages of several turns stay messages', async () => {
    const image = { role: 'user', parts: [{ type: 'uri', modality: 'image', uri: 'x.png' }] };
    const messages = [
      image,
      said('user', 'Hello'),
      said('assistant', 'Yes?'),
      said('user', 'Where is order 1042?'),
    ];
    cli.write('traces.json', trace([span({ id: 'a1' }, { ...agent, 'gen_ai.input.messages': messages })]));
    const document = await importInto(cli, 'traces.json', '--expect', 'judge');
    expect(suite().tasks[0].input).toEqual({
      messages: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Yes?' },
        { role: 'user', content: 'Where is order 1042?' },
      ],
    });
    expect(suite().tasks[0].expect[0].judge).toEqual({ reference: 'It arrives on Friday.' });
    expect(shownItems(document)).toEqual(['lost traces.json:1 parts of messages that are no text']);
  });

  test('a span without content is left out, and the switch that records it is named', async () => {
    const bare = trace([span({ id: 'e1' }, { 'gen_ai.operation.name': 'invoke_agent' })]);
    cli.write('traces.jsonl', lines([lookUp, bare]));
    const document = await importInto(cli, 'traces.jsonl');
    expect(document.tests).toEqual({ all: 2, carried: 1 });
    expect(shownItems(document)).toContain(
      'lost traces.jsonl:2 span of an agent without content: what it was given is not recorded',
    );
    expect(cli.read('out/import-report.md')).toContain(
      'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true',
    );
  });

  test('an agent that called no tool has no sequence, and stays with --expect none', async () => {
    cli.write('traces.json', trace([span({ id: 'a1' }, agent)]));
    const { code, err } = await cli.run('import', 'otel', 'traces.json');
    expect(code).toBe(2);
    expect(err).toContain('called no tool');
    await importInto(cli, 'otel', 'traces.json', '--expect', 'none');
    expect(suite().tasks[0].expect).toEqual([{ 'not-refused': {} }]);
  });

  test('--where and --limit choose spans', async () => {
    const other = trace([span({ id: 'a1' }, { ...agent, 'gen_ai.agent.name': 'other' })], {
      'service.name': 'shop',
    });
    cli.write('traces.jsonl', lines([lookUp, other, other]));
    const chosen = async (...options: readonly string[]): Promise<number> =>
      (await importInto(cli, 'otel', 'traces.jsonl', '--expect', 'judge', '--force', ...options)).tests.all;
    expect(await chosen()).toBe(3);
    expect(await chosen('--limit', '2')).toBe(2);
    expect(await chosen('--where', 'gen_ai.agent.name=other')).toBe(2);
    expect(await chosen('--where', 'service.name=desk', '--where', 'gen_ai.agent.name=desk')).toBe(1);
  });

  test.each([
    [['--where', 'nothing'], 'Expected --where to be <attribute>=<value>.'],
    [['--expect', 'exact'], 'Of traces, --expect is one of trajectory, judge, none.'],
  ])('%j is refused', async (options, words) => {
    cli.write('traces.jsonl', lines([lookUp]));
    const { code, err } = await cli.run('import', 'otel', 'traces.jsonl', ...options);
    expect(code).toBe(2);
    expect(err).toContain(words);
  });
});
