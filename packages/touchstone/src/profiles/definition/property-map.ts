import { isObject, type JsonObject } from '@touchstone/protocol';

const SCHEMA_KEYWORDS = new Set(
  [
    '$schema $id $ref $defs $anchor $dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor $vocabulary $comment id',
    'type enum const title description default examples deprecated readOnly writeOnly nullable discriminator example xml',
    'multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern format',
    'items prefixItems additionalItems unevaluatedItems contains maxItems minItems uniqueItems maxContains minContains',
    'properties patternProperties additionalProperties unevaluatedProperties propertyNames required dependencies',
    'maxProperties minProperties dependentRequired dependentSchemas definitions allOf anyOf oneOf not if then else',
    'contentEncoding contentMediaType contentSchema externalDocs',
  ].flatMap((line) => line.split(' ')),
);

/** Whether this is a map of properties where a schema was meant: read as a schema, it would accept anything. */
export const isPropertyMap = (schema: JsonObject): boolean =>
  Object.keys(schema).length > 0 &&
  Object.entries(schema).every(([key, value]) => !SCHEMA_KEYWORDS.has(key) && isObject(value));
