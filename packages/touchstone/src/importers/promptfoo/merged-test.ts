import { isObject, type Json, type JsonObject } from '@touchstone/protocol';
import { inside } from '../documents.js';
import type { SourcePointer } from '../imported.js';
import { type PlacedAssertion, placedAssertions } from './assertions.js';
import type { PlacedTest } from './tests.js';

/** A test with everything that holds for it: of the default test, of its scenario, and its own. */
export type MergedTest = {
  readonly at: SourcePointer;
  readonly vars: JsonObject;
  readonly assertions: readonly PlacedAssertion[];
  readonly threshold?: { readonly value: number; readonly at: SourcePointer };
  readonly options: { readonly [name: string]: { readonly value: Json; readonly at: SourcePointer } };
  readonly metadata: JsonObject;
  readonly description?: string;
  readonly providerOutput?: Json;
  /** Further members, with their places. */
  readonly others: readonly { readonly name: string; readonly at: SourcePointer }[];
};

const KNOWN: ReadonlySet<string> = new Set(
  'vars assert threshold options metadata description providerOutput'.split(' '),
);
const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

/** Later layers go before earlier ones, and add to their assertions. */
export function mergeTest(layers: readonly PlacedTest[]): MergedTest {
  const own = layers.at(-1) as PlacedTest;
  const withoutDefaults = objectOf(own.value.options).disableDefaultAsserts === true;
  const asserting = withoutDefaults ? layers.slice(1) : layers;
  const threshold = layers
    .toReversed()
    .flatMap(({ at, value }) =>
      typeof value.threshold === 'number' ? [{ value: value.threshold, at: inside(at, 'threshold') }] : [],
    )[0];
  const { description, providerOutput } = own.value;
  return {
    at: own.at,
    vars: merged(layers, 'vars'),
    assertions: asserting.flatMap(({ at, value }) => placedAssertions(value.assert, inside(at, 'assert'))),
    ...(threshold && { threshold }),
    options: Object.assign({}, ...layers.map(optionsOf)) as MergedTest['options'],
    metadata: merged(layers, 'metadata'),
    ...(typeof description === 'string' && { description }),
    ...(providerOutput !== undefined && { providerOutput }),
    others: layers.flatMap(({ at, value }) =>
      Object.keys(value)
        .filter((name) => !KNOWN.has(name))
        .map((name) => ({ name, at: inside(at, name) })),
    ),
  };
}

const merged = (layers: readonly PlacedTest[], name: string): JsonObject =>
  Object.assign({}, ...layers.map(({ value }) => objectOf(value[name]))) as JsonObject;

const optionsOf = ({ at, value }: PlacedTest): MergedTest['options'] =>
  Object.fromEntries(
    Object.entries(objectOf(value.options)).map(([name, option]) => [
      name,
      { value: option, at: inside(inside(at, 'options'), name) },
    ]),
  );

const isMultiplied = (value: Json): value is readonly Json[] =>
  Array.isArray(value) && typeof (value as readonly Json[])[0] === 'string';

/** How many tests the lists of variables stand for. */
export const combinationCount = (vars: JsonObject): number =>
  Object.values(vars).reduce<number>((count, value) => count * (isMultiplied(value) ? value.length : 1), 1);

/** Lists of texts multiply out, one test for each combination. */
export function varCombinations(vars: JsonObject): readonly JsonObject[] {
  let combinations: readonly JsonObject[] = [{}];
  for (const [name, value] of Object.entries(vars)) {
    const values = isMultiplied(value) ? value : [value];
    combinations = combinations.flatMap((one) => values.map((each) => ({ ...one, [name]: each })));
  }
  return combinations;
}
