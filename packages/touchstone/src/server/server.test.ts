import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen, sendRaw } from '../app/testing/listening.js';
import { expectRefusal } from '../app/testing/scorecards.js';
import { createTestHost, KEYS, type TestHost } from '../app/testing/test-host.js';

let host: TestHost;
/** The address of the same host, for requests over a real connection. */
let url: string;
beforeAll(async () => {
  host = await createTestHost({
    config: { limits: { maxRequestBodyBytes: 2_048, requestsPerMinute: 1_000_000 } },
  });
  url = await listen(host.app);
});
afterAll(() => host.close());

describe('paths that lead nowhere', () => {
  it.each([
    ['GET', '/v1/nothing'],
    ['GET', '/v1'],
    ['GET', '/v1/runs/'],
    ['POST', '/v1/runs/run-1:spoon'],
    ['POST', '/v1/host/sample/test/reset'],
    ['GET', '/v1/host/touchstone/packs/vendor.acme.support'],
    ['GET', '/.well-known/other'],
    ['GET', `/v1/runs/${'x'.repeat(600)}`],
  ])('%s %s is not found', async (method, path) => {
    expectRefusal(await host.request(method, path, { key: null }), 404, 'not_found');
  });

  it.each([['/v1/packs'], ['/v1/packs/export']])(
    '%s is named by the protocol, and not served',
    async (path) => {
      expectRefusal(await host.request('GET', path), 501, 'not_implemented');
    },
  );

  it.each([['/'], ['/runs'], ['/v2/runs'], ['/v1x'], ['/.well-known'], ['/%zz'], ['/v1/runs/%E0%A4%A']])(
    '%s is not a path of a versioned API',
    async (path) => {
      expectRefusal(await host.request('GET', path, { key: null }), 400, 'bad_path');
    },
  );

  it.each([
    ['DELETE', '/v1/runs', 'POST'],
    ['GET', '/v1/runs/run-1:pause', 'POST'],
    ['GET', '/v1/runs/run-1%3Apause', 'POST'],
    ['GET', '/v1/runs:bulk-cancel', 'POST'],
    ['PATCH', '/v1/runs/run-1', 'GET'],
    ['OPTIONS', '/v1/runs/run-1', 'GET'],
    ['PUT', '/v1/host/touchstone/suites', 'POST, GET'],
  ])('%s %s is the wrong method, and the right one is named', async (method, path, allow) => {
    const answer = await host.request(method, path);
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe(allow);
  });

  it('a path that does not exist is not found even when its body could not be read', async () => {
    const answer = await host.request('POST', '/v1/nothing', {
      body: 'text',
      headers: { 'content-type': 'text/plain' },
    });
    expectRefusal(answer, 404, 'not_found');
  });
});

