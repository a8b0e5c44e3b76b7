import { isObject, type Json, type JsonObject } from '@touchstone/protocol';
import type { ImportedTest, ItemCollector, RecordedAnswer } from '../imported.js';
import { isFilled, itemsOf, member, type Node, number, text, wordOf } from '../nodes.js';
import { fixturesOf, recordedCalls } from '../tool-calls.js';
import { withChoices } from './choices.js';
import { firstEpochs, type InspectLog, type Sample } from './log-source.js';
import { loseAt, messagesOf, resolved, textOfMessage, toolAnswers, toolUses } from './messages.js';
import { readScorer, type Scorer } from './scorers.js';

export function testsOf({ header, samples }: InspectLog, items: ItemCollector): readonly ImportedTest[] {
  const first = firstEpochs(samples);
  if (first.length < samples.length)
    items.note(header.at, 'samples of further epochs: left out, because the first one is enough for a task');
  const scorers = scorersOf(header);
  return first.map((sample) => testOf(sample, scorers ?? scorersIn(sample), items));
}

/** With the parameters that the log has. What stands in the results is what was really used. */
function scorersOf(header: Node): readonly Scorer[] | undefined {
  const used = itemsOf(member(member(header, 'results'), 'scores'));
  const planned = itemsOf(member(member(header, 'eval'), 'scorers'));
  const list = used.length > 0 ? used : planned;
  const found = list.map((node) => ({
    name: text(member(node, 'scorer', 'name')) ?? '',
    params: paramsOf(member(node, 'params', 'options')),
    at: node.at,
  }));
  const byUse = new Map(found.map((one) => [JSON.stringify([one.name, one.params]), one]));
  return byUse.size === 0 ? undefined : [...byUse.values()];
}

const paramsOf = ({ value }: Node): JsonObject => (isObject(value) ? value : {});

/** A log that was interrupted has scores with the samples only. */
const scorersIn = ({ node }: Sample): readonly Scorer[] => {
  const scores = member(node, 'scores');
  return Object.keys(paramsOf(scores)).map((name) => ({ name, params: {}, at: member(scores, name).at }));
};

function testOf(sample: Sample, scorers: readonly Scorer[], items: ItemCollector): ImportedTest {
  const { node, messages, attachments } = sample;
  reportLost(node, items);
  const target = member(node, 'target');
  const wanted = { targets: textsOf(target, attachments, loseAt(target.at, items)), at: target.at };
  const expect = scorers.flatMap((scorer) => {
    const entry = readScorer(scorer, wanted, items);
    return entry === undefined ? [] : [{ at: target.at, entry }];
  });
  const { input, hasLetters } = withChoices(inputOf(sample, items), sample, items);
  const fixtures = fixturesOf(toolAnswers(messages, attachments, items));
  const answer = hasLetters ? answerOf(sample, items) : undefined;
  return {
    at: node.at,
    id: wordOf(member(node, 'id').value ?? ''),
    input,
    expect,
    lost: scorers.length - expect.length,
    ...(fixtures && { fixtures }),
    ...(answer && { answer }),
  };
}

/** A target is a text or a list of texts, of which any is right. */
export const textsOf = (
  target: Node,
  attachments: { readonly [name: string]: Json } = {},
  lose: () => void = () => undefined,
): readonly string[] =>
  (Array.isArray(target.value) ? (target.value as readonly Json[]) : [target.value ?? '']).map((one) =>
    resolved(typeof one === 'string' ? one : JSON.stringify(one), attachments, lose),
  );

function inputOf({ node, attachments }: Sample, items: ItemCollector): Json {
  const input = member(node, 'input');
  const whole = text(input);
  if (whole !== undefined) return resolved(whole, attachments, loseAt(input.at, items));
  return { messages: messagesOf(input, attachments, items) };
}

function answerOf({ node, messages, attachments }: Sample, items: ItemCollector): RecordedAnswer | undefined {
  const output = member(node, 'output');
  const [choice] = itemsOf(member(output, 'choices'));
  const said = choice
    ? textOfMessage(member(choice, 'message'), attachments, items)
    : text(member(output, 'completion'));
  if (said === undefined || isFilled(member(node, 'error'))) {
    items.note(node.at, 'sample without an answer: it ended with an error, or its output is not recorded');
    return undefined;
  }
  const calls = recordedCalls(toolUses(messages));
  const seconds = number(member(node, 'working_time'));
  return {
    output: said,
    ...(calls.length > 0 && { toolCalls: calls }),
    ...(seconds !== undefined && { latencyMs: seconds * 1000 }),
  };
}

const LOST: { readonly [name: string]: string } = {
  sandbox: 'sandbox: tasks run without one',
  files: 'files that are put into the sandbox',
  setup: 'setup script of the sandbox',
};

export function reportLost(node: Node, items: ItemCollector): void {
  for (const [name, what] of Object.entries(LOST)) {
    const found = member(node, name);
    if (isFilled(found)) items.lost(found.at, what);
  }
  const metadata = member(node, 'metadata');
  if (isFilled(metadata)) items.note(metadata.at, 'metadata: left out');
}
