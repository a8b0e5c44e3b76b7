import { type Issue, validationError } from '../../model/errors.js';

/**
 * The part of JSON Schema that this host's own small shapes need: its config file and the bodies that the protocol does
 * not publish a schema for. Kept apart from the wire's validator, because a config is read before anything else is
 * loaded, and because what is wrong with it should be said in words an operator can act on.
 */
export type Shape = {
  readonly type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean';
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: { readonly [name: string]: Shape };
  readonly additionalProperties?: false | Shape;
  readonly propertyNames?: Shape;
  readonly items?: Shape;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly enum?: readonly string[];
  readonly const?: boolean;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  /** A published schema, in the description of an answer; answers are described and not checked. */
  readonly $ref?: string;
  /** Alternatives of different types; the one of the value's type is the one that counts. */
  readonly anyOf?: readonly Shape[];
};

/** A longer list helps nobody, and a hostile body could make it as long as it likes. */
const MAX_ISSUES = 100;

type Found = (pointer: string, message: string) => void;
type AnyObject = { readonly [name: string]: unknown };

/** Everything that is wrong with the value, by pointer. Values are named by their type and never quoted. */
export function shapeIssues(shape: Shape, value: unknown): readonly Issue[] {
  const issues: Issue[] = [];
  inspect(shape, value, '', (pointer, message) => {
    if (issues.length < MAX_ISSUES) issues.push({ pointer, message });
  });
  return issues;
}

export function checkShape(shape: Shape, value: unknown): void {
  const issues = shapeIssues(shape, value);
  const [first] = issues;
  if (first) throw validationError(issues, { field: first.pointer.split('/')[1] || 'body' });
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'undefined' ? 'nothing' : typeof value;
}

const isObject = (value: unknown): value is AnyObject => typeName(value) === 'object';

const fits = (type: Shape['type'], value: unknown): boolean =>
  type === undefined || (type === 'integer' ? Number.isSafeInteger(value) : typeName(value) === type);

function inspect(shape: Shape, value: unknown, at: string, found: Found): void {
  const chosen = shape.anyOf ? shape.anyOf.find((one) => typeOf(one) === typeName(value)) : shape;
  if (!chosen || !fits(chosen.type, value))
    found(at, `expected ${expectation(shape)}, got ${typeName(value)}`);
  else if (chosen.const !== undefined && value !== chosen.const) found(at, `expected ${expectation(shape)}`);
  else if (typeof value === 'string') inspectText(chosen, value, at, found);
  else if (typeof value === 'number') inspectNumber(chosen, value, at, found);
  else if (Array.isArray(value)) inspectList(chosen, value, at, found);
  else if (isObject(value)) inspectMembers(chosen, value, at, found);
}

const typeOf = (shape: Shape): string =>
  shape.const !== undefined ? typeof shape.const : (shape.type ?? '');

function expectation(shape: Shape): string {
  if (shape.anyOf) return shape.anyOf.map(expectation).join(' or ');
  if (shape.const !== undefined) return String(shape.const);
  return shape.type === 'integer'
    ? 'a whole number'
    : `${shape.type?.match(/^[aeiou]/) ? 'an' : 'a'} ${shape.type}`;
}

function inspectText(shape: Shape, text: string, at: string, found: Found): void {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = shape;
  if (shape.enum && !shape.enum.includes(text)) found(at, `expected one of ${shape.enum.join(', ')}`);
  if (text.length < minLength)
    found(at, minLength === 1 ? 'must not be empty' : `needs at least ${minLength} characters`);
  if (text.length > maxLength) found(at, `has more than ${maxLength} characters`);
  if (shape.pattern !== undefined && !new RegExp(shape.pattern, 'u').test(text)) {
    found(at, `does not match ${shape.description ?? shape.pattern}`);
  }
}

function inspectNumber(shape: Shape, value: number, at: string, found: Found): void {
  if (!Number.isFinite(value)) found(at, 'expected a finite number');
  if (shape.minimum !== undefined && value < shape.minimum) found(at, `must be at least ${shape.minimum}`);
  if (shape.maximum !== undefined && value > shape.maximum) found(at, `must be at most ${shape.maximum}`);
}

function inspectList(shape: Shape, items: readonly unknown[], at: string, found: Found): void {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = shape;
  if (items.length < minItems)
    found(at, minItems === 1 ? 'must not be empty' : `needs at least ${minItems} items`);
  if (items.length > maxItems) found(at, `has more than ${maxItems} items`);
  if (shape.uniqueItems && new Set(items).size < items.length) found(at, 'holds the same item twice');
  items.forEach((item, index) => {
    if (shape.items) inspect(shape.items, item, `${at}/${index}`, found);
  });
}

function inspectMembers(shape: Shape, object: AnyObject, at: string, found: Found): void {
  for (const name of shape.required ?? []) {
    if (!Object.hasOwn(object, name)) found(at, `"${name}" is missing`);
  }
  for (const [name, member] of Object.entries(object)) {
    const path = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const known = ownMember(shape.properties, name) ?? shape.additionalProperties;
    if (known === false)
      found(path, `unknown member; known are ${Object.keys(shape.properties ?? {}).join(', ')}`);
    else if (known !== undefined && member !== undefined) inspect(known, member, path, found);
    if (shape.propertyNames && typeof name === 'string') inspectText(shape.propertyNames, name, path, found);
  }
}

const ownMember = (properties: Shape['properties'], name: string): Shape | undefined =>
  properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
