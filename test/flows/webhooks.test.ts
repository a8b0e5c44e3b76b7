import { createHash, createHmac } from 'node:crypto';
import { check } from '@touchstone/protocol/wire';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createReceiver, type Receiver } from '../../packages/touchstone/src/app/testing/webhook-world.js';
import { type Event, eventsOf, type HostClient, readJson } from './pack-host.js';
import { KEY, kill, OTHER_KEY, type Serving, serve, temporaryFolder, writeProject } from './processes.js';
import { begin, fork } from './run-host.js';

// Goal: what happens in a run reaches those who asked for it, signed, in order and nobody else. Method: a real server, a
// receiver on loopback, and a last run after everything that must not be told: deliveries come in order, so whatever was
// to come before it has come.
const SUITE = 'local.test.evals.numbers';
const AGENT = 'local.test.numbers@1.0.0';
const ALLOWED = { OPENWOP_WEBHOOK_ALLOW_PRIVATE: 'true' };
const folder = temporaryFolder();
const running: Serving[] = [];

async function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<HostClient> {
  const process = await serve(args, folder.path, { OPENWOP_WEBHOOK_ALLOW_PRIVATE: '', ...env });
  running.push(process);
  return {
    fetch: (path, { method = 'GET', key = KEY, body } = {}) =>
      fetch(process.url + path, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
  };
}
const stopAll = async (): Promise<void> => {
  for (const process of running.splice(0)) await kill(process, 'SIGTERM');
};

let client: HostClient;
let receiver: Receiver;
beforeAll(async () => {
  writeProject(folder.path, 5);
  receiver = await createReceiver();
  client = await start(['--test-seams'], ALLOWED);
});
afterAll(async () => {
  await stopAll();
  await receiver.close();
  folder.remove();
});

type Registered = { readonly webhookId: string; readonly secret: string; readonly secretFingerprint: string };
const register = (at: HostClient, body: object, key = KEY) =>
  readJson(at, '/v1/webhooks', { method: 'POST', body, key });
/** Those that no test has removed itself. */
const open: string[] = [];
async function registered(body: object, key?: string): Promise<Registered> {
  const answer = await register(client, body, key);
  expect(answer.status).toBe(201);
  open.push(answer.body.webhookId as string);
  return answer.body as Registered;
}
const remove = (webhookId: string, key = KEY) =>
  client.fetch(`/v1/webhooks/${webhookId}`, { method: 'DELETE', key });

afterEach(async () => {
  for (const webhookId of open.splice(0)) await remove(webhookId);
});

async function finished(extra: object = {}, key?: string): Promise<readonly Event[]> {
  const runId = await begin(client, SUITE, { agentId: AGENT, ...extra, ...(key !== undefined && { key }) });
  return eventsOf(client, runId, key);
}
const runIdOf = (events: readonly Event[]): string => events[0]?.eventId.split(':')[0] as string;
type Delivery = Awaited<ReturnType<Receiver['received']['next']>>;
/** Everything delivered up to the end of this run. */
async function deliveredUntil(runId: string): Promise<readonly Delivery[]> {
  const all: Delivery[] = [];
  for (;;) {
    const delivery = await receiver.received.next();
    all.push(delivery);
    if (delivery.runId === runId && JSON.parse(delivery.body).event.type === 'run.completed') return all;
  }
}

const TYPES = ['eval.started', 'eval.scored', 'eval.completed', 'run.completed'];

describe('a webhook', () => {
  it('is told of what it asked for, in order, as it is in the log, under a signature', async () => {
    const { webhookId, secret, secretFingerprint } = await registered({ url: receiver.url, events: TYPES });
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(secretFingerprint).toBe(createHash('sha256').update(secret).digest('hex').slice(0, 8));
    const events = await finished();
    const deliveries = await deliveredUntil(runIdOf(events));
    const wanted = events.filter(({ type }) => TYPES.includes(type));
    expect(deliveries.map(({ body }) => JSON.parse(body))).toEqual(
      wanted.map((event) => ({ runId: runIdOf(events), type: event.type, workspaceId: 'main', event })),
    );
    for (const [index, { headers, body }] of deliveries.entries()) {
      const timestamp = headers['x-openwop-timestamp'];
      const expected = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
      expect(headers).toMatchObject({
        'x-openwop-webhook-id': webhookId,
        'x-openwop-event-type': wanted[index]?.type,
        'x-openwop-signature': `sha256=${expected}`,
        'x-openwop-signature-algorithm': 'v1',
        'content-type': 'application/json',
      });
      expect(headers['user-agent']).toMatch(/^openwop-webhook-dispatcher\//);
      expect(timestamp).toMatch(/^\d{10}$/);
      expect(check('run-event', JSON.parse(body).event)).toEqual([]);
    }
  });

  it('with tags hears of runs that bear one of them', async () => {
    await registered({
      url: receiver.url,
      events: ['run.completed'],
      tags: ['nightly', 'x'],
    });
    await finished();
    await finished({ tags: ['daily'] });
    const last = await finished({ tags: ['daily', 'nightly'] });
    const deliveries = await deliveredUntil(runIdOf(last));
    expect(deliveries.map(({ runId }) => runId)).toEqual([runIdOf(last)]);
  });

  it('hears nothing of another tenant’s runs', async () => {
    const { webhookId } = await registered({ url: receiver.url, events: ['run.completed'] });
    const foreign = await finished({}, OTHER_KEY);
    const last = await finished();
    const runs = (await deliveredUntil(runIdOf(last))).map(({ runId }) => runId);
    expect(runs).toEqual([runIdOf(last)]);
    expect(runs).not.toContain(runIdOf(foreign));
    expect((await remove(webhookId, OTHER_KEY)).status).toBe(404);
  });

  it('hears nothing of a replay, and of a branch only what is new', async () => {
    const source = await finished();
    await registered({ url: receiver.url, events: TYPES });
    const replay = (await fork(client, runIdOf(source), { mode: 'replay' })).body.runId as string;
    await eventsOf(client, replay);
    const at = source.findIndex(
      ({ type, nodeId }) => type === 'agent.invocation.started' && nodeId === 'n-3',
    );
    const branch = (await fork(client, runIdOf(source), { mode: 'branch', fromSeq: at })).body
      .runId as string;
    await eventsOf(client, branch);
    const deliveries = await deliveredUntil(branch);
    expect(deliveries.map(({ runId, sequence }) => [runId, sequence])).toEqual(
      source.flatMap(({ type }, sequence) =>
        sequence >= at && TYPES.includes(type) ? [[branch, sequence]] : [],
      ),
    );
  });

  it('that is removed hears no more, and cannot be removed twice', async () => {
    const { webhookId } = await registered({ url: `${receiver.url}gone`, events: ['run.completed'] });
    await deliveredUntil(runIdOf(await finished()));
    expect((await remove(webhookId)).status).toBe(204);
    await registered({ url: `${receiver.url}left`, events: ['run.completed'] });
    const deliveries = await deliveredUntil(runIdOf(await finished()));
    expect(deliveries.map(({ path }) => path)).toEqual(['/left']);
    const again = await remove(webhookId);
    expect([again.status, await again.json()]).toMatchObject([404, { error: 'subscription_not_found' }]);
  });

  it('is listed for its owner without its secret', async () => {
    const { webhookId, secret, secretFingerprint } = await registered({
      url: receiver.url,
      events: ['run.failed'],
    });
    const listed = await readJson(client, '/v1/host/touchstone/webhooks');
    expect(listed.body.items).toMatchObject([
      { webhookId, url: receiver.url, secretFingerprint, failures: 0 },
    ]);
    expect(JSON.stringify(listed.body)).not.toContain(secret);
    expect((await readJson(client, '/v1/host/touchstone/webhooks', { key: OTHER_KEY })).body.items).toEqual(
      [],
    );
  });

  it.each<[string, object]>([
    ['without an address', { events: ['run.completed'] }],
    ['to what is no address', { url: 'nowhere', events: ['run.completed'] }],
    ['of no events', { url: 'https://example.com/', events: [] }],
    ['without events', { url: 'https://example.com/' }],
    ['with members of its own', { url: 'https://example.com/', events: ['run.completed'], colour: 'red' }],
  ])('%s is refused', async (_, body) => {
    expect(await register(client, body)).toMatchObject({ status: 400, body: { error: 'validation_error' } });
  });
});

// Last, because it stops the server of the tests above.
it('outlives a restart, and is not sent to this machine unless seams and variable are both there', async () => {
  const { webhookId, secret } = await registered({ url: receiver.url, events: ['run.completed'] });
  await stopAll();
  client = await start(['--test-seams'], ALLOWED);
  const [delivery] = await deliveredUntil(runIdOf(await finished()));
  const signed = `${delivery?.headers['x-openwop-timestamp']}.${delivery?.body}`;
  const expected = createHmac('sha256', secret).update(signed).digest('hex');
  expect(delivery?.headers).toMatchObject({
    'x-openwop-webhook-id': webhookId,
    'x-openwop-signature': `sha256=${expected}`,
  });
  const before = receiver.connections();
  const failed = async (): Promise<number> =>
    ((await readJson(client, '/v1/host/touchstone/webhooks')).body.items as { failures: number }[])[0]
      ?.failures ?? 0;
  for (const [args, env] of [
    [['--test-seams'], {}],
    [[], ALLOWED],
  ] as const) {
    await stopAll();
    client = await start(args, env);
    const refused = await register(client, { url: receiver.url, events: ['run.completed'] });
    expect(refused).toMatchObject({ status: 400, body: { error: 'webhook_url_rejected' } });
    // The one that is registered already is not reached any more either.
    const failures = await failed();
    await finished();
    while ((await failed()) === failures);
  }
  expect(receiver.connections()).toBe(before);
});
