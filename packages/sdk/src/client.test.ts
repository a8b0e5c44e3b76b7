import { asId, type RunId } from '@touchstone/protocol';
import { expect, test } from 'vitest';
import { createClient } from './client.js';
import { HostResponseError, HostUnreachable } from './errors.js';

type Sent = {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: unknown;
};
type Reply = () => Response;

const RUN = asId<RunId>('run 1');
const lost: Reply = () => {
  throw new TypeError('socket hang up');
};
const ok =
  (body: unknown): Reply =>
  () =>
    Response.json(body);
const refused =
  (status: number, code: string, headers: Record<string, string> = {}, details?: object): Reply =>
  () =>
    Response.json({ error: code, message: `m ${code}`, ...(details && { details }) }, { status, headers });

/** A host that gives the listed replies, one per request, and remembers what it was asked. */
function scripted(...replies: Reply[]) {
  const sent: Sent[] = [];
  const waits: number[] = [];
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const body = typeof init.body === 'string' ? JSON.parse(init.body) : init.body;
    sent.push({ url, method: init.method ?? '', headers: new Headers(init.headers), body });
    const reply = replies[sent.length - 1];
    if (!reply) throw new Error('no reply is scripted for this request');
    return reply();
  };
  const sleep = async (ms: number): Promise<void> => void waits.push(ms);
  const client = createClient({
    baseUrl: 'http://host:1/base/',
    key: 'secret',
    fetch,
    retry: { sleep, random: () => 0.5, attempts: 3, baseDelayMs: 100 },
  });
  return { client, sent, waits };
}

test('a lost answer to a create is asked for again under the same idempotency key', async () => {
  const { client, sent } = scripted(lost, lost, ok({ runId: 'r', status: 'pending', eventsUrl: '/e' }));
  const created = await client.runs.create({ mode: 'eval', evalSuiteRef: 's@1.0.0', agentId: 'a' });
  expect(created.runId).toBe('r');
  const keys = sent.map((one) => one.headers.get('idempotency-key'));
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set(keys).size).toBe(1);
  expect(sent[2]?.body).toEqual({ mode: 'eval', evalSuiteRef: 's@1.0.0', agentId: 'a' });
});

test('two creates carry two keys, and a given key is used as it is', async () => {
  const reply = ok({ runId: 'r', status: 'pending', eventsUrl: '/e' });
  const { client, sent } = scripted(reply, reply, reply);
  await client.runs.create({ agentId: 'a' });
  await client.runs.create({ agentId: 'a' });
  await client.runs.create({ agentId: 'a' }, { idempotencyKey: 'mine' });
  const keys = sent.map((one) => one.headers.get('idempotency-key'));
  expect(new Set(keys).size).toBe(3);
  expect(keys[2]).toBe('mine');
});

test('a duplicate that meets its first copy still at work waits for it', async () => {
  const busy = refused(409, 'idempotency_in_flight', {}, { retryAfter: 2 });
  const { client, waits } = scripted(lost, busy, ok({ runId: 'r', status: 'pending', eventsUrl: '/e' }));
  await client.runs.create({ agentId: 'a' });
  expect(waits).toEqual([75, 2000]);
});

test('a read is repeated after a transient failure and waits at least as long as the host asks', async () => {
  const { client, sent, waits } = scripted(
    refused(503, 'unavailable', { 'retry-after': '3' }),
    refused(429, 'rate_limited', {
      'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT',
      date: 'Thu, 01 Jan 2026 00:00:01 GMT',
    }),
    ok({ runId: 'r', workflowId: 'w', status: 'running' }),
  );
  expect((await client.runs.get(RUN)).status).toBe('running');
  expect(waits).toEqual([3000, 4000]);
  expect(sent[0]?.url).toBe('http://host:1/base/v1/runs/run%201');
  expect(sent[0]?.headers.get('authorization')).toBe('Bearer secret');
});

test('a host that asks for an hour is not waited for', async () => {
  const { client, waits } = scripted(refused(429, 'rate_limited', { 'retry-after': '3600' }));
  await expect(client.runs.get(RUN)).rejects.toMatchObject({ status: 429, retryAfterMs: 3_600_000 });
  expect(waits).toEqual([]);
});

test('a refusal carries status, code, message and details, and is not repeated', async () => {
  const { client, sent } = scripted(refused(400, 'validation_error', {}, { field: 'agentId' }));
  const refusal = client.runs.create({ agentId: 'x' });
  await expect(refusal).rejects.toBeInstanceOf(HostResponseError);
  await expect(refusal).rejects.toMatchObject({
    status: 400,
    code: 'validation_error',
    message: 'm validation_error',
    details: { field: 'agentId' },
  });
  expect(sent).toHaveLength(1);
});

test('an answer from something that is not the host is told by its status, not quoted', async () => {
  const page: Reply = () => new Response('<html>private</html>', { status: 418 });
  await expect(scripted(page).client.runs.get(RUN)).rejects.toMatchObject({
    code: 'unexpected_response',
    message: 'Status 418 came without an error envelope.',
  });
  const notJson: Reply = () => new Response('<html>private</html>');
  await expect(scripted(notJson).client.runs.get(RUN)).rejects.toMatchObject({ code: 'unexpected_response' });
});

