import { AsyncLocalStorage } from 'node:async_hooks';

const origins = new AsyncLocalStorage<() => string>();

/**
 * Does work whose requests carry this header of W3C Trace Context. Nobody else's do. It is made when there is a request:
 * most tasks of a quick run make none.
 */
export const withTraceparent = <T>(traceparent: () => string, work: () => T): T =>
  origins.run(traceparent, work);

/** The headers by which a request that is made now says what it belongs to; usually none. */
export function traceHeaders(): { readonly traceparent?: string } {
  const traceparent = origins.getStore();
  return traceparent === undefined ? {} : { traceparent: traceparent() };
}
