/** What is sent, without a word of the library that sends it. Times are milliseconds since 1970. */

export type AttributeValue = string | number | boolean;
export type Attributes = { readonly [name: string]: AttributeValue };

/** Names a span, wherever it is. */
export type SpanRef = { readonly traceId: string; readonly spanId: string };

export type SpanSignal = SpanRef & {
  readonly parentId?: string;
  readonly name: string;
  /** `client` for what asks another program. */
  readonly kind: 'client' | 'internal';
  readonly from: number;
  readonly until: number;
  readonly attributes: Attributes;
  readonly links: readonly SpanRef[];
  readonly failed: boolean;
};

/** What an evaluation said, under the span that it is about. */
export type ResultSignal = {
  readonly of: SpanRef;
  readonly at: number;
  readonly attributes: Attributes;
};

export type Signals = { readonly spans: readonly SpanSignal[]; readonly results: readonly ResultSignal[] };

/**
 * A name that an agent or a model has made up could be any text, and names are sent without a switch. So only what
 * looks like a name is one.
 */
export const plainName = (name: string): string => (/^[\w.:@/+*-]{1,160}$/.test(name) ? name : '(unnamed)');
