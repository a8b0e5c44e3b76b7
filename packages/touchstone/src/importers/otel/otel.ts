import { isObject, type Json, validationError } from '@touchstone/protocol';
import { readRows } from '../documents.js';
import type {
  Expectation,
  ImportDraft,
  ImportedTest,
  ImportFormat,
  ImportOptions,
  ImportRequest,
  ItemCollector,
} from '../imported.js';
import { wordOf } from '../nodes.js';
import { fixturesOf, recordedCalls, sequenceOf, type ToolAnswer, type ToolUse } from '../tool-calls.js';
import { type AgentSpan, agentSpans, isChosen } from './agent-spans.js';
import { inputOf, outputOf } from './messages.js';
import { attribute, content, type Span, spansOf } from './spans.js';

/** Traces in OTLP JSON: one export a file, or one a line. */
export const OTEL: ImportFormat = {
  read,
  fits: ({ value }) =>
    isObject(value) && (Array.isArray(value.resourceSpans) || Array.isArray(value.resource_spans)),
  options: ['expect', 'limit', 'where'],
};

/** What production did is not what is right: somebody has to look at it first. */
const TAGS = ['unreviewed'];
const RECORD_CONTENT =
  'Record content with OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true, or OPENINFERENCE_HIDE_INPUTS=false and OPENINFERENCE_HIDE_OUTPUTS=false.';

const EXPECTS = ['trajectory', 'judge', 'none'];

function read({ files, options, items }: ImportRequest): ImportDraft {
  checkOptions(options);
  const spans = files.flatMap(readRows).flatMap(spansOf);
  const chosen = agentSpans(spans).filter(isChosen(options)).slice(0, options.limit);
  return { tests: chosen.map((one) => testOf(one, options, items)) };
}

function checkOptions({ expect = 'trajectory', where = [] }: ImportOptions): void {
  if (!EXPECTS.includes(expect))
    throw validationError([{ pointer: '', message: `Of traces, --expect is one of ${EXPECTS.join(', ')}.` }]);
  if (!where.every((pair) => pair.indexOf('=') > 0))
    throw validationError([{ pointer: '', message: 'Expected --where to be <attribute>=<value>.' }]);
}

function testOf({ span, tools }: AgentSpan, { expect }: ImportOptions, items: ItemCollector): ImportedTest {
  const { at } = span.node;
  const input = inputOf(span, items);
  const output = outputOf(span);
  const base = { at, id: span.traceId, tags: TAGS, input: input ?? null };
  if (input === undefined) {
    items.lost(at, 'span of an agent without content: what it was given is not recorded', RECORD_CONTENT);
    return { ...base, expect: [], lost: 1 };
  }
  const uses = tools.map(useOf);
  const fixtures = fixturesOf(tools.flatMap((tool) => answerOf(tool, items)));
  const latencyMs = Number(span.endNs - span.startNs) / 1e6;
  const entry = expectationOf(expect ?? 'trajectory', uses, output);
  if (entry === undefined) items.lost(at, ...withoutExpectation(expect));
  return {
    ...base,
    expect: entry === undefined ? [] : [{ at, entry }],
    lost: entry === undefined ? 1 : 0,
    ...(fixtures && { fixtures }),
    ...(output !== undefined && {
      answer: { output, toolCalls: recordedCalls(uses), ...(latencyMs >= 0 && { latencyMs }) },
    }),
  };
}

const toolName = (span: Span): string =>
  wordOf(attribute(span, 'gen_ai.tool.name', 'tool.name') ?? span.name.replace(/^execute_tool\s+/, ''));

function useOf(span: Span): ToolUse {
  const inputs = content(span, 'gen_ai.tool.call.arguments', 'tool.parameters', 'input.value');
  return { name: toolName(span), ...(inputs !== undefined && { inputs }) };
}

function answerOf(span: Span, items: ItemCollector): readonly ToolAnswer[] {
  const response = content(span, 'gen_ai.tool.call.result', 'output.value');
  if (response !== undefined) return [{ name: toolName(span), response }];
  items.lost(
    span.node.at,
    'span of a tool without content: what it answered is not recorded',
    RECORD_CONTENT,
  );
  return [];
}

/** Undefined when the trace holds nothing that could be expected. */
function expectationOf(
  expect: string,
  uses: readonly ToolUse[],
  output: Json | undefined,
): Expectation | undefined {
  if (expect === 'none') return { 'not-refused': {} };
  if (expect === 'trajectory') return uses.length === 0 ? undefined : sequenceOf(uses, 'in-order');
  return output === undefined
    ? undefined
    : { judge: { reference: output }, says: 'The answer says the same as the reference.' };
}

const withoutExpectation = (expect = 'trajectory'): [string, string] =>
  expect === 'trajectory'
    ? [
        'span of an agent that called no tool: there is no sequence to expect',
        'Add --expect judge or --expect none.',
      ]
    : ['span of an agent without content: what it answered is not recorded', RECORD_CONTENT];
