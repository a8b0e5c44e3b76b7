import type { Json, JsonObject } from '@touchstone/contract';
import { isObject } from '../../json-object.js';

/** A text for an agent that takes an object with one required text becomes that object. */
export function wrapInput(input: Json, schema: JsonObject | undefined): Json {
  const member = typeof input === 'string' && schema ? soleTextMember(schema) : undefined;
  return member === undefined ? input : { [member]: input };
}

function soleTextMember({ type, required, properties }: JsonObject): string | undefined {
  if (type !== 'object' || !Array.isArray(required) || required.length !== 1) return undefined;
  const member: unknown = required[0];
  if (typeof member !== 'string' || !isObject(properties) || !Object.hasOwn(properties, member))
    return undefined;
  const property = properties[member];
  return isObject(property) && property.type === 'string' ? member : undefined;
}
