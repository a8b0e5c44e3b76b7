import { defined, type Issue } from '@touchstone/protocol';
import {
  type AnyObject,
  amount,
  closed,
  either,
  integer,
  issueAt,
  json,
  list,
  name,
  ruled,
  type Wire,
} from '@touchstone/protocol/schema';
import { filled, readAs, tokens } from '../spec/members.js';
import { readDocument } from '../spec/read-document.js';

/** All members must hold. */
const conditionShape = closed(
  {},
  {
    /** The input, exactly: the same text, or equal JSON. */
    input: json(),
    /** Words that the input's text must contain, every one of them. */
    contains: either(filled(), list(filled())),
    /** Words that the system prompt must contain. */
    system: filled(),
    /** The model's name after the provider's, so that one file can play several models. */
    model: filled(),
    /** Rounds of tool calls so far. Without it, tool calls are made in the first round only and the rest fits any. */
    rounds: integer(undefined, { minimum: 0, maximum: 64 }),
  },
);

const ANSWERS = ['text', 'json', 'toolCalls', 'refusal'];

function answerIssues(reply: AnyObject): readonly Issue[] {
  const count = ANSWERS.filter((member) => reply[member] !== undefined).length;
  return issueAt('', count !== 1 && `expected exactly one of ${ANSWERS.join(', ')}; got ${count}`);
}

const replyShape = ruled(
  closed(
    {},
    {
      when: conditionShape,
      text: name(),
      json: json(),
      toolCalls: list(closed({ toolId: filled(256) }, { inputs: json() })),
      refusal: name(),
      reasoning: name(),
      /** Estimated from the lengths of question and reply when it is not given. */
      usage: closed({ inputTokens: tokens, outputTokens: tokens }, { costUsd: amount() }),
    },
  ),
  answerIssues,
);

const scriptShape = closed({}, { replies: list(replyShape), otherwise: replyShape });

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
export type ModelScript = { readonly replies: readonly ScriptReply[]; readonly otherwise?: ScriptReply };
export type ScriptReply = ReturnType<typeof replyOf>;
export type ScriptCondition = ReturnType<typeof conditionOf>;

export function readModelScript(path: string): ModelScript {
  const document = readDocument(path, 'The script of the model', '');
  const { replies = [], otherwise } = readAs(scriptShape, document, { details: { file: path } });
  return defined({ replies: replies.map(replyOf), otherwise: otherwise && replyOf(otherwise) });
}

// Members in a fixed order and defaults filled in: a script is known by the digest of what is returned here.

function replyOf({ when, toolCalls, usage, ...reply }: Wire<typeof replyShape>) {
  return defined({
    when: when && conditionOf(when),
    text: reply.text,
    json: reply.json,
    toolCalls: toolCalls?.map(({ toolId, inputs }) => ({ toolId, inputs: inputs ?? {} })),
    refusal: reply.refusal,
    reasoning: reply.reasoning,
    usage:
      usage &&
      defined({ inputTokens: usage.inputTokens, outputTokens: usage.outputTokens, costUsd: usage.costUsd }),
  });
}

function conditionOf({ input, contains, system, model, rounds }: Wire<typeof conditionShape>) {
  return defined({
    input,
    contains: contains === undefined ? undefined : [contains].flat(),
    system,
    model,
    rounds,
  });
}
