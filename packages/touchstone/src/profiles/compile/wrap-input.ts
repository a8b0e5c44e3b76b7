import { isObject, type Json, type JsonObject } from '@touchstone/protocol';

/** What stands for the question beside context and files, for an agent that does not say what it calls it. */
const QUESTION = 'prompt';

/**
 * A text for an agent that takes an object with one required text becomes that object. Context and files of the row stand
 * beside it there; whether the agent takes them is for its schema to say.
 */
export function wrapInput(input: Json, beside: JsonObject | undefined, schema: JsonObject | undefined): Json {
  const member = typeof input === 'string' && schema ? soleTextMember(schema) : undefined;
  if (member === undefined) return beside ? { [QUESTION]: input, ...beside } : input;
  // The row's own word for it goes before what else it calls so: the name is taken.
  return { ...beside, [member]: input };
}

function soleTextMember({ type, required, properties }: JsonObject): string | undefined {
  if (type !== 'object' || !Array.isArray(required) || required.length !== 1) return undefined;
  const member: unknown = required[0];
  if (typeof member !== 'string' || !isObject(properties) || !Object.hasOwn(properties, member))
    return undefined;
  const property = properties[member];
  return isObject(property) && property.type === 'string' ? member : undefined;
}
