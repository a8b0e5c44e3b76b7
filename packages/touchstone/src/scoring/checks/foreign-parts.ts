import { isObject, type Json, type JsonObject } from '@touchstone/protocol';
import { type CheckName, operatorOf } from '@touchstone/protocol/bodies';

/** Patterns and schemas that an author wrote into a check. They have to be usable before anything runs. */
export type ForeignParts = { readonly patterns: readonly string[]; readonly schemas: readonly JsonObject[] };

export function foreignParts(name: CheckName, args: JsonObject): ForeignParts {
  if (name === 'any' || name === 'all') return joined((args.of as readonly JsonObject[]).map(partOf));
  if (name === 'regex') return { patterns: [String(args.pattern)], schemas: [] };
  const { schema, value, inputs, steps } = args;
  return joined([
    { patterns: [], schemas: isObject(schema) ? [schema] : [] },
    ...(name === 'json-subset' ? [inMatchValue(value)] : []),
    inMatchValue(inputs),
    ...(name === 'tool-sequence' ? (steps as readonly Json[]).map(inStep) : []),
  ]);
}

function partOf({ weight: _, ...rest }: JsonObject): ForeignParts {
  const [[name, args] = ['json', {}]] = Object.entries(rest);
  return foreignParts(name as CheckName, args as JsonObject);
}

const inStep = (step: Json): ForeignParts => inMatchValue(isObject(step) ? step.inputs : undefined);

const NONE: ForeignParts = { patterns: [], schemas: [] };

function inMatchValue(value: Json | undefined): ForeignParts {
  if (typeof value !== 'object' || value === null) return NONE;
  const operator = operatorOf(value);
  if (operator === '$exact' || operator === '$literal') return NONE;
  const { $regex, $schema } = isObject(value) ? value : {};
  if (operator === '$regex') return { patterns: [String($regex)], schemas: [] };
  if (operator === '$schema') return { patterns: [], schemas: [$schema as JsonObject] };
  return joined(Object.values(value).map(inMatchValue));
}

const joined = (all: readonly ForeignParts[]): ForeignParts => ({
  patterns: all.flatMap(({ patterns }) => patterns),
  schemas: all.flatMap(({ schemas }) => schemas),
});
