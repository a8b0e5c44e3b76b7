import { isObject, type Json, parseJson } from '@touchstone/protocol';
import { objectsIn } from '../documents.js';
import type { SourceDocument } from '../imported.js';
import { itemsOf, member, type Node, rootOf, text, wordOf } from '../nodes.js';

export type Attributes = ReadonlyMap<string, Json>;

/** A span of a trace, with the attributes of its resource beside its own. */
export type Span = {
  readonly node: Node;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  readonly name: string;
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly attributes: Attributes;
  readonly resource: Attributes;
};

/** The spans of an export in OTLP JSON. */
export const spansOf = (document: SourceDocument): readonly Span[] =>
  itemsOf(member(rootOf(document), 'resourceSpans', 'resource_spans')).flatMap((group) => {
    const resource = attributesOf(member(group, 'resource'));
    return itemsOf(member(group, 'scopeSpans', 'scope_spans'))
      .flatMap((scope) => itemsOf(member(scope, 'spans')))
      .map((node) => spanOf(node, resource));
  });

function spanOf(node: Node, resource: Attributes): Span {
  const word = (...names: readonly string[]): string => text(member(node, ...names)) ?? '';
  return {
    node,
    traceId: word('traceId', 'trace_id'),
    spanId: word('spanId', 'span_id'),
    parentId: word('parentSpanId', 'parent_span_id'),
    name: word('name'),
    startNs: nanoseconds(member(node, 'startTimeUnixNano', 'start_time_unix_nano')),
    endNs: nanoseconds(member(node, 'endTimeUnixNano', 'end_time_unix_nano')),
    attributes: attributesOf(node),
    resource,
  };
}

/** They are too large for numbers, so they come as texts; some programs write numbers all the same. */
const nanoseconds = ({ value }: Node): bigint =>
  /^\d{1,20}$/.test(wordOf(value)) ? BigInt(wordOf(value)) : 0n;

const attributesOf = (node: Node): Attributes =>
  new Map(
    itemsOf(member(node, 'attributes')).map((pair) => [
      text(member(pair, 'key')) ?? '',
      anyValue(member(pair, 'value').value),
    ]),
  );

/** A value of the protocol as plain JSON. */
function anyValue(value: Json | undefined): Json {
  if (!isObject(value)) return null;
  const [kind = '', held = null] = Object.entries(value)[0] ?? [];
  if (kind === 'intValue') return Number(wordOf(held));
  if (kind === 'arrayValue') return valuesIn(held).map(anyValue);
  if (kind === 'kvlistValue')
    return Object.fromEntries(
      objectsIn(valuesIn(held)).map(({ key, value: one }) => [wordOf(key), anyValue(one)]),
    );
  return held;
}

const valuesIn = (held: Json): readonly Json[] =>
  isObject(held) && Array.isArray(held.values) ? (held.values as readonly Json[]) : [];

/** The first of these attributes that is there. */
export function attribute({ attributes }: Span, ...names: readonly string[]): Json | undefined {
  const name = names.find((one) => attributes.has(one));
  return name === undefined ? undefined : attributes.get(name);
}

/** Content is structured, or JSON in a text, or a text. */
export function content(span: Span, ...names: readonly string[]): Json | undefined {
  const value = attribute(span, ...names);
  if (typeof value !== 'string') return value;
  const parsed = /^\s*[[{]/.test(value) ? parseJson(value) : undefined;
  return parsed === undefined ? value : parsed;
}
