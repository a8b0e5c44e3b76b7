import { canonicalJson, isObject, type Json, type JsonObject } from '@touchstone/protocol';

/** One message of a conversation, as chat services write it. Further members are kept. */
export type ChatMessage = JsonObject & { readonly role: string };

/**
 * An input as a conversation: messages where it is some, or has some; else one message of the user with the text, or with
 * canonical JSON.
 */
export function messagesOf(input: Json): readonly ChatMessage[] {
  const given = isObject(input) ? input.messages : input;
  if (Array.isArray(given) && given.length > 0 && given.every(isMessage)) return given;
  return [{ role: 'user', content: typeof input === 'string' ? input : canonicalJson(input) }];
}

const isMessage = (value: Json): value is ChatMessage => isObject(value) && typeof value.role === 'string';

/** The variables that do not come from the task's input. */
type Surroundings = { readonly memory: Json; readonly conversationId: string };

/** Everything that a template may name. What the host gives goes before a member of the input with the same name. */
export function templateVariables(input: Json, surroundings: Surroundings): JsonObject {
  const messages = messagesOf(input);
  const last = messages.findLast(({ role }) => role === 'user')?.content;
  return {
    ...(isObject(input) ? input : {}),
    input,
    messages: [...messages],
    ...(last !== undefined && { last: typeof last === 'string' ? last : canonicalJson(last) }),
    ...surroundings,
  };
}

/** Memory is known only when the task runs; everything else is known beforehand. */
const LATER: readonly string[] = ['memory', 'conversationId'];

/** The first of these names that has no value for this input; undefined when all have one. */
export function missingVariable(names: readonly string[], input: Json): string | undefined {
  const variables = templateVariables(input, { memory: [], conversationId: '' });
  return names
    .filter((name) => !LATER.includes(name.split('.')[0] ?? ''))
    .find((name) => lookUp(name.split('.'), variables) === undefined);
}

/** The value at the end of a path of names. Inherited members are none. */
export const lookUp = (path: readonly string[], variables: JsonObject): Json | undefined =>
  path.reduce<Json | undefined>(memberOf, variables);

function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined;
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
