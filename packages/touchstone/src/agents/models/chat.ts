import { canonicalJson, isObject, type Json } from '@touchstone/protocol';
import type { Message } from './model.js';

/** Who may speak in a conversation that a task or a prompt writes down. */
export const CHAT_ROLES = ['system', 'developer', 'user', 'assistant'] as const;

type ChatMessage = { readonly role: (typeof CHAT_ROLES)[number]; readonly content: Json };

/** What a model is told by this value: its messages, where it is a conversation; else one message of the user. */
export const spokenMessages = (value: Json): readonly Message[] =>
  chatMessages(value) ?? [{ role: 'user', text: textOf(value) }];

/** What a model is told by a prompt that is a list: each place holds one message, or a conversation. */
export const listedMessages = (items: readonly Json[]): readonly Message[] =>
  items.flatMap((item) => (isChatMessage(item) ? [messageOf(item)] : spokenMessages(item)));

/** The messages of `{"messages": […]}` or of a bare list; undefined when the value is no conversation. */
function chatMessages(value: Json): readonly Message[] | undefined {
  const isWrapped = isObject(value) && Object.keys(value).length === 1;
  const given = isWrapped ? (value as { readonly messages?: Json }).messages : value;
  if (!Array.isArray(given) || given.length === 0 || !given.every(isChatMessage)) return undefined;
  return given.map(messageOf);
}

const isChatMessage = (value: Json): value is ChatMessage =>
  isObject(value) &&
  CHAT_ROLES.some((role) => role === value.role) &&
  contentText(value.content) !== undefined;

/** Text, or a list of parts that are all text; anything else has no place in a message here. */
function contentText(content: Json | undefined): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content) || content.length === 0) return undefined;
  const texts = content.map((part: Json) => (isObject(part) && part.type === 'text' ? part.text : undefined));
  return texts.every((text) => typeof text === 'string') ? texts.join('') : undefined;
}

function messageOf({ role, content }: ChatMessage): Message {
  const text = contentText(content) ?? '';
  if (role === 'assistant') return { role, said: [{ kind: 'text', text }] };
  return { role: role === 'user' ? 'user' : 'system', text };
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : canonicalJson(value));
