// Says in our own words why a value does not fit a schema. The verdict is not made here (`compile.ts` asks Ajv); this
// is the second reading, done only for a value that was refused. Ajv's own list of errors is not used: it grows with
// the document, without a bound, and repeats itself under `oneOf` and `if`. What is said here names places, types,
// limits and property names. It never quotes a value.
import type { Issue } from '../../model/errors.js';
import { isObject, typeName, type UnknownObject } from '../../values/object.js';
import { allDifferent, formats } from './keywords.js';
import { alternatives, counted, describe, inOrder, quoted, step } from './phrases.js';
import type { Located, Resolve, SchemaNode } from './schema-node.js';

/** A longer list does not help, and a hostile document could make it very long. */
const MAX_LISTED = 100;
/** Beyond this many the reading stops, so that no document keeps the host busy with counting. */
const MAX_COUNTED = 10_000;

/** A value, the schema it is held against, and the way to it. The pointer is written only when there is an issue. */
type Place = Located & { readonly value: unknown; readonly up?: Place; readonly name?: string | number };
/** `report` takes a place, or a pointer from it to something below, and what is wrong there. */
type Walk = {
  readonly resolve: Resolve;
  readonly report: (place: Place, message: string, below?: string) => void;
  /** Names that the schema does not know may be content, as in a file from elsewhere: they are not repeated. */
  readonly hidesNames?: boolean;
  /** Whether what has been reported will do. Asked by the loops whose length the document decides. */
  readonly enough: () => boolean;
};

/** `hidesNames`: leave unknown property names out of the messages. They are shown when absent. */
export type ExplainOptions = Pick<Walk, 'hidesNames'>;

/**
 * Everything that keeps a value from fitting a schema, at most 100 issues and a count of the rest; empty when it
 * fits.
 */
export function explain(
  schema: Located,
  value: unknown,
  resolve: Resolve,
  options: ExplainOptions = {},
): readonly Issue[] {
  const issues: Issue[] = [];
  let count = 0;
  const report: Walk['report'] = (place, message, below = '') => {
    count += 1;
    if (count <= MAX_LISTED) issues.push({ pointer: pointerOf(place) + below, message });
  };
  const enough = () => count >= MAX_COUNTED;
  read({ node: schema.node, base: schema.base, value }, { resolve, report, enough, ...options });
  const rest = `${enough() ? 'at least ' : ''}${count - MAX_LISTED}`;
  return count > MAX_LISTED ? [...issues, { pointer: '', message: `and ${rest} more` }] : issues;
}

function pointerOf({ up, name }: Place): string {
  const above = up ? pointerOf(up) : '';
  return name === undefined ? above : step(above, String(name));
}

const inside = (up: Place, node: SchemaNode, name: string | number, value: unknown): Place => ({
  node,
  base: up.base,
  value,
  up,
  name,
});

/** The same value, held against another schema. */
const against = (place: Place, schema: Located): Place => ({
  node: schema.node,
  base: schema.base,
  value: place.value,
  up: place,
});
const part = (place: Place, node: SchemaNode): Place => against(place, { node, base: place.base });

function read(place: Place, walk: Walk): void {
  const { node, value } = place;
  if (node.$ref !== undefined) read(against(place, walk.resolve(node.$ref, place.base)), walk);
  if (!hasType(node, value)) {
    // Whatever else the schema asks for is asked of another type.
    reportKind(place, walk);
    return;
  }
  if (typeof value === 'string') readString(place, value, walk);
  else if (typeof value === 'number') readNumber(place, value, walk);
  else if (Array.isArray(value)) readArray(place, value, walk);
  else if (isObject(value)) readObject(place, value, walk);
  if (isOtherWord(node, value)) reportKind(place, walk);
  readCombined(place, walk);
  for (const { pointer, message } of node.rule?.(value) ?? []) walk.report(place, message, pointer);
}

const reportKind = (place: Place, { resolve, report }: Walk): void =>
  report(place, `expected ${describe(place, resolve)}; got ${typeName(place.value)}`);

function hasType({ type }: SchemaNode, value: unknown): boolean {
  if (type === undefined) return true;
  return typeof type === 'string' ? isOfType(type, value) : type.some((one) => isOfType(one, value));
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    default:
      return typeof value === type;
  }
}

const has = (fields: UnknownObject, name: string): boolean =>
  Object.hasOwn(fields, name) && fields[name] !== undefined;

const isOtherWord = (node: SchemaNode, value: unknown): boolean =>
  (node.const !== undefined && value !== node.const) ||
  (node.enum !== undefined && !(node.enum as readonly unknown[]).includes(value));

function readString(place: Place, value: string, { report }: Walk): void {
  const { minLength, maxLength, pattern, format } = place.node;
  if (minLength !== undefined && characters(value) < minLength) {
    report(place, `expected at least ${counted(minLength, 'character')}; got fewer`);
  }
  if (maxLength !== undefined && characters(value) > maxLength) {
    report(place, `expected at most ${counted(maxLength, 'character')}; got more`);
  }
  if (pattern !== undefined && !matcher(pattern).test(value)) reportPattern(place, pattern, report);
  else if (format !== undefined && !formats[format]?.(value))
    report(place, `expected a ${format}; got another string`);
}

function reportPattern(place: Place, pattern: string, report: Walk['report']): void {
  const { title } = place.node;
  if (title === undefined) report(place, `expected a string that matches ${pattern}; got one that does not`);
  else report(place, `expected ${title}; got another string`);
}

/** Code points, as JSON Schema counts; counted one by one, because the string may be very long. */
function characters(value: string): number {
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}

