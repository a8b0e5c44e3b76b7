import { isObject, type Json, type JsonObject } from '@touchstone/protocol';
import type { ItemCollector } from '../imported.js';
import { wordOf } from '../nodes.js';
import { content, type Span } from './spans.js';

type Message = { readonly role: string; readonly content: string };

/** What the agent was given: a text, messages, or the value that the span holds. Traces of ours name a value that is no text. */
export function inputOf(span: Span, items: ItemCollector): Json | undefined {
  const own = content(span, 'touchstone.input');
  if (own !== undefined) return own;
  const given = content(span, 'gen_ai.input.messages');
  const messages = messagesIn(given);
  if (messages === undefined) return content(span, 'input.value');
  reportLost(span, given, items);
  const said = messages.filter(({ role }) => role !== 'system');
  const [only, ...others] = said;
  if (only === undefined) return undefined;
  return others.length === 0 && only.role === 'user' ? only.content : { messages: said };
}

/** What the agent answered: the text of its last message, or the value that the span holds. */
export function outputOf(span: Span): Json | undefined {
  const own = content(span, 'touchstone.output');
  if (own !== undefined) return own;
  const messages = messagesIn(content(span, 'gen_ai.output.messages'));
  return messages === undefined ? content(span, 'output.value') : messages.at(-1)?.content;
}

/** Calls of tools and their results have spans of their own. */
const TOOL_PARTS = ['tool_call', 'tool_call_response'];

function reportLost({ node }: Span, given: Json | undefined, items: ItemCollector): void {
  const messages = objectsIn(given);
  if (messages.some(({ role }) => role === 'system'))
    items.note(node.at, 'system messages: left out, because an agent brings its own');
  const types = messages.flatMap(({ parts }) => objectsIn(parts)).map(({ type }) => wordOf(type));
  if (types.some((type) => type !== 'text' && !TOOL_PARTS.includes(type)))
    items.lost(node.at, 'parts of messages that are no text');
}

const objectsIn = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? (value as readonly Json[]).filter((one) => isObject(one)) : [];

/** The texts of messages, each of which has parts, or is a text as a whole. */
const messagesIn = (value: Json | undefined): readonly Message[] | undefined =>
  Array.isArray(value)
    ? objectsIn(value)
        .map((one) => ({ role: wordOf(one.role ?? 'user'), content: textIn(one) }))
        .filter(({ content: said }) => said !== '')
    : undefined;

const textIn = ({ content: whole, parts }: JsonObject): string =>
  typeof whole === 'string'
    ? whole
    : objectsIn(parts)
        .map((part) => (part.type === 'text' ? wordOf(part.content ?? part.text ?? '') : ''))
        .join('');
