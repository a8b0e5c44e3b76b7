import { isObject, type Json, type JsonObject } from '@touchstone/protocol';
import { content, type Span } from './spans.js';

type Message = { readonly role: string; readonly content: string };

/** What the agent was given: a text, messages, or the value that the span holds. */
export function inputOf(span: Span): Json | undefined {
  const messages = messagesIn(content(span, 'gen_ai.input.messages'));
  if (messages === undefined) return content(span, 'input.value');
  const said = messages.filter(({ role }) => role !== 'system');
  const [only] = said;
  return said.length === 1 && only?.role === 'user'
    ? only.content
    : said.length > 0
      ? { messages: said }
      : undefined;
}

/** What the agent answered: the text of its last message, or the value that the span holds. */
export function outputOf(span: Span): Json | undefined {
  const messages = messagesIn(content(span, 'gen_ai.output.messages'));
  return messages === undefined ? content(span, 'output.value') : messages.at(-1)?.content;
}

/** Messages of the conventions have parts; what is no text, such as a call of a tool, is in spans of its own. */
function messagesIn(value: Json | undefined): readonly Message[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return (value as readonly Json[])
    .filter((one) => isObject(one))
    .flatMap((one) => {
      const text = textIn(one);
      return text === '' ? [] : [{ role: String(one.role ?? 'user'), content: text }];
    });
}

const textIn = ({ content: whole, parts }: JsonObject): string =>
  typeof whole === 'string'
    ? whole
    : (Array.isArray(parts) ? (parts as readonly Json[]) : [])
        .map((part) =>
          isObject(part) && part.type === 'text' ? String(part.content ?? part.text ?? '') : '',
        )
        .join('');
