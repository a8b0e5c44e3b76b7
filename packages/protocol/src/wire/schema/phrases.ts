import { child } from '../../values/pointer.js';
import type { Located, Resolve, SchemaNode } from './schema-node.js';

/** Longer names are cut: a property name is the author's, and may be as long as the whole document. */
const MAX_NAME = 80;
/** Longer lists of words are counted instead. */
const MAX_WORDS = 12;

const cut = (name: string): string => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name);

/** A name in quotes, cut when it is long. */
export const quoted = (name: string): string => `"${cut(name)}"`;

/** One step further along a JSON pointer (RFC 6901). */
export const step = (pointer: string, name: string): string => child(pointer, cut(name));

/** `"a" and "b"`. */
export const inOrder = (names: readonly string[]): string => names.map(quoted).join(' and ');

/** `1 item`, `3 items`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const ARTICLES: { readonly [type: string]: string } = {
  null: 'null',
  object: 'an object',
  array: 'an array',
  integer: 'an integer',
};
const withArticle = (type: string): string => ARTICLES[type] ?? `a ${type}`;

/** What a schema asks for, in a few words. */
export function describe(schema: Located, resolve: Resolve): string {
  const { node } = schema;
  if (node.$ref !== undefined) return describe(resolve(node.$ref, schema.base), resolve);
  if (node.const !== undefined) return JSON.stringify(node.const);
  if (node.enum) return describeWords(node.enum);
  if (node.pattern !== undefined) return node.title ?? `a string that matches ${node.pattern}`;
  if (node.type !== undefined) return [node.type].flat().map(withArticle).join(' or ');
  return describeMembers(node);
}

const describeWords = (words: readonly string[]): string =>
  words.length > MAX_WORDS ? `one of ${words.length} known words` : `one of ${words.join(', ')}`;

function describeMembers({ required, not }: SchemaNode): string {
  const present = required ? ` with ${inOrder(required)}` : '';
  const absent = not?.required ? ` without ${inOrder(not.required)}` : '';
  return `an object${present}${present && absent ? ' and' : ''}${absent}`;
}

/** Several schemas, one of which is asked for. A definition is called by its name. */
export const alternatives = ({ base }: Located, nodes: readonly SchemaNode[], resolve: Resolve): string =>
  nodes
    .map((node) =>
      node.$ref === undefined ? describe({ node, base }, resolve) : (node.$ref.split('/').at(-1) ?? ''),
    )
    .join(' or ');