describe('bodies', () => {
  const post = (body: unknown, headers = {}) => host.request('POST', '/v1/runs', { body, headers });

  it('must be there where they are needed', async () => {
    expectRefusal(await host.request('POST', '/v1/runs'), 400, 'validation_error');
    expectRefusal(await post(''), 400, 'validation_error');
  });

  it('may be left out where they are not', async () => {
    const { runId } = (await post({ workflowId: 'conformance-noop' })).json<{ runId: string }>();
    expect((await host.request('POST', `/v1/runs/${runId}/cancel`)).status).toBe(200);
  });

  it('that are not JSON are refused without being quoted', async () => {
    const answer = await post('{"inputs": {"secret": "tulip", }');
    expectRefusal(answer, 400, 'validation_error');
    expect(answer.text).not.toContain('tulip');
  });

  it.each([
    ['text/plain', {}],
    ['application/x-www-form-urlencoded', {}],
    ['multipart/form-data; boundary=x', {}],
    ['nonsense', {}],
    ['application/json', { 'content-encoding': 'gzip' }],
  ])('of type %s with headers %o are refused', async (type, headers) => {
    expectRefusal(
      await post('{"workflowId":"x"}', { 'content-type': type, ...headers }),
      415,
      'unsupported_media_type',
    );
  });

  it('that are too large are refused with the limit', async () => {
    const body = expectRefusal(
      await post({ metadata: { text: 'x'.repeat(4_000) } }),
      413,
      'payload_too_large',
    );
    expect(body.details).toEqual({ limitBytes: 2_048 });
  });

  it('that are far too large are refused with an answer, and not with a broken connection', async () => {
    const headers = { authorization: `Bearer ${KEYS.acme}`, 'content-type': 'application/json' };
    const bytes = Buffer.alloc(24 * 1024 * 1024, ' ');
    const chunked = new ReadableStream({
      start(controller) {
        controller.enqueue(bytes);
        controller.close();
      },
    });
    for (const body of [bytes, chunked]) {
      const answer = await fetch(`${url}/v1/runs`, {
        method: 'POST',
        headers,
        body,
        duplex: 'half',
      } as RequestInit);
      expect(answer.status).toBe(413);
      expect(await answer.json()).toMatchObject({ error: 'payload_too_large' });
    }
  });

  it.each([
    ['a lone surrogate', '{"workflowId":"\\ud800"}'],
    ['a __proto__ member', '{"workflowId":"x","metadata":{"__proto__":{}}}'],
    ['hundreds of levels', `{"workflowId":"x","metadata":{"a":${'['.repeat(400)}${']'.repeat(400)}}}`],
  ])('with %s are refused', async (_, body) => {
    expectRefusal(await post(body), 400, 'validation_error');
  });
});

