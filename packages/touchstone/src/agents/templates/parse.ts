import { parseJson } from '@touchstone/protocol';

/** A filter behind a placeholder. */
export type Filter =
  | { readonly name: 'json' | 'trim' | 'upper' | 'lower' }
  | { readonly name: 'default'; readonly value: string };

/** A template, piece by piece: text that stays, and placeholders. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'placeholder'; readonly path: readonly string[]; readonly filters: readonly Filter[] };

export type TemplateReading = { readonly pieces: readonly Piece[] } | { readonly trouble: string };

const PATH = /^[\p{L}_][\p{L}\p{N}_-]*(?:\.[\p{L}\p{N}_-]+)*$/u;
const PLAIN_FILTERS: readonly string[] = ['json', 'trim', 'upper', 'lower'];
const DEFAULT_FILTER = /^default\(\s*("(?:[^"\\]|\\.)*")\s*\)$/u;
/** `{{ "{{" }}` writes the braces. */
const LITERAL = /^"(?:[^"\\]|\\.)*"$/u;

/** Reads a template. No loops, no conditions, no code: what is none of the few forms is refused. */
export function parseTemplate(text: string): TemplateReading {
  const pieces: Piece[] = [];
  let at = 0;
  for (;;) {
    const start = text.indexOf('{{', at);
    if (start < 0) break;
    const end = closing(text, start + 2);
    if (end === undefined) return { trouble: 'A placeholder is not closed: expected }}.' };
    if (start > at) pieces.push({ kind: 'text', text: text.slice(at, start) });
    const piece = readPlaceholder(text.slice(start + 2, end).trim());
    if ('trouble' in piece) return piece;
    pieces.push(piece);
    at = end + 2;
  }
  if (at < text.length) pieces.push({ kind: 'text', text: text.slice(at) });
  return { pieces };
}

/** Where the placeholder ends: the first `}}` outside of quotation marks. */
function closing(text: string, from: number): number | undefined {
  let inQuotes = false;
  for (let at = from; at < text.length; at += 1) {
    if (inQuotes && text[at] === '\\') at += 1;
    else if (text[at] === '"') inQuotes = !inQuotes;
    else if (!inQuotes && text.startsWith('}}', at)) return at;
  }
  return undefined;
}

function readPlaceholder(inner: string): Piece | { readonly trouble: string } {
  if (LITERAL.test(inner)) {
    const text = parseJson(inner);
    return typeof text === 'string' ? { kind: 'text', text } : { trouble: NO_TEXT };
  }
  const [name = '', ...rest] = splitPipes(inner);
  if (!PATH.test(name)) return { trouble: 'Expected a name such as {{ question }} or {{ order.items.0 }}.' };
  const filters: Filter[] = [];
  for (const part of rest) {
    const filter = readFilter(part);
    if (!filter) return { trouble: 'Expected a filter: json, trim, upper, lower or default("…").' };
    filters.push(filter);
  }
  return { kind: 'placeholder', path: name.split('.'), filters };
}

const NO_TEXT =
  'Expected a text between quotation marks as JSON writes it: \\n for a line break, \\\\ for a backslash.';

/** Parts between bars, except bars inside quotation marks. */
const UP_TO_BAR = /((?:"(?:[^"\\]|\\.)*"|[^|"])*)\|/gu;
const splitPipes = (inner: string): readonly string[] =>
  [...`${inner}|`.matchAll(UP_TO_BAR)].map(([, part = '']) => part.trim());

function readFilter(part: string): Filter | undefined {
  if (PLAIN_FILTERS.includes(part)) return { name: part as 'json' | 'trim' | 'upper' | 'lower' };
  const [, written] = DEFAULT_FILTER.exec(part) ?? [];
  const value = written === undefined ? undefined : parseJson(written);
  return typeof value === 'string' ? { name: 'default', value } : undefined;
}
