import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { asId, type RunId, type RunPlan } from '@touchstone/protocol';
import type { NewEvent } from '@touchstone/protocol/bodies';
import { check } from '@touchstone/protocol/wire';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGuard } from '../../net/index.js';
import { completed, decided, paused, scored, started } from '../testing/events.js';
import {
  ACME,
  createReceiver,
  createWebhookWorld,
  principalOf,
  type Receiver,
  type WebhookWorld,
} from '../testing/webhook-world.js';
import { webhookGuard } from './webhooks.js';

const HOUR = 3_600_000;
let world: WebhookWorld;
let receiver: Receiver;
beforeEach(async () => {
  world = await createWebhookWorld();
  receiver = await createReceiver();
});
afterEach(async () => {
  await world.close();
  await receiver.close();
});

const register = (wish: { path?: string; events?: string[]; tags?: string[] } = {}, owner = ACME) => {
  const { path = '', events = ['run.started', 'eval.scored', 'run.completed'], tags } = wish;
  return world.webhooks.register(principalOf(owner), {
    url: `${receiver.url}${path}`,
    events,
    ...(tags && { tags }),
  });
};
const next = () => receiver.received.next();
const fail = () => {
  receiver.answer = (response) => response.writeHead(500).end();
};
const recover = () => {
  receiver.answer = (response) => response.writeHead(204).end();
};
const linesOf = (event: string) => world.lines.filter((line) => line.event === event);

