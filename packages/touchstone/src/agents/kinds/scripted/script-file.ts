import type { Json } from '@touchstone/protocol';
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
  const document = readDocument(path, 'The script file', '/run/path');
  const read = (reader: ObjectReader) =>
    present<Script>({
      replies: reader.each('replies', readReply) ?? [],
      otherwise: reader.nested('otherwise', readReply),
    });
  return ObjectReader.read(document, '', read, { file: path });
}

const LONGEST_DELAY_MS = 86_400_000;

function readReply(reader: ObjectReader): ScriptedReply {
  if (reader.has('output') && reader.has('error'))
    reader.refuse('error', 'A reply has either an output or an error.');
  const readUsageAt = (item: unknown, index: number): Usage =>
    readUsage(item, `${reader.at('usage')}/${index}`, reader.issues);
  return present<ScriptedReply>({
    when: reader.value('when') as Json | undefined,
    toolCalls: reader.each('toolCalls', readCall),
    output: reader.has('output') ? toBody(reader.value('output') as Json) : undefined,
    reasoning: reader.text('reasoning', { max: Number.MAX_SAFE_INTEGER }),
    confidence: reader.number('confidence', { min: 0, max: 1 }),
    refused: reader.flag('refused'),
    usage: reader.list('usage')?.map(readUsageAt),
    delayMs: reader.number('delayMs', { min: 0, max: LONGEST_DELAY_MS }),
    error: reader.text('error'),
  });
}

function readCall(reader: ObjectReader): ScriptedCall {
  reader.require('toolId');
  const toolId = reader.text('toolId', { max: 256 }) ?? '';
  return { toolId, inputs: toBody((reader.value('inputs') ?? null) as Json) };
}
