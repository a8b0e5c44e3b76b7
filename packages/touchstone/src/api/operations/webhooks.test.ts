import { createHash } from 'node:crypto';
import { isHostError, type Owner } from '@touchstone/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ACME, createWebhookWorld, principalOf, type WebhookWorld } from '../../app/testing/webhook-world.js';
import type { Webhooks } from '../../app/webhooks/webhooks.js';
import { createGuard } from '../../net/index.js';
import type { Call, Reply } from '../endpoint.js';
import type { Services } from '../services.js';
import { webhookEndpoints } from './webhooks.js';

const RIVAL: Owner = { tenant: 'rival', workspace: 'main' };
const wish = { url: 'https://hooks.example/touchstone?token=t0p', events: ['run.completed'] };

let world: WebhookWorld;
beforeEach(async () => {
  world = await createWebhookWorld(
    createGuard({
      resolve: async (host) => {
        if (host.startsWith('nowhere')) throw Object.assign(new Error('no'), { code: 'ENOTFOUND' });
        if (host.startsWith('silent')) return new Promise(() => undefined);
        return [{ address: host.startsWith('inside') ? '10.0.0.7' : '93.184.216.34', family: 4 }];
      },
    }),
  );
});
afterEach(() => world.close());

async function ask(
  operationId: string,
  {
    body,
    webhookId = '',
    owner = ACME,
    query = {},
  }: { body?: unknown; webhookId?: string; owner?: Owner; query?: object } = {},
): Promise<Reply> {
  const host = { webhooks: world.webhooks } as unknown as Services & { webhooks: Webhooks };
  const found = webhookEndpoints(host).find((endpoint) => endpoint.operationId === operationId);
  const call = { principal: principalOf(owner), params: { webhookId }, query, body };
  return (await found?.handle(call as unknown as Call)) as Reply;
}
const register = (body: unknown, owner = ACME) => ask('registerWebhook', { body, owner });
const refusal = async (asked: Promise<Reply>) => {
  const error = await asked.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (!isHostError(error)) throw new Error('Expected a refusal.');
  return error;
};
const stored = () => world.store.webhooks.list(ACME);

