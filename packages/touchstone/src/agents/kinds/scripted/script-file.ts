import { defined, type Issue } from '@touchstone/protocol';
import { toBody } from '@touchstone/protocol/bodies';
import {
  type AnyObject,
  closed,
  flag,
  fraction,
  issueAt,
  json,
  list,
  name,
  number,
  ruled,
  type Wire,
} from '@touchstone/protocol/schema';
import { filled, readAs, usageOf, usageShape } from '../../spec/members.js';
import { readDocument } from '../../spec/read-document.js';

const LONGEST_DELAY_MS = 86_400_000;

const outcomeIssues = ({ output, error }: AnyObject): readonly Issue[] =>
  issueAt(
    '/error',
    output !== undefined && error !== undefined && 'a reply has either an output or an error',
  );

const replyShape = ruled(
  closed(
    {},
    {
      /** The input it answers; a reply without it answers whatever comes next. */
      when: json(),
      toolCalls: list(closed({ toolId: filled(256) }, { inputs: json() })),
      output: json(),
      reasoning: name(),
      confidence: fraction(),
      refused: flag(),
      usage: list(usageShape),
      delayMs: number(undefined, { minimum: 0, maximum: LONGEST_DELAY_MS }),
      /** Instead of an output: the agent fails with these words. */
      error: filled(),
    },
  ),
  outcomeIssues,
);
const scriptShape = closed({}, { replies: list(replyShape), otherwise: replyShape });

/** One reply of a script. */
export type ScriptedReply = ReturnType<typeof replyOf>;
export type Script = { readonly replies: readonly ScriptedReply[]; readonly otherwise?: ScriptedReply };

export function readScript(path: string): Script {
  const document = readDocument(path, 'The script file', '/run/path');
  const { replies = [], otherwise } = readAs(scriptShape, document, { details: { file: path } });
  return defined({ replies: replies.map(replyOf), otherwise: otherwise && replyOf(otherwise) });
}

function replyOf({ toolCalls, output, usage, ...reply }: Wire<typeof replyShape>) {
  return {
    ...reply,
    ...defined({
      toolCalls: toolCalls?.map(({ toolId, inputs }) => ({ toolId, inputs: toBody(inputs ?? null) })),
      output: output === undefined ? undefined : toBody(output),
      usage: usage?.map(usageOf),
    }),
  };
}
