import { type SchemaName, schemas } from '../catalogue.js';
import type { Located, SchemaNode } from './schema-node.js';

type Document = SchemaNode & { readonly $id: string };

const documents = Object.values(schemas) as unknown as readonly Document[];

/** Our schemas by their addresses. */
export const byId: ReadonlyMap<string, Document> = new Map(
  documents.map((document) => [document.$id, document]),
);

/** The address of a named schema: its `$id`. */
export const idOf = (name: SchemaName): string => (schemas[name] as unknown as Document).$id;

/** The schema at an address: a document, or a place inside one. */
export function resolve(reference: string, base?: string): Located {
  const [id = '', fragment = ''] = new URL(reference, base).href.split('#');
  const node = fragment.split('/').slice(1).reduce<unknown>(memberOf, byId.get(id));
  if (typeof node !== 'object' || node === null) throw new Error(`There is no schema ${reference}.`);
  return { node, base: id };
}

const memberOf = (node: unknown, name: string): unknown =>
  (node as { readonly [name: string]: unknown } | undefined)?.[name];