const matchers = new Map<string, RegExp>();
function matcher(pattern: string): RegExp {
  const known = matchers.get(pattern) ?? new RegExp(pattern, 'u');
  matchers.set(pattern, known);
  return known;
}

function readNumber(place: Place, value: number, { report }: Walk): void {
  const { minimum, maximum } = place.node;
  if (minimum !== undefined && value < minimum)
    report(place, `expected at least ${minimum}; got a smaller number`);
  if (maximum !== undefined && value > maximum)
    report(place, `expected at most ${maximum}; got a larger number`);
}

function readArray(place: Place, value: readonly unknown[], walk: Walk): void {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, uniqueItems, items } = place.node;
  const came = `got ${value.length}`;
  if (value.length < minItems) walk.report(place, `expected at least ${counted(minItems, 'item')}; ${came}`);
  if (value.length > maxItems) walk.report(place, `expected at most ${counted(maxItems, 'item')}; ${came}`);
  if (uniqueItems && !allDifferent(value)) walk.report(place, 'expected every item once; got an item twice');
  if (!items) return;
  for (let index = 0; index < value.length && !walk.enough(); index += 1) {
    read(inside(place, items, index, value[index]), walk);
  }
}

function readObject(place: Place, fields: UnknownObject, walk: Walk): void {
  const { required = [], dependentRequired = {}, properties = {} } = place.node;
  for (const name of required) {
    if (!has(fields, name)) walk.report(place, 'required, but missing', step('', name));
  }
  for (const name in dependentRequired) {
    const missing = (dependentRequired[name] ?? []).filter(
      (other) => has(fields, name) && !has(fields, other),
    );
    for (const other of missing)
      walk.report(place, `required beside ${quoted(name)}, but missing`, step('', other));
  }
  for (const name in properties) {
    const member = properties[name];
    if (member && has(fields, name)) read(inside(place, member, name, fields[name]), walk);
  }
  readNames(place, fields, walk);
  readOthers(place, fields, walk);
}

/** The list helps more than a guess at what was meant: it is short, and it is ours. */
function unknownProperty(
  name: string | undefined,
  properties: { readonly [name: string]: SchemaNode },
): string {
  const known = Object.keys(properties);
  const rest = known.length > 0 ? `; known are ${known.join(', ')}` : '';
  return `unknown property${name === undefined ? '' : ` ${quoted(name)}`}${rest}`;
}

function readNames(place: Place, fields: UnknownObject, walk: Walk): void {
  const { propertyNames } = place.node;
  if (!propertyNames) return;
  for (const name of Object.keys(fields)) {
    if (walk.enough()) return;
    read(inside(place, propertyNames, name, name), walk);
  }
}

function readOthers(place: Place, fields: UnknownObject, walk: Walk): void {
  const { properties = {}, additionalProperties: others = true } = place.node;
  if (others === true) return;
  for (const name of Object.keys(fields)) {
    if (walk.enough()) return;
    if (Object.hasOwn(properties, name)) continue;
    if (others === false) {
      const shown = walk.hidesNames ? undefined : name;
      walk.report(place, unknownProperty(shown, properties), shown === undefined ? '' : step('', shown));
      if (walk.hidesNames) return;
    } else if (has(fields, name)) read(inside(place, others, name, fields[name]), walk);
  }
}

function readCombined(place: Place, walk: Walk): void {
  const { allOf, anyOf, oneOf, not, if: condition } = place.node;
  const fits = (node: SchemaNode) => isFitting(part(place, node), walk);
  for (const node of allOf ?? []) read(part(place, node), walk);
  if (condition) {
    const next = fits(condition) ? place.node.then : place.node.else;
    if (next) read(part(place, next), walk);
  }
  if (not && fits(not)) reportForbidden(place, not, walk);
  if (anyOf && !anyOf.some(fits)) reportNoneOf(place, anyOf, walk);
  if (oneOf) readOneOf(place, oneOf, oneOf.filter(fits).length, walk);
}

function isFitting(place: Place, { resolve }: Walk): boolean {
  let fitting = true;
  const report = () => {
    fitting = false;
  };
  read(place, { resolve, report, enough: () => !fitting });
  return fitting;
}

function reportForbidden(place: Place, not: SchemaNode, { resolve, report }: Walk): void {
  const names = not.required ?? [];
  if (names.length === 1) report(place, 'not allowed here', step('', names[0] ?? ''));
  else if (names.length > 1) report(place, `${inOrder(names)} exclude each other`);
  else report(place, `expected anything but ${describe(part(place, not), resolve)}`);
}

function readOneOf(place: Place, nodes: readonly SchemaNode[], fitting: number, walk: Walk): void {
  if (fitting === 0) reportNoneOf(place, nodes, walk);
  else if (fitting > 1)
    walk.report(place, `expected ${alternatives(place, nodes, walk.resolve)}, and only one of them`);
}

/** When a single alternative is of the value's type, or has its members, the author meant that one: say what is wrong with it. */
function reportNoneOf(place: Place, nodes: readonly SchemaNode[], walk: Walk): void {
  const likely = nodes
    .map((node) =>
      node.$ref === undefined ? part(place, node) : against(place, walk.resolve(node.$ref, place.base)),
    )
    .filter(({ node }) => node.type !== undefined && hasType(node, place.value));
  const named = likely.filter(({ node: { required = [] }, value }) =>
    required.some((name) => isObject(value) && Object.hasOwn(value, name)),
  );
  const [meant, ...others] = likely.length === 1 ? likely : named;
  if (meant && others.length === 0) read(meant, walk);
  else walk.report(place, `expected ${alternatives(place, nodes, walk.resolve)}`);
}