describe('a delivery', () => {
  it('is signed over its timestamp and its bytes, and says what it is', async () => {
    const { webhookId, secret } = await register();
    await world.clock.advance(1_999);
    const run = await world.run();
    await world.append(run, [started]);
    const { headers, body } = await next();

    const at = String(Math.floor(world.clock.now() / 1_000));
    const hmac = createHmac('sha256', secret).update(at).update('.').update(body).digest('hex');
    expect(headers).toMatchObject({
      'x-openwop-webhook-id': webhookId,
      'x-openwop-event-type': 'run.started',
      'x-openwop-timestamp': at,
      'x-openwop-signature': `sha256=${hmac}`,
      'x-openwop-signature-algorithm': 'v1',
      'user-agent': 'openwop-webhook-dispatcher/1.2.3',
      'content-type': 'application/json',
    });
    const [event] = await world.store.log.read(ACME, run.runId, -1, 10);
    expect(JSON.parse(body)).toEqual({
      runId: run.runId,
      type: 'run.started',
      workspaceId: 'main',
      event,
    });
    expect(check('run-event', JSON.parse(body).event)).toEqual([]);
  });

  it('comes for each wanted event, once and in order, however the log was written', async () => {
    const kinds: readonly NewEvent[] = [started, scored('t'), paused, decided('t', 'answer')];
    const commits = fc.array(fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 30 }), {
      minLength: 1,
      maxLength: 12,
    });
    await register({ events: ['eval.scored', 'run.paused', 'run.completed'] });
    await fc.assert(
      fc.asyncProperty(commits, async (batches) => {
        const run = await world.run();
        for (const batch of [...batches, [completed]]) await world.append(run, batch);
        const types = [...batches.flat(), completed].map(({ type }) => type);
        const wanted = types.flatMap((type, sequence) =>
          type === 'run.started' || type === 'agent.decided' ? [] : [sequence],
        );
        for (const sequence of wanted) expect(await next()).toMatchObject({ runId: run.runId, sequence });
        expect(receiver.received.size).toBe(0);
      }),
      { numRuns: 25 },
    );
  });

  it('goes only to webhooks of the run’s tenant and workspace', async () => {
    await register({ path: 'rival' }, { tenant: 'rival', workspace: 'main' });
    await register({ path: 'other' }, { tenant: 'acme', workspace: 'other' });
    await register({ path: 'mine' });
    await world.append(await world.run(), [started, completed]);
    expect([await next(), await next()].map(({ path }) => path)).toEqual(['/mine', '/mine']);
    const foreign = await world.run({ owner: { tenant: 'rival', workspace: 'main' } });
    await world.append(foreign, [started]);
    expect(await next()).toMatchObject({ path: '/rival', runId: foreign.runId });
    expect(receiver.received.size).toBe(0);
  });

  it('is for runs that bear one of the tags, if there are tags', async () => {
    await register({ tags: ['nightly', 'release'] });
    await world.append(await world.run(), [started]);
    await world.append(await world.run({ tags: ['daily'] }), [started]);
    const tagged = await world.run({ tags: ['daily', 'release'] });
    await world.append(tagged, [started]);
    expect(await next()).toMatchObject({ runId: tagged.runId });
  });

  it('that nobody answers fails after five seconds, and holds up no other webhook', async () => {
    const silent = await register({ path: 'silent' });
    await register({ path: 'prompt' });
    receiver.answer = (response, { path }) => path === '/prompt' && response.writeHead(200).end('{}');
    const run = await world.run();
    await world.append(run, [started, scored('t'), completed]);
    const paths = [await next(), await next(), await next(), await next()].map(({ path }) => path);
    expect(paths.filter((path) => path === '/silent')).toHaveLength(1);
    await world.untilUnderWay(1);
    await world.clock.advance(4_999);
    expect(world.noted.size).toBe(0);
    await world.clock.advance(1);
    expect(await world.noted.next()).toEqual({ failures: 1 });
    expect(await next()).toMatchObject({ path: '/silent', sequence: 1 });
    expect(linesOf('webhook.undelivered').map(({ facts }) => facts)).toEqual([
      { webhookId: silent.webhookId, runId: run.runId, sequence: 0, why: 'timeout' },
    ]);
  });

  it('that is answered by a redirect has failed, and nobody goes there', async () => {
    await register({ path: 'here' });
    receiver.answer = (response, { path }) =>
      path === '/here' ? response.writeHead(307, { location: `${receiver.url}there` }).end() : undefined;
    const run = await world.run();
    await world.append(run, [started, completed]);
    expect(await world.noted.next()).toEqual({ failures: 1 });
    expect(await world.noted.next()).toEqual({ failures: 2 });
    expect([await next(), await next()].map(({ path }) => path)).toEqual(['/here', '/here']);
    expect(receiver.received.size).toBe(0);
  });

  it.each([
    ['a huge body', (response: ServerResponse) => void response.end('x'.repeat(1_000_000))],
    ['a body that never ends', (response: ServerResponse) => void response.write('x')],
    ['no body, though one is announced', (response: ServerResponse) => response.flushHeaders()],
    [
      'a body that breaks off',
      (response: ServerResponse) => void response.write('x', () => response.destroy()),
    ],
  ])('has arrived, or failed, when the status says so, with %s', async (_, send) => {
    await register();
    receiver.answer = (response, { sequence }) =>
      send(response.writeHead(sequence === 0 ? 500 : 200, { 'content-length': 1_000_000 }));
    await world.append(await world.run(), [started, scored('t'), completed]);
    expect(await world.noted.next()).toEqual({ failures: 1 });
    expect(await world.noted.next()).toEqual({ failures: 0 });
    for (const sequence of [0, 1, 2]) expect(await next()).toMatchObject({ sequence });
    expect(linesOf('webhook.undelivered').map(({ facts }) => facts)).toMatchObject([
      { why: 'status', status: 500 },
    ]);
  });

  it('of a copied history is not made: a replay tells nothing, a branch only what is new', async () => {
    await register();
    const fork = (mode: 'replay' | 'branch', fromSeq: number): RunPlan => ({
      kind: 'workflow',
      workflowId: 'w',
      fork: { source: asId<RunId>('run-0'), mode, fromSeq },
    });
    await world.append(await world.run({ plan: fork('replay', 0) }), [started, scored('t'), completed]);
    const branch = await world.run({ plan: fork('branch', 2) });
    await world.append(branch, [started, scored('t'), scored('u')]);
    await world.append(branch, [completed]);
    expect(await next()).toMatchObject({ runId: branch.runId, sequence: 2 });
    expect(await next()).toMatchObject({ runId: branch.runId, sequence: 3 });
    expect(receiver.received.size).toBe(0);
  });
});

