import type { Json } from '@touchstone/protocol';
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

/** All members must hold. */
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
  const document = readDocument(path, 'The script of the model', '');
  const read = (reader: ObjectReader) =>
    present<ModelScript>({
      replies: reader.each('replies', readReply) ?? [],
      otherwise: reader.nested('otherwise', readReply),
    });
  return ObjectReader.read(document, '', read, { file: path });
}

const ANSWERS = ['text', 'json', 'toolCalls', 'refusal'];
const LONG = { max: Number.MAX_SAFE_INTEGER };

function readReply(reader: ObjectReader): ScriptReply {
  const given = ANSWERS.filter((name) => reader.has(name));
  if (given.length !== 1) {
    const message = `Expected exactly one of ${ANSWERS.join(', ')}, but found ${given.length}.`;
    reader.issues.push({ pointer: reader.pointer, message });
  }
  return present<ScriptReply>({
    when: reader.nested('when', readCondition),
    text: reader.text('text', LONG),
    json: reader.value('json') as Json | undefined,
    toolCalls: reader.each('toolCalls', readCall),
    refusal: reader.text('refusal', LONG),
    reasoning: reader.text('reasoning', LONG),
    usage: reader.nested('usage', readTokens),
  });
}

function readCondition(reader: ObjectReader): ScriptCondition {
  const words = Array.isArray(reader.value('contains')) ? reader.texts('contains') : oneWord(reader);
  return present<ScriptCondition>({
    input: reader.value('input') as Json | undefined,
    contains: words,
    system: reader.text('system'),
    model: reader.text('model'),
    rounds: reader.number('rounds', { min: 0, max: 64, whole: true }),
  });
}

function oneWord(reader: ObjectReader): readonly string[] | undefined {
  const word = reader.text('contains');
  return word === undefined ? undefined : [word];
}

function readCall(reader: ObjectReader) {
  reader.require('toolId');
  const toolId = reader.text('toolId', { max: 256 }) ?? '';
  return { toolId, inputs: (reader.value('inputs') ?? {}) as Json };
}

const TOKENS = { min: 0, max: Number.MAX_SAFE_INTEGER, whole: true };

function readTokens(reader: ObjectReader): NonNullable<ScriptReply['usage']> {
  reader.require('inputTokens', 'outputTokens');
  return present<NonNullable<ScriptReply['usage']>>({
    inputTokens: reader.number('inputTokens', TOKENS),
    outputTokens: reader.number('outputTokens', TOKENS),
    costUsd: reader.number('costUsd', { min: 0, max: Number.POSITIVE_INFINITY }),
  });
}
