import { createHash } from 'node:crypto';
import { HostError } from '@touchstone/protocol';
import { WORKFLOW_DEFINITIONS } from '../../app/index.js';
import { type Answer, type Call, type Endpoint, endpoint, ok } from '../endpoint.js';
import { openApiDocument } from '../openapi.js';
import type { Services } from '../services.js';

/** What anyone may read: what this host can do, and how to ask for it. `all` is the table this endpoint is part of. */
export function discoveryEndpoints(host: Services, all: () => readonly Endpoint[]): readonly Endpoint[] {
  const capabilities = cachedDocument(() => host.capabilities);
  const openApi = cachedDocument(() => openApiDocument(all(), host.config.publicUrl));
  return [
    endpoint({
      operationId: 'getCapabilities',
      route: 'GET /.well-known/openwop',
      auth: 'none',
      summary: 'What this host can do',
      responses: ok('The discovery document.', 'capabilities'),
      handle: capabilities,
    }),
    endpoint({
      operationId: 'getOpenApi',
      route: 'GET /v1/openapi.json',
      auth: 'none',
      summary: 'This API as an OpenAPI document',
      responses: ok('The document.', { type: 'object' }),
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

/** The numbers are of all tenants together, so no role of a tenant brings the scope. */
export const metricsEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'getMetrics',
    route: 'GET /v1/host/touchstone/metrics',
    auth: 'metrics:read',
    summary: 'Numbers about this process, for Prometheus',
    responses: { 200: { description: 'Text in the Prometheus format.', mediaType: 'text/plain' } },
    async handle() {
      const { text, mediaType } = await host.renderMetrics();
      return { status: 200, text, headers: { 'content-type': mediaType, 'cache-control': 'no-store' } };
    },
  }),
];

export const workflowEndpoints = (): readonly Endpoint[] => [
  endpoint({
    operationId: 'getWorkflow',
    route: 'GET /v1/workflows/{workflowId}',
    auth: 'manifest:read',
    summary: 'A workflow this host can run',
    responses: ok('Its definition.', { type: 'object' }),
    refusals: ['not_found'],
    handle(call) {
      const workflow = WORKFLOW_DEFINITIONS.find(({ id }) => id === call.params.workflowId);
      if (!workflow) throw new HostError('not_found', 'There is no such workflow.');
      return { status: 200, body: workflow };
    },
  }),
];
