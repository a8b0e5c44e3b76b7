import { isObject, type Json } from '@touchstone/protocol';
import type { ItemCollector, SourcePointer } from '../imported.js';
import { itemsOf, member, type Node, text } from '../nodes.js';
import type { ToolAnswer, ToolUse } from '../tool-calls.js';

type Attachments = { readonly [name: string]: Json };
const ATTACHMENT = /^attachment:\/\//;

/** A text that is kept elsewhere stands for what is kept there. One that is not there is told of. */
export function resolved(value: string, attachments: Attachments, lose: () => void): string {
  const name = value.replace(ATTACHMENT, '');
  if (name === value) return value;
  const kept = Object.hasOwn(attachments, name) ? attachments[name] : undefined;
  if (typeof kept === 'string') return kept;
  lose();
  return value;
}

/** Says that the attachment of a text is not there. */
export const loseAt =
  (at: SourcePointer, items: ItemCollector): (() => void) =>
  () =>
    items.lost(at, 'a text that is kept as an attachment, which is not in the log');

/** Messages as agents are given them. */
export function messagesOf(list: Node, attachments: Attachments, items: ItemCollector): Json[] {
  return itemsOf(list).map((message) => ({
    role: text(member(message, 'role')) ?? 'user',
    content: textOfMessage(message, attachments, items),
  }));
}

/** The texts of a message. Reasoning is no part of what was said. */
export function textOfMessage(message: Node, attachments: Attachments, items: ItemCollector): string {
  const content = member(message, 'content');
  const whole = text(content);
  if (whole !== undefined) return resolved(whole, attachments, loseAt(content.at, items));
  return itemsOf(content)
    .map((part) => {
      const type = text(member(part, 'type'));
      if (type === 'text')
        return resolved(text(member(part, 'text')) ?? '', attachments, loseAt(part.at, items));
      if (type !== 'reasoning') items.lost(part.at, 'a part of a message that is no text');
      return '';
    })
    .join('');
}

export const toolUses = (messages: readonly Node[]): readonly ToolUse[] =>
  messages
    .filter((message) => text(member(message, 'role')) === 'assistant')
    .flatMap((message) => itemsOf(member(message, 'tool_calls')))
    .map((call) => ({
      name: text(member(call, 'function')) ?? '',
      inputs: member(call, 'arguments').value ?? {},
    }));

export const toolAnswers = (
  messages: readonly Node[],
  attachments: Attachments,
  items: ItemCollector,
): readonly ToolAnswer[] =>
  messages
    .filter((message) => text(member(message, 'role')) === 'tool')
    .map((message) => ({
      name: text(member(message, 'function')) ?? '',
      response: responseOf(message, attachments, items),
    }));

function responseOf(message: Node, attachments: Attachments, items: ItemCollector): Json {
  const said = textOfMessage(message, attachments, items);
  const error = member(message, 'error').value;
  return isObject(error) ? { error: error.message ?? error.type ?? said } : said;
}