describe('a webhook that fails', () => {
  const failing = async (times: number) => {
    fail();
    const run = await world.run();
    for (let i = 0; i < times; i += 1) {
      await world.append(run, [scored('t')]);
      await next();
      await world.noted.next();
    }
  };

  it('is left alone for an hour after four failures, gets one trial, and is itself again once that arrives', async () => {
    const { webhookId } = await register();
    const listed = async () => (await world.webhooks.list(ACME))[0];
    await failing(3);
    expect(await listed()).toMatchObject({ webhookId, failures: 3 });
    await failing(1);
    const openUntil = new Date(world.clock.now() + HOUR).toISOString();
    expect(await listed()).toMatchObject({ failures: 4, openUntil });

    recover();
    const run = await world.run();
    await world.append(run, [started]);
    await world.clock.advance(HOUR - 1);
    await world.append(run, [started]);
    // What is not sent leaves no trace. Another webhook, told after it would have been, shows that its turn is over.
    await register({ path: 'witness', events: ['run.paused'] });
    await world.append(run, [paused]);
    expect(await next()).toMatchObject({ path: '/witness' });
    await world.untilUnderWay(0);

    await world.clock.advance(1);
    await failing(1);
    expect(await listed()).toMatchObject({ failures: 5, openUntil: expect.any(String) });
    await world.clock.advance(HOUR);
    recover();
    await world.append(run, [scored('t'), completed]);
    expect(await world.noted.next()).toEqual({ failures: 0 });
    expect([await next(), await next()].map(({ sequence }) => sequence)).toEqual([3, 4]);
    expect(await listed()).toEqual(expect.not.objectContaining({ openUntil: expect.anything() }));
    expect(linesOf('webhook.opened')).toHaveLength(2);
    expect(linesOf('webhook.closed')).toHaveLength(1);
  });

  it('is still left alone after a restart', async () => {
    await register();
    await failing(4);
    await world.restart();
    recover();
    const run = await world.run();
    await world.append(run, [started]);
    await world.clock.advance(HOUR);
    await world.append(run, [completed]);
    expect(await next()).toMatchObject({ runId: run.runId, sequence: 1 });
    expect(await world.noted.next()).toEqual({ failures: 0 });
  });

  it('loses what waited when its circuit opened', async () => {
    await register();
    fail();
    await world.append(
      await world.run(),
      Array.from({ length: 10 }, () => scored('t')),
    );
    for (const failures of [1, 2, 3]) expect(await world.noted.next()).toEqual({ failures });
    expect(await world.noted.next()).toMatchObject({ failures: 4 });
    expect(linesOf('webhook.opened').map(({ facts }) => facts)).toMatchObject([{ failures: 4, unsent: 6 }]);
    expect(receiver.received.size).toBe(4);
  });
});

describe('what waits', () => {
  it('is a thousand events at most: the oldest are dropped, and one line says how many', async () => {
    const { webhookId } = await register({ path: 'slow', events: ['eval.scored'] });
    await register({ path: 'witness', events: ['run.completed'] });
    let release = () => {};
    receiver.answer = (response, { path, sequence }) => {
      if (path === '/slow' && sequence === 0) release = () => response.writeHead(204).end();
      else response.writeHead(204).end();
    };
    const run = await world.run();
    await world.append(run, [scored('t')]);
    await next();
    await world.append(run, [...Array.from({ length: 1_100 }, () => scored('t')), completed]);
    expect(await next()).toMatchObject({ path: '/witness', sequence: 1_101 });
    release();
    const sequences: number[] = [];
    while (sequences.length < 1_000) sequences.push((await next()).sequence);
    expect(sequences).toEqual(Array.from({ length: 1_000 }, (_, index) => 101 + index));
    await world.webhooks.stop();
    expect(linesOf('webhook.dropped')).toEqual([
      { level: 'warn', event: 'webhook.dropped', facts: { webhookId, events: 100 } },
    ]);
  });

  it('is given up at a stop, which counts against nobody', async () => {
    await register();
    const torn = new Promise<void>((resolve) => {
      receiver.answer = (response) => response.on('close', resolve);
    });
    await world.append(await world.run(), [started, completed]);
    await next();
    await world.webhooks.stop();
    await torn;
    expect(world.clock.sleeping).toBe(0);
    expect((await world.webhooks.list(ACME))[0]?.failures).toBe(0);
    expect(receiver.received.size).toBe(0);
  });

  it('for a removed webhook is not sent', async () => {
    const { webhookId } = await register();
    const torn = new Promise<void>((resolve) => {
      receiver.answer = (response) => response.on('close', resolve);
    });
    const run = await world.run();
    await world.append(run, [started, scored('t')]);
    await next();
    await world.webhooks.remove(ACME, webhookId);
    await torn;
    recover();
    await world.append(run, [scored('t')]);
    await register({ path: 'witness' });
    await world.append(run, [completed]);
    expect(await next()).toMatchObject({ path: '/witness', sequence: 3 });
  });
});

