import { type Issue, type Json, validationError } from '@touchstone/protocol';
import { type Body, toBody } from '@touchstone/protocol/bodies';
import type { Usage } from '../../../ports/index.js';
import { ObjectReader, present } from '../../spec/object-reader.js';
import { readDocument } from '../../spec/read-document.js';
import { readUsage } from '../../spec/usage-reader.js';

type ScriptedCall = { readonly toolId: string; readonly inputs: Body };

/** One reply of a script. `when` is the input it answers; a reply without it answers whatever comes next. */
export type ScriptedReply = {
  readonly when?: Json;
  readonly toolCalls?: readonly ScriptedCall[];
  readonly output?: Body;
  readonly reasoning?: string;
  readonly confidence?: number;
  readonly refused?: boolean;
  readonly usage?: readonly Usage[];
  readonly delayMs?: number;
  /** Instead of an output: the agent fails with these words. */
  readonly error?: string;
};
export type Script = { readonly replies: readonly ScriptedReply[]; readonly otherwise?: ScriptedReply };

export function readScript(path: string): Script {
  const issues: Issue[] = [];
  const reader = ObjectReader.of(readDocument(path, 'The script file', '/run/path'), '', issues);
  const replies =
    reader.list('replies')?.map((reply, index) => readReply(reply, `/replies/${index}`, issues)) ?? [];
  const otherwise = reader.has('otherwise')
    ? readReply(reader.value('otherwise'), '/otherwise', issues)
    : undefined;
  reader.finish();
  if (issues.length > 0) throw validationError(issues, { file: path });
  return { replies, ...(otherwise && { otherwise }) };
}

const LONGEST_DELAY_MS = 86_400_000;

function readReply(value: unknown, pointer: string, issues: Issue[]): ScriptedReply {
  const reader = ObjectReader.of(value, pointer, issues);
  const body = (name: string): Body | undefined =>
    reader.has(name) ? toBody(reader.value(name) as Json) : undefined;
  const reply = present<ScriptedReply>({
    when: reader.value('when') as Json | undefined,
    toolCalls: reader
      .list('toolCalls')
      ?.map((call, index) => readCall(call, `${pointer}/toolCalls/${index}`, issues)),
    output: body('output'),
    reasoning: reader.text('reasoning', { max: Number.MAX_SAFE_INTEGER }),
    confidence: reader.number('confidence', { min: 0, max: 1 }),
    refused: reader.flag('refused'),
    usage: reader.list('usage')?.map((item, index) => readUsage(item, `${pointer}/usage/${index}`, issues)),
    delayMs: reader.number('delayMs', { min: 0, max: LONGEST_DELAY_MS }),
    error: reader.text('error'),
  });
  reader.finish();
  if (reader.has('output') && reader.has('error'))
    reader.refuse('error', 'A reply has either an output or an error.');
  return reply;
}

function readCall(value: unknown, pointer: string, issues: Issue[]): ScriptedCall {
  const reader = ObjectReader.of(value, pointer, issues);
  reader.require('toolId');
  const call = {
    toolId: reader.text('toolId', { max: 256 }) ?? '',
    inputs: toBody((reader.value('inputs') ?? null) as Json),
  };
  reader.finish();
  return call;
}