describe('whatever is sent', () => {
  const json = fc.jsonValue({ maxDepth: 4 });
  const runLike = fc.record(
    {
      workflowId: fc.oneof(fc.string(), json),
      mode: fc.oneof(fc.constant('eval'), json),
      evalSuiteRef: fc.oneof(fc.string(), fc.constant('core.acme.evals.x@1.0.0'), json),
      agentId: fc.oneof(fc.string(), json),
      configurable: json,
      metadata: json,
      tags: json,
      inputs: json,
      scopeId: json,
    },
    { requiredKeys: [] },
  );
  const suiteLike = fc.record(
    {
      suiteId: fc.oneof(fc.constant('core.acme.evals.x'), json),
      version: fc.oneof(fc.constant('1.0.0'), json),
      modes: fc.oneof(fc.constant(['golden']), json),
      tasks: fc.array(
        fc.record(
          { taskId: fc.oneof(fc.constant('t'), json), input: json, expected: json },
          { requiredKeys: [] },
        ),
      ),
      thresholds: json,
    },
    { requiredKeys: [] },
  );

  it.each([
    ['POST', '/v1/runs', fc.oneof(json, runLike)],
    ['POST', '/v1/host/touchstone/suites', fc.oneof(json, suiteLike)],
    ['POST', '/v1/runs:bulk-cancel', fc.oneof(json, fc.record({ runIds: json }))],
  ])('%s %s never fails on its own account', async (method, path, bodies) => {
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const answer = await host.request(method, path, { body: JSON.stringify(body) });
        expect(answer.status).toBeLessThan(500);
        if (answer.status >= 400)
          expectRefusal(answer, answer.status, answer.json<{ error: string }>().error);
      }),
      { numRuns: 150 },
    );
  });

  it('no query fails on its own account', async () => {
    const value = fc.oneof(
      fc.string(),
      fc.integer().map(String),
      fc.constantFrom('values', 'updates,debug', 'running', ''),
    );
    const { runId } = (
      await host.request('POST', '/v1/runs', { body: { workflowId: 'conformance-noop' } })
    ).json<{ runId: string }>();
    await host.request('POST', `/v1/runs/${runId}/cancel`);
    const names = [
      'lastSequence',
      'timeout',
      'streamMode',
      'bufferMs',
      'limit',
      'cursor',
      'status',
      'agentId',
    ];
    const paths = [
      `/v1/runs/${runId}/events`,
      `/v1/runs/${runId}/events/poll`,
      '/v1/host/touchstone/runs',
      '/v1/host/touchstone/suites',
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths),
        fc.dictionary(fc.constantFrom(...names), value),
        async (path, query) => {
          const answer = await host.request('GET', `${path}?${new URLSearchParams(query)}`);
          expect(answer.status).toBeLessThan(500);
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('trouble inside', () => {
  it('is answered with a correlation id that one log line repeats, and with nothing of the trouble itself', async () => {
    const broken = await createTestHost({
      wrap: (touchstone) => ({
        ...touchstone,
        agents: { ...touchstone.agents, list: () => Promise.reject(new Error('tulip at /etc/passwd')) },
      }),
    });
    const answer = await broken.request('GET', '/v1/agents');
    const { details } = expectRefusal(answer, 500, 'internal_error');
    expect(answer.text).not.toContain('tulip');
    const lines = broken.lines.filter(({ level }) => level === 'error');
    expect(lines).toEqual([
      expect.objectContaining({
        event: 'http.failed',
        facts: expect.objectContaining({ correlationId: details.correlationId }),
      }),
    ]);
    await broken.close();
  });
});

describe('trace context', () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  it('comes back when it is valid', async () => {
    const { headers } = await host.request('GET', '/v1/agents', {
      headers: { traceparent, tracestate: 'a=b' },
    });
    expect(headers).toMatchObject({ traceparent, tracestate: 'a=b' });
  });
  it.each([['00-00000000000000000000000000000000-00f067aa0ba902b7-01'], ['nonsense']])(
    '%s does not, and another trace is named',
    async (bad) => {
      const { headers } = await host.request('GET', '/v1/agents', {
        headers: { traceparent: bad, tracestate: 'a=b' },
      });
      expect(headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
      expect(headers).not.toHaveProperty('tracestate');
    },
  );
  it('is that of the correlation id where a caller sends none', async () => {
    const { headers } = await host.request('GET', '/v1/packs');
    const { headers: again } = await host.request('GET', '/v1/packs');
    expect(headers.traceparent).not.toBe(again.traceparent);
    const failed = await host.request('GET', '/v1/packs/export');
    const { correlationId } = expectRefusal(failed, 501, 'not_implemented').details;
    expect(failed.headers.traceparent).toContain(String(correlationId).replaceAll('-', ''));
  });
});

describe('the header that forces another version', () => {
  it('is for test keys, which this host does not have', async () => {
    const forced = { headers: { 'x-force-engine-version': '1' }, body: { workflowId: 'conformance-noop' } };
    const answer = await host.request('POST', '/v1/runs', forced);
    expectRefusal(answer, 403, 'force_engine_version_forbidden');
    expectRefusal(await host.request('POST', '/v1/runs', { ...forced, key: null }), 401, 'unauthenticated');
  });
});

describe('what is not a request at all', () => {
  it('is answered in the same envelope', async () => {
    const listening = await createTestHost();
    const url = await listen(listening.app);
    const long = `GET /v1/agents HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`;
    for (const bytes of [long, 'tulips\r\n\r\n']) {
      const [head, body] = (await sendRaw(url, bytes)).split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1\.1 400 /);
      expect(JSON.parse(body ?? '')).toMatchObject({ error: 'validation_error' });
    }
    await listening.close();
  });
});

describe('the log', () => {
  it('has a line per authenticated request, with the template of its path and no word of its caller', async () => {
    const quiet = await createTestHost();
    await quiet.request('GET', '/v1/runs/run-tulip?lastSequence=99', {
      headers: { 'idempotency-key': 'tulip-key' },
    });
    await quiet.request('GET', '/v1/agents', { key: 'unknown-tulip' });
    const written = JSON.stringify(quiet.lines);
    expect(quiet.lines).toHaveLength(1);
    expect(quiet.lines[0]).toMatchObject({
      level: 'info',
      event: 'http.request',
      facts: { scope: 'runs:read', method: 'GET', route: '/v1/runs/{runId}', status: 404 },
    });
    for (const secret of ['tulip', KEYS.acme, '99']) expect(written).not.toContain(secret);
    await quiet.close();
  });
});