it('a tenant has a hundred webhooks, however many ask at once, and nobody else has fewer', async () => {
  const other = { ...ACME, tenant: 'other' };
  const asked = [ACME, other].flatMap((owner) => Array.from({ length: 150 }, () => register({}, owner)));
  const settled = await Promise.allSettled(asked);
  const refused = settled.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
  expect(refused).toEqual(Array.from({ length: 100 }, () => 'quota_exceeded'));
  for (const owner of [ACME, other]) {
    const [first, ...rest] = await world.webhooks.list(owner);
    expect(rest).toHaveLength(99);
    await world.webhooks.remove(owner, first?.webhookId ?? '');
    await register({}, owner);
  }
});

it('a webhook of another process is known after five seconds', async () => {
  const run = await world.run();
  await world.append(run, [started]);
  const webhook = { webhookId: 'wh-foreign', url: receiver.url, events: ['eval.scored'], secret: 's' };
  await world.store.webhooks.add(ACME, { ...webhook, principal: 'ci', createdAt: 1, failures: 0 });
  await world.clock.advance(5_000);
  await world.append(run, [scored('t')]);
  expect(await next()).toMatchObject({ sequence: 1 });
});

it('no line of the log says where, what or under which secret', async () => {
  const { secret } = await register({ path: 'hooks-path', events: ['agent.decided'] });
  fail();
  await world.append(
    await world.run(),
    Array.from({ length: 5 }, () => decided('t', 'the-answer')),
  );
  for (let i = 0; i < 4; i += 1) await world.noted.next();
  const written = JSON.stringify(world.lines);
  expect(linesOf('webhook.undelivered')).toHaveLength(4);
  for (const secretive of [secret, 'hooks-path', '127.0.0.1', 'the-answer'])
    expect(written).not.toContain(secretive);
  expect(JSON.stringify(await world.webhooks.list(ACME))).not.toContain(secret);
});

describe('a name', () => {
  it('is resolved and checked again when there is something to send', async () => {
    let address = '93.184.216.34';
    const guarded = await createWebhookWorld(createGuard({ resolve: async () => [{ address, family: 4 }] }));
    const url = `https://hooks.example:${receiver.port}/`;
    await guarded.webhooks.register(principalOf(ACME), { url, events: ['run.started'] });
    address = '127.0.0.1';
    await guarded.append(await guarded.run(), [started]);
    expect(await guarded.noted.next()).toEqual({ failures: 1 });
    expect(guarded.lines.at(-1)).toMatchObject({ facts: { why: 'refused' } });
    expect(receiver.connections()).toBe(0);
    await guarded.close();
  });

  it('is resolved once for what is sent at once', async () => {
    let resolved = 0;
    const resolve = async () => {
      resolved += 1;
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const guarded = await createWebhookWorld(createGuard({ allowPrivate: true, resolve }));
    const url = `http://hooks.example:${receiver.port}/`;
    const events = ['run.started', 'eval.scored', 'run.completed'];
    await guarded.webhooks.register(principalOf(ACME), { url, events });
    await guarded.append(await guarded.run(), [started, scored('t'), completed]);
    for (let i = 0; i < 3; i += 1) expect((await next()).headers.host).toBe(`hooks.example:${receiver.port}`);
    await guarded.webhooks.stop();
    expect([resolved, receiver.connections()]).toEqual([2, 1]);
    await guarded.close();
  });
});

it.each([
  [false, true, 'true', 1],
  [false, false, 'true', 0],
  [false, true, 'yes', 0],
  [true, false, undefined, 1],
])(
  'allowPrivate %s, seams %s, variable %s: %i loopback URLs admitted',
  (allowPrivate, seams, variable, admitted) => {
    const env = { OPENWOP_WEBHOOK_ALLOW_PRIVATE: variable };
    const guard = webhookGuard({ egress: { allowHosts: [], allowPrivate } }, seams, env);
    expect(guard.checkUrl('http://127.0.0.1:1/')).toHaveLength(1 - admitted);
  },
);
