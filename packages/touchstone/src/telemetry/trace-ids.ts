import { hash } from 'node:crypto';
import type { InvocationId, RunId } from '@touchstone/protocol';
import type { RequestOrigin } from '../ports/index.js';
import type { SpanRef } from './signals.js';

// Ids of traces and spans are digests of ids that the log has, so that a link to a trace can be computed from a run, and
// so that a request can name its span before the span is sent. A digest says nothing about an evaluation to an agent.

const TRACE_DIGITS = 32;
const SPAN_DIGITS = 16;

const digits = (...words: readonly string[]): string => hash('sha256', words.join(' '), 'hex');

const placeOf = (all: string): SpanRef => ({
  traceId: all.slice(0, TRACE_DIGITS),
  spanId: all.slice(TRACE_DIGITS, TRACE_DIGITS + SPAN_DIGITS),
});

/** The span of a whole run, in a trace of its own. */
export const runRef = (runId: RunId): SpanRef => placeOf(digits(runId));

/** The span of one invocation, which begins its trace. */
export const invocationRef = (runId: RunId, invocationId: InvocationId): SpanRef =>
  placeOf(digits(runId, invocationId));

/** The span of something that an invocation did; `name` tells it apart from the others of the run. */
export const childId = (runId: RunId, name: string): string => digits(runId, name).slice(0, SPAN_DIGITS);

/** The header of W3C Trace Context for a request of this origin. */
export function traceparentOf({ runId, invocationId, callId }: RequestOrigin): string {
  const { traceId, spanId } = invocationRef(runId, invocationId);
  return `00-${traceId}-${callId === undefined ? spanId : childId(runId, callId)}-01`;
}