test('no answer after every try is HostUnreachable with its cause', async () => {
  const { client, sent } = scripted(lost, lost, lost);
  await expect(client.discovery()).rejects.toBeInstanceOf(HostUnreachable);
  expect(sent).toHaveLength(3);
});

test('an address is shown by its origin, and one with a password is not taken', async () => {
  const fetch = () => Promise.reject(new Error('refused'));
  const client = createClient({
    baseUrl: 'http://127.0.0.1:1/base?token=hunter2',
    fetch,
    retry: { attempts: 1 },
  });
  await expect(client.discovery()).rejects.toThrow(/^No answer from http:\/\/127\.0\.0\.1:1\. /);
  for (const baseUrl of ['http://ann:hunter2@127.0.0.1:1', 'https://ann@evals.example/x']) {
    expect(() => createClient({ baseUrl })).toThrow(/no user name and no password/);
    expect(() => createClient({ baseUrl })).not.toThrow(/hunter2|ann@/);
  }
});

test('an aborted call is over at once, with the caller’s reason', async () => {
  const stop = new AbortController();
  const reason = new Error('enough');
  const { client, sent } = scripted(() => {
    stop.abort(reason);
    throw new TypeError('aborted');
  });
  await expect(client.runs.get(RUN, { signal: stop.signal })).rejects.toBe(reason);
  expect(sent).toHaveLength(1);
});

test('every call goes to its documented path', async () => {
  const any = ok({});
  const { client, sent } = scripted(...Array.from({ length: 39 }, () => any));
  await client.discovery();
  await client.runs.list({ status: 'running', limit: 5 });
  await client.runs.cancel(RUN, 'why');
  await client.runs.bulkCancel([RUN]);
  await client.runs.pause(RUN, { drainPolicy: 'immediate' });
  await client.runs.resume(RUN);
  await client.pollEvents(RUN, { after: 0, timeoutSeconds: 1 });
  await client.evalSummary(RUN);
  await client.task(RUN, 't1');
  await client.runs.report(RUN);
  await client.suites.install({ suiteId: 's' });
  await client.suites.list({ limit: 2 });
  await client.suites.get('a.evals.b@1.0.0');
  await client.agents.list();
  await client.agents.get('x.y');
  await client.agents.bind('x.y', { version: '1.0.0' });
  await client.packs.install(new Uint8Array([1]), { name: 'vendor.acme.support', version: '1.0.0+a' });
  await client.packs.list({ cursor: 'c' });
  await client.tools.list();
  await client.tools.get('mcp:files.read');
  await client.runs.report(RUN, { against: asId<RunId>('run 0'), allowJudgeMismatch: true });
  await client.runs.fork(RUN, { mode: 'branch', fromSeq: 3 });
  await client.runs.diff(RUN, asId<RunId>('run 0'));
  await client.runs.annotate(RUN, { signal: { kind: 'flag' }, note: 'odd' });
  await client.runs.annotations(RUN);
  await client.runs.debugBundle(RUN);
  await client.webhooks.register({ url: 'https://x.example/', events: ['run.completed'] });
  await client.webhooks.list();
  await client.webhooks.remove('wh/1');
  await client.profiles.compile({ definition: { kind: 'Agent' }, install: true });
  await client.runs.contractReport(RUN);
  await client.deployments.list('x.y');
  await client.deployments.transition('x.y', { version: '1.0.0', transition: 'pause' });
  await client.interrupts.resolve(RUN, 'approval', { decision: 'granted' });
  await client.interrupts.createToken(RUN, 'approval', { intent: 'inspect' });
  await client.interrupts.inspect('a.b');
  await client.interrupts.resolveByToken('a.b', { decision: 'granted' });
  await client.audit.verify();
  await client.audit.list({ limit: 5, cursor: '9' });
  expect(sent.map((one) => `${one.method} ${one.url.replace('http://host:1/base', '')}`)).toEqual([
    'GET /.well-known/openwop',
    'GET /v1/host/touchstone/runs?status=running&limit=5',
    'POST /v1/runs/run%201/cancel',
    'POST /v1/runs:bulk-cancel',
    'POST /v1/runs/run%201:pause',
    'POST /v1/runs/run%201:resume',
    'GET /v1/runs/run%201/events/poll?lastSequence=0&timeout=1',
    'GET /v1/runs/run%201/eval-summary',
    'GET /v1/host/touchstone/runs/run%201/tasks/t1',
    'GET /v1/host/touchstone/runs/run%201/report',
    'POST /v1/host/touchstone/suites',
    'GET /v1/host/touchstone/suites?limit=2',
    'GET /v1/host/touchstone/suites/a.evals.b%401.0.0',
    'GET /v1/agents',
    'GET /v1/agents/x.y',
    'PUT /v1/host/touchstone/agents/x.y',
    'PUT /v1/host/touchstone/packs/vendor.acme.support/-/1.0.0%2Ba.tgz',
    'GET /v1/host/touchstone/packs?cursor=c',
    'GET /v1/tools',
    'GET /v1/tools/mcp%3Afiles.read',
    'GET /v1/host/touchstone/runs/run%201/report?against=run%200&allowJudgeMismatch=true',
    'POST /v1/runs/run%201:fork',
    'GET /v1/runs/run%201:diff?against=run%200',
    'POST /v1/runs/run%201/annotations',
    'GET /v1/runs/run%201/annotations',
    'GET /v1/runs/run%201/debug-bundle',
    'POST /v1/webhooks',
    'GET /v1/host/touchstone/webhooks',
    'DELETE /v1/webhooks/wh%2F1',
    'POST /v1/host/touchstone/profiles:compile',
    'GET /v1/host/touchstone/runs/run%201/contract-report',
    'GET /v1/agents/x.y/deployments',
    'POST /v1/agents/x.y/deployments',
    'POST /v1/runs/run%201/interrupts/approval',
    'POST /v1/host/touchstone/runs/run%201/interrupts/approval/tokens',
    'GET /v1/interrupts/a.b',
    'POST /v1/interrupts/a.b',
    'GET /v1/audit/verify',
    'GET /v1/host/touchstone/audit?limit=5&cursor=9',
  ]);
  expect(sent[2]?.body).toEqual({ reason: 'why' });
  expect(sent[3]?.body).toEqual({ runIds: [RUN] });
  expect(sent[21]?.body).toEqual({ mode: 'branch', fromSeq: 3 });
  expect(sent[23]?.body).toEqual({ signal: { kind: 'flag' }, note: 'odd' });
  expect(sent[23]?.headers.get('idempotency-key')).toMatch(/^[0-9a-f]{32}$/);
  expect(sent[29]?.body).toEqual({ definition: { kind: 'Agent' }, install: true });
  expect(sent[32]?.body).toEqual({ version: '1.0.0', transition: 'pause' });
  expect(sent[33]?.body).toEqual({ resumeValue: { decision: 'granted' } });
  expect(sent[34]?.body).toEqual({ intent: 'inspect' });
  expect(sent[36]?.body).toEqual({ resumeValue: { decision: 'granted' } });
});

