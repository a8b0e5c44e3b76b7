import { type Issue, type Json, validationError } from '@touchstone/protocol';
import { ObjectReader, present } from '../spec/object-reader.js';
import { readDocument } from '../spec/read-document.js';

/**
 * The file behind a provider of kind `scripted`, in JSON or YAML:
 *
 *     replies:
 *       - when: { contains: refund }            # the first reply that fits is given
 *         toolCalls: [{ toolId: "local:kb.search", inputs: { q: refund } }]
 *       - when: { contains: refund, rounds: 1 } # after one round of tool calls
 *         text: Refunds take five days.
 *       - when: { input: { ask: "hours" } }     # exactly this input
 *         json: { answer: "9 to 5", confidence: 0.9 }
 *     otherwise: { refusal: "I cannot help with that." }
 *
 * Every reply holds exactly one of `text`, `json`, `toolCalls` and `refusal`.
 */
export type ModelScript = {
  readonly replies: readonly ScriptReply[];
  readonly otherwise?: ScriptReply;
};

export type ScriptReply = {
  readonly when?: ScriptCondition;
  readonly text?: string;
  readonly json?: Json;
  readonly toolCalls?: readonly { readonly toolId: string; readonly inputs: Json }[];
  readonly refusal?: string;
  readonly reasoning?: string;
  /** Estimated from the lengths of question and reply when it is not given. */
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number; readonly costUsd?: number };
};

/** All that is said must hold. */
export type ScriptCondition = {
  /** The input, exactly: the same text, or equal JSON. */
  readonly input?: Json;
  /** Words that the input's text must contain, every one of them. */
  readonly contains?: readonly string[];
  /** Words that the system prompt must contain. */
  readonly system?: string;
  /** The model's name after the provider's, so that one file can play several models. */
  readonly model?: string;
  /** Rounds of tool calls so far. Without it, tool calls are made in the first round only and the rest fits any. */
  readonly rounds?: number;
};

export function readModelScript(path: string): ModelScript {
  const issues: Issue[] = [];
  const reader = ObjectReader.of(readDocument(path, 'The script of the model', ''), '', issues);
  const replies = reader.list('replies') ?? [];
  const script = present<ModelScript>({
    replies: replies.map((reply, index) => readReply(ObjectReader.of(reply, `/replies/${index}`, issues))),
    otherwise: optional(reader.object('otherwise'), readReply),
  });
  reader.finish();
  if (issues.length > 0) throw validationError(issues, { file: path });
  return script;
}

const optional = <T>(reader: ObjectReader | undefined, read: (reader: ObjectReader) => T): T | undefined =>
  reader ? read(reader) : undefined;

const ANSWERS = ['text', 'json', 'toolCalls', 'refusal'];
const LONG = { max: Number.MAX_SAFE_INTEGER };

function readReply(reader: ObjectReader): ScriptReply {
  const given = ANSWERS.filter((name) => reader.has(name));
  const reply = present<ScriptReply>({
    when: optional(reader.object('when'), readCondition),
    text: reader.text('text', LONG),
    json: reader.value('json') as Json | undefined,
    toolCalls: reader.list('toolCalls')?.map((call, index) => readCall(reader, call, index)),
    refusal: reader.text('refusal', LONG),
    reasoning: reader.text('reasoning', LONG),
    usage: optional(reader.object('usage'), readTokens),
  });
  reader.finish();
  if (given.length !== 1) {
    const message = `Expected exactly one of ${ANSWERS.join(', ')}, but found ${given.length}.`;
    reader.issues.push({ pointer: reader.pointer, message });
  }
  return reply;
}

function readCondition(reader: ObjectReader): ScriptCondition {
  const words = Array.isArray(reader.value('contains')) ? reader.texts('contains') : oneWord(reader);
  const condition = present<ScriptCondition>({
    input: reader.value('input') as Json | undefined,
    contains: words,
    system: reader.text('system'),
    model: reader.text('model'),
    rounds: reader.number('rounds', { min: 0, max: 64, whole: true }),
  });
  reader.finish();
  return condition;
}

function oneWord(reader: ObjectReader): readonly string[] | undefined {
  const word = reader.text('contains');
  return word === undefined ? undefined : [word];
}

function readCall(parent: ObjectReader, value: unknown, index: number) {
  const reader = ObjectReader.of(value, `${parent.at('toolCalls')}/${index}`, parent.issues);
  reader.require('toolId');
  const toolId = reader.text('toolId', { max: 256 }) ?? '';
  const inputs = (reader.value('inputs') ?? {}) as Json;
  reader.finish();
  return { toolId, inputs };
}

const TOKENS = { min: 0, max: Number.MAX_SAFE_INTEGER, whole: true };

function readTokens(reader: ObjectReader): NonNullable<ScriptReply['usage']> {
  reader.require('inputTokens', 'outputTokens');
  const usage = present<NonNullable<ScriptReply['usage']>>({
    inputTokens: reader.number('inputTokens', TOKENS),
    outputTokens: reader.number('outputTokens', TOKENS),
    costUsd: reader.number('costUsd', { min: 0, max: Number.POSITIVE_INFINITY }),
  });
  reader.finish();
  return usage;
}
