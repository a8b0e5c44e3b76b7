import { isObject, type Json, type JsonObject } from '@touchstone/protocol';
import { inside, placeIn } from './documents.js';
import type { SourceDocument, SourcePointer } from './imported.js';

/** A value of a source with its place: what is read from it can be reported with its line. */
export type Node = { readonly at: SourcePointer; readonly value: Json | undefined };

export const rootOf = (document: SourceDocument): Node => ({ at: placeIn(document), value: document.value });

/** A member under the first of these names that is there. Without any it is undefined, at the place of its owner. */
export function member({ at, value }: Node, ...names: readonly string[]): Node {
  const name = isObject(value) ? names.find((one) => Object.hasOwn(value, one)) : undefined;
  return name === undefined
    ? { at, value: undefined }
    : { at: inside(at, name), value: (value as JsonObject)[name] };
}

export const itemsOf = ({ at, value }: Node): readonly Node[] =>
  Array.isArray(value)
    ? (value as readonly Json[]).map((item, index) => ({ at: inside(at, index), value: item }))
    : [];

export const text = ({ value }: Node): string | undefined => (typeof value === 'string' ? value : undefined);
/** A scalar as a text. Of anything else the name of its type: what the source holds does not decide how it is written. */
export const wordOf = (value: Json | undefined): string =>
  value === null || typeof value !== 'object' ? String(value) : Array.isArray(value) ? 'list' : 'object';

/** What a table has under a name from a source. Names that every object has are not its own. */
export const lookUp = <Entry>(table: { readonly [name: string]: Entry }, name: string): Entry | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

export const number = ({ value }: Node): number | undefined =>
  typeof value === 'number' ? value : undefined;

/** Whether something is there that says something. */
export const isFilled = ({ value }: Node): boolean =>
  Array.isArray(value) ? value.length > 0 : isObject(value) ? Object.keys(value).length > 0 : Boolean(value);