test('a move tells its run, whether it is done or waits for people', async () => {
  const record = { agentId: 'x.y', version: '1.0.0', state: 'staged' };
  const waiting = { runId: 'run-2', status: 'waiting-approval' };
  const done: Reply = () => Response.json(record, { headers: { 'touchstone-run-id': 'run-1' } });
  const asked: Reply = () => Response.json({ ...record, touchstone: waiting }, { status: 202 });
  const { client, sent } = scripted(lost, done, asked, ok(record));
  const move = () => client.deployments.transition('x.y', { version: '1.0.0', transition: 'promote' });
  expect(await move()).toEqual({ record, runId: 'run-1' });
  expect(await move()).toEqual({ record, runId: 'run-2', waiting: 'waiting-approval' });
  expect(await move()).toEqual({ record });
  const keys = sent.map((one) => one.headers.get('idempotency-key'));
  expect([keys[0] === keys[1], new Set(keys).size]).toEqual([true, 3]);
});

test('the annotations of a run come as a list', async () => {
  const annotation = { annotationId: 'ann-1', target: { runId: RUN }, signal: { kind: 'flag' } };
  const { client } = scripted(ok({ annotations: [annotation] }));
  expect(await client.runs.annotations(RUN)).toEqual([annotation]);
});

test('a removal whose answer was lost has worked when nothing is there any more', async () => {
  const gone = refused(404, 'subscription_not_found');
  const empty: Reply = () => new Response(null, { status: 204 });
  await expect(scripted(empty).client.webhooks.remove('wh')).resolves.toBeUndefined();
  await expect(scripted(lost, gone).client.webhooks.remove('wh')).resolves.toBeUndefined();
  await expect(scripted(gone).client.webhooks.remove('wh')).rejects.toMatchObject({ status: 404 });
  await expect(scripted(lost, refused(403, 'forbidden')).client.webhooks.remove('wh')).rejects.toMatchObject({
    status: 403,
  });
});

test('an archive goes out byte for byte under its hash, and again after a lost answer', async () => {
  const { client, sent } = scripted(lost, ok({ name: 'vendor.acme.support', warnings: [] }));
  const archive = new Uint8Array([31, 139, 0, 255]);
  await client.packs.install(archive, {
    name: 'vendor.acme.support',
    version: '1.0.0',
    integrity: 'sha256-abc',
  });
  expect(sent).toHaveLength(2);
  for (const { body, headers } of sent) {
    expect(body).toEqual(archive);
    expect(headers.get('content-type')).toBe('application/gzip');
    expect(headers.get('x-pack-sha256')).toBe('sha256-abc');
    expect(headers.get('authorization')).toBe('Bearer secret');
  }
});

test('an address that is not http is refused before anything is sent', () => {
  expect(() => createClient({ baseUrl: 'localhost:8787' })).toThrow(/http:\/\//);
});
