import { createHash } from 'node:crypto';
import { type Answer, type Call, type Endpoint, endpoint } from '../endpoint.js';
import { openApiDocument } from '../openapi.js';
import type { Services } from '../services.js';

/** What anyone may read: what this host can do, and how to ask for it. `all` is the table this endpoint is part of. */
export function discoveryEndpoints(host: Services, all: () => readonly Endpoint[]): readonly Endpoint[] {
  const capabilities = cachedDocument(() => host.capabilities);
  const openApi = cachedDocument(() => openApiDocument(all()));
  return [
    endpoint({
      operationId: 'getCapabilities',
      method: 'GET',
      path: '/.well-known/openwop',
      auth: 'none',
      summary: 'What this host can do',
      responses: { 200: { description: 'The discovery document.', schema: 'capabilities' } },
      handle: capabilities,
    }),
    endpoint({
      operationId: 'getOpenApi',
      method: 'GET',
      path: '/v1/openapi.json',
      auth: 'none',
      summary: 'This API as an OpenAPI document',
      responses: { 200: { description: 'The document.', schema: { type: 'object' } } },
      handle: openApi,
    }),
  ];
}

/** Serves a document that does not change while the process lives: written once, and not sent twice to who has it. */
function cachedDocument(make: () => object): (call: Call) => Answer {
  let text: string | undefined;
  let etag = '';
  return (call) => {
    if (text === undefined) {
      text = JSON.stringify(make());
      etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
    }
    const headers = { etag, 'cache-control': 'public, max-age=300' };
    if (matches(call.headers['if-none-match'], etag)) return { status: 304, headers };
    return { status: 200, text, headers: { ...headers, 'content-type': 'application/json; charset=utf-8' } };
  };
}

/** Whether the caller already holds this version. */
export const matches = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((tag) => [etag, `W/${etag}`, '*'].includes(tag.trim()));
