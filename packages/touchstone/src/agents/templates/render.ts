import { canonicalJson, type Json, type JsonObject } from '@touchstone/protocol';
import { type Filter, type Piece, parseTemplate } from './parse.js';
import { lookUp } from './variables.js';

/** A template that is ready to be filled in: text, or JSON with templates in its texts. */
export type Template = {
  /** The value with every placeholder filled in. Throws a `MissingVariable` when one has no value. */
  render(variables: JsonObject): Json;
  /** The placeholders without a default, each as it is written. */
  readonly names: readonly string[];
};

/** A placeholder whose variable is not there. It is never filled with nothing. */
export class MissingVariable extends Error {
  constructor(readonly variable: string) {
    super(`There is no variable ${variable} to fill in.`);
  }
}

export type TemplateResult = Template | { readonly trouble: string; readonly pointer: string };

/** Reads a template once, for many tasks. `trouble` says what is wrong with it, and where. */
export function createTemplate(value: Json): TemplateResult {
  const names = new Set<string>();
  const read = prepare(value, '', names);
  return 'trouble' in read ? read : { render: read.render, names: [...names] };
}

type Renderer =
  | { readonly render: (variables: JsonObject) => Json }
  | { readonly trouble: string; readonly pointer: string };

function prepare(value: Json, pointer: string, names: Set<string>): Renderer {
  if (typeof value === 'string') return prepareText(value, pointer, names);
  if (typeof value !== 'object' || value === null) return { render: () => value };
  const members: (readonly [string, (variables: JsonObject) => Json])[] = [];
  for (const [name, member] of Object.entries(value)) {
    const prepared = prepare(member as Json, `${pointer}/${name}`, names);
    if ('trouble' in prepared) return prepared;
    members.push([name, prepared.render]);
  }
  if (Array.isArray(value)) return { render: (variables) => members.map(([, render]) => render(variables)) };
  return {
    render: (variables) => Object.fromEntries(members.map(([name, render]) => [name, render(variables)])),
  };
}

function prepareText(text: string, pointer: string, names: Set<string>): Renderer {
  const read = parseTemplate(text);
  if ('trouble' in read) return { ...read, pointer };
  const { pieces } = read;
  for (const piece of pieces)
    if (piece.kind === 'placeholder' && !hasDefault(piece.filters)) names.add(piece.path.join('.'));
  const [only, ...more] = pieces;
  // A text that is one placeholder keeps the type of the value.
  if (only?.kind === 'placeholder' && more.length === 0) return { render: (all) => filledIn(only, all) };
  return { render: (all) => pieces.map((piece) => textOf(piece, all)).join('') };
}

const hasDefault = (filters: readonly Filter[]): boolean => filters.some(({ name }) => name === 'default');

function textOf(piece: Piece, variables: JsonObject): string {
  if (piece.kind === 'text') return piece.text;
  const value = filledIn(piece, variables);
  return typeof value === 'string' ? value : canonicalJson(value);
}

function filledIn({ path, filters }: Extract<Piece, { kind: 'placeholder' }>, variables: JsonObject): Json {
  const value = filters.reduce<Json | undefined>(applied, lookUp(path, variables));
  if (value === undefined) throw new MissingVariable(path.join('.'));
  return value;
}

function applied(value: Json | undefined, filter: Filter): Json | undefined {
  if (filter.name === 'default') return value === undefined || value === null ? filter.value : value;
  if (value === undefined) return undefined;
  if (filter.name === 'json') return canonicalJson(value);
  const text = typeof value === 'string' ? value : canonicalJson(value);
  if (filter.name === 'trim') return text.trim();
  return filter.name === 'upper' ? text.toUpperCase() : text.toLowerCase();
}
