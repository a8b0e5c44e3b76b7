import type { IncomingHttpHeaders } from 'node:http';

// Version 00 of W3C Trace Context; all-zero ids are invalid by its rules.
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
const TRACESTATE = /^[\x20-\x7e\t]{1,512}$/;

/** The trace headers to send back. `tracestate` means nothing without a valid `traceparent`, so it goes only with one. */
export function traceHeaders(headers: IncomingHttpHeaders): { readonly [name: string]: string } {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== 'string' || !TRACEPARENT.test(traceparent)) return {};
  const state = typeof tracestate === 'string' && TRACESTATE.test(tracestate) ? { tracestate } : {};
  return { traceparent, ...state };
}