describe('a registration', () => {
  it('shows the secret once: afterwards there is its fingerprint', async () => {
    const { status, body } = await register({ ...wish, tenantId: 'acme', tags: ['nightly'] });
    const made = body as { webhookId: string; secret: string; secretFingerprint: string };
    expect(status).toBe(201);
    expect(made).toEqual({
      webhookId: expect.stringMatching(/^wh-/),
      subscriptionId: made.webhookId,
      secret: expect.stringMatching(/^[0-9a-f]{64}$/),
      secretFingerprint: createHash('sha256').update(made.secret).digest('hex').slice(0, 8),
    });
    const list = await ask('listWebhooks');
    expect(list.body).toEqual({
      items: [
        {
          ...wish,
          webhookId: made.webhookId,
          tags: ['nightly'],
          createdAt: new Date(world.clock.now()).toISOString(),
          failures: 0,
          secretFingerprint: made.secretFingerprint,
        },
      ],
    });
    expect(JSON.stringify(list.body)).not.toContain(made.secret);
    expect((await ask('listWebhooks', { owner: RIVAL })).body).toEqual({ items: [] });
  });

  it('has a secret of its own, or the one that was brought', async () => {
    const secretOf = async (body: object) => ((await register(body)).body as { secret: string }).secret;
    expect(await secretOf(wish)).not.toBe(await secretOf(wish));
    const secret = 'correct horse battery staple, 32+';
    expect(await secretOf({ ...wish, secret })).toBe(secret);
  });

  it.each([
    ['no url', { events: wish.events }, 'url'],
    ['a url that is none', { ...wish, url: 'hooks.example/x' }, 'url'],
    ['an empty url', { ...wish, url: '' }, 'url'],
    ['no events', { url: wish.url }, 'events'],
    ['an empty list of events', { ...wish, events: [] }, 'events'],
    ['an event twice', { ...wish, events: ['run.failed', 'run.failed'] }, 'events'],
    ['an unknown event', { ...wish, events: ['run.failed', 'run.exploded'] }, 'events'],
    ['all events', { ...wish, events: ['*'] }, 'events'],
    ['an event of a vendor', { ...wish, events: ['touchstone.run.done'] }, 'events'],
    ["another's tenant", { ...wish, tenantId: 'rival' }, 'tenantId'],
    ['no tags', { ...wish, tags: [] }, 'tags'],
    ['a short secret', { ...wish, secret: 'x'.repeat(31) }, 'secret'],
    ['a long secret', { ...wish, secret: 'x'.repeat(257) }, 'secret'],
    ['a secret with control characters', { ...wish, secret: `${'x'.repeat(40)}\n` }, 'secret'],
    ['an unknown member', { ...wish, retries: 3 }, 'retries'],
  ])('with %s is not valid', async (_, body, field) => {
    const { code, details, message } = await refusal(register(body));
    expect([code, details?.field]).toEqual(['validation_error', field]);
    expect(message).not.toContain('x'.repeat(31));
    expect(await stored()).toEqual([]);
  });

  it('for unknown events says which there are, and takes all that the protocol lists', async () => {
    const { details } = await refusal(register({ ...wish, events: ['nope'] }));
    expect(details?.events).toEqual(expect.arrayContaining(['run.completed', 'eval.scored']));
    expect((await register({ ...wish, events: ['lease.handed-off', 'eval.scored'] })).status).toBe(201);
  });

  it.each([
    'http://hooks.example/x',
    'ftp://hooks.example/x',
    'https://user:pass@hooks.example/x',
    'https://localhost/x',
    'https://127.0.0.1/x',
    'https://2130706433/x',
    'https://10.1.2.3/x',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/x',
    'https://[fd00::1]/x',
    'https://[::ffff:127.0.0.1]/x',
    'https://inside.example/x',
  ])('to %s is rejected', async (url) => {
    const { code, message } = await refusal(register({ ...wish, url }));
    expect(code).toBe('webhook_url_rejected');
    expect(message).not.toContain(new URL(url).hostname);
    expect(await stored()).toEqual([]);
  });

  it('does not wait for a name to resolve: it may still be on its way', async () => {
    expect((await register({ ...wish, url: 'https://nowhere.example/' })).status).toBe(201);
    const waiting = register({ ...wish, url: 'https://silent.example/' });
    await world.clock.advance(2_000);
    expect((await waiting).status).toBe(201);
  });

  it('past the hundredth is refused, until one is removed', async () => {
    for (let made = 0; made < 100; made += 1) await register(wish);
    expect((await refusal(register(wish))).code).toBe('quota_exceeded');
    expect((await register(wish, RIVAL)).status).toBe(201);
    const [first] = await stored();
    await ask('removeWebhook', { webhookId: first?.webhookId ?? '' });
    expect((await register(wish)).status).toBe(201);
  });
});

it('in the name of another tenant nothing is removed, and nothing is said about what there is', async () => {
  const { webhookId } = (await register(wish)).body as { webhookId: string };
  const foreign = await refusal(ask('removeWebhook', { webhookId, query: { tenantId: 'rival' } }));
  const unknown = await refusal(ask('removeWebhook', { webhookId: 'wh-0', query: { tenantId: 'rival' } }));
  expect([foreign.code, foreign.status, foreign.details]).toEqual(['forbidden', 403, { field: 'tenantId' }]);
  expect(foreign.message).toBe(unknown.message);
  expect(await stored()).toHaveLength(1);
  expect(await ask('removeWebhook', { webhookId, query: { tenantId: 'acme' } })).toEqual({ status: 204 });
});

it('a removed webhook is gone; an unknown one and a foreign one are refused in the same words', async () => {
  const { webhookId } = (await register(wish)).body as { webhookId: string };
  const foreign = await refusal(ask('removeWebhook', { webhookId, owner: RIVAL }));
  const unknown = await refusal(ask('removeWebhook', { webhookId: 'wh-0' }));
  expect([foreign.code, foreign.message]).toEqual(['subscription_not_found', unknown.message]);
  expect(await ask('removeWebhook', { webhookId })).toEqual({ status: 204 });
  expect((await refusal(ask('removeWebhook', { webhookId }))).code).toBe('subscription_not_found');
  expect(await stored()).toEqual([]);
});
