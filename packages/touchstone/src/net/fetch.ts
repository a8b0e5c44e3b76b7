import type http from 'node:http';
import type { ErrorName } from '@touchstone/protocol';
import type { Guard } from './guard.js';
import { createHttpClient, drain, isSuccess, readBytes, readErrorCode } from './http.js';

/**
 * `fetch` for the provider packages: guarded, without redirects, with a limit on the answer. The body of a failure is
 * never read, so that it cannot be quoted.
 */
export function createFetch(
  maxBytes: number,
  guard?: Guard,
): { readonly fetch: typeof fetch; close(): void } {
  const client = createHttpClient(guard);
  return {
    async fetch(input, { method = 'GET', headers, body, signal } = {}) {
      const response = await client.send({
        url: new URL(input instanceof Request ? input.url : input),
        method,
        headers: Object.fromEntries(new Headers(headers)),
        ...(typeof body === 'string' && { body }),
        ...(signal && { signal }),
      });
      try {
        return toResponse(response, maxBytes, await readErrorCode(response));
      } catch (error) {
        response.destroy();
        throw error;
      }
    },
    close: client.close,
  };
}

/** Carries the name of a refusal through a provider package, which keeps headers and makes its own error of the rest. */
export const ERROR_CODE_HEADER = 'x-touchstone-error-code';

function toResponse(
  response: http.IncomingMessage,
  maxBytes: number,
  errorCode: ErrorName | undefined,
): Response {
  const { statusCode: status = 0 } = response;
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers)) headers.set(name, String(value));
  headers.delete(ERROR_CODE_HEADER);
  if (errorCode !== undefined) headers.set(ERROR_CODE_HEADER, errorCode);
  if (isSuccess(status) && status !== 204)
    return new Response(ReadableStream.from(readBytes(response, maxBytes)), { status, headers });
  drain(response);
  return new Response(null, { status, headers });
}
