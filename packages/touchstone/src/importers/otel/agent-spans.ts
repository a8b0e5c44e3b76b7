import type { ImportOptions } from '../imported.js';
import { wordOf } from '../nodes.js';
import { attribute, type Span } from './spans.js';

type SpanKind = 'agent' | 'tool' | 'chain' | 'other';

/** By the GenAI conventions of OpenTelemetry, or by OpenInference. */
function kindOf(span: Span): SpanKind {
  const operation =
    attribute(span, 'gen_ai.operation.name') ?? /^(invoke_agent|execute_tool)\b/.exec(span.name)?.[1];
  if (operation === 'invoke_agent') return 'agent';
  if (operation === 'execute_tool') return 'tool';
  const kind = wordOf(attribute(span, 'openinference.span.kind') ?? '').toUpperCase();
  return kind === 'AGENT' ? 'agent' : kind === 'TOOL' ? 'tool' : kind === 'CHAIN' ? 'chain' : 'other';
}

/** An invocation of an agent, with what it did in the order of the clock. */
export type AgentSpan = { readonly span: Span; readonly tools: readonly Span[] };

const key = (traceId: string, spanId: string): string => `${traceId} ${spanId}`;

/** The outermost invocations. A trace without any has its root, when that is a chain. */
export function agentSpans(spans: readonly Span[]): readonly AgentSpan[] {
  const known = new Map(spans.map((span) => [key(span.traceId, span.spanId), span]));
  const kinds = new Map(spans.map((span) => [span, kindOf(span)]));
  const withAgent = new Set(
    spans.filter((span) => kinds.get(span) === 'agent').map(({ traceId }) => traceId),
  );
  const ancestors = (span: Span): readonly Span[] => ancestorsOf(span, known);
  const isOutermost = (span: Span): boolean => {
    if (withAgent.has(span.traceId))
      return kinds.get(span) === 'agent' && !ancestors(span).some((above) => kinds.get(above) === 'agent');
    return kinds.get(span) === 'chain' && ancestors(span).length === 0;
  };
  const tools = groupTools(spans.filter((span) => kinds.get(span) === 'tool').sort(byStart), ancestors);
  return spans.filter(isOutermost).map((span) => ({ span, tools: tools.get(span) ?? [] }));
}

/** A file that was made by hand may hold a circle. */
function ancestorsOf(span: Span, known: ReadonlyMap<string, Span>): readonly Span[] {
  const found = new Set<Span>();
  let above = known.get(key(span.traceId, span.parentId));
  while (above && above !== span && !found.has(above)) {
    found.add(above);
    above = known.get(key(above.traceId, above.parentId));
  }
  return [...found];
}

function groupTools(
  tools: readonly Span[],
  ancestors: (span: Span) => readonly Span[],
): ReadonlyMap<Span, readonly Span[]> {
  const groups = new Map<Span, Span[]>();
  for (const tool of tools)
    for (const above of ancestors(tool)) {
      const group = groups.get(above);
      if (group) group.push(tool);
      else groups.set(above, [tool]);
    }
  return groups;
}

const byStart = (a: Span, b: Span): number => (a.startNs < b.startNs ? -1 : a.startNs > b.startNs ? 1 : 0);

/** `--where key=value`: attributes of the span or of its resource, all of which have to fit. */
export const isChosen =
  ({ where = [] }: ImportOptions) =>
  ({ span }: AgentSpan): boolean =>
    where.every((pair) => {
      const at = pair.indexOf('=');
      const name = pair.slice(0, Math.max(0, at));
      const value = span.attributes.get(name) ?? span.resource.get(name);
      return value !== undefined && wordOf(value) === pair.slice(at + 1);
    });
