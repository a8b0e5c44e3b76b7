import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashKey } from '../../app/principal.js';
import { createManualClock, type ManualClock } from '../../app/testing/manual-clock.js';
import { createTestHost, KEYS, type TestHost } from '../../app/testing/test-host.js';

const SESSION = '/v1/host/touchstone/session';
const RUNS = '/v1/host/touchstone/runs';
const HOUR_MS = 3_600_000;

let host: TestHost;
let clock: ManualClock;
beforeEach(async () => {
  clock = createManualClock();
  host = await createTestHost({ clock });
});
afterEach(() => host.close());

/** Both halves, as a browser has them after signing in. */
async function signIn(key: string = KEYS.acme, headers: { [name: string]: string } = {}) {
  const answer = await host.request('POST', SESSION, { key, headers });
  const cookie = String(answer.headers['set-cookie'] ?? '').split(';')[0] ?? '';
  return { answer, cookie, session: String(answer.json().session) };
}
const read = (path: string, headers: { [name: string]: string }) =>
  host.request('GET', path, { key: null, headers });

describe('a session', () => {
  it('is opened with a key, and has its scopes', async () => {
    const { answer, cookie, session } = await signIn(KEYS.reader);
    expect(answer.json()).toEqual({
      session: expect.stringMatching(/^[\w-]{43}$/),
      principal: 'viewer',
      scopes: ['runs:read'],
      expiresAt: new Date(clock.now() + 12 * HOUR_MS).toISOString(),
    });
    expect(answer.headers['set-cookie']).toMatch(
      /^touchstone=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/,
    );
    const both = { cookie, 'touchstone-session': session };
    expect((await read(RUNS, both)).status).toBe(200);
    expect((await read('/v1/host/touchstone/keys', both)).status).toBe(403);
    expect((await read(SESSION, both)).json()).toEqual({
      tenant: 'acme',
      workspace: 'main',
      principal: 'viewer',
      roles: ['reader'],
      scopes: ['runs:read'],
      host: { version: '0.1.0' },
      until: expect.any(String),
    });
  });

  it.each([
    ['the cookie alone', ['cookie']],
    ['the header alone', ['touchstone-session']],
  ])('does not open with %s', async (_, names) => {
    const { cookie, session } = await signIn();
    const both = { cookie, 'touchstone-session': session };
    const some = Object.fromEntries(Object.entries(both).filter(([name]) => names.includes(name)));
    expect((await read(RUNS, some)).status).toBe(401);
  });

  it('does not open with the halves of two sessions', async () => {
    const [one, other] = [await signIn(), await signIn()];
    expect((await read(RUNS, { cookie: one.cookie, 'touchstone-session': other.session })).status).toBe(401);
  });

  it('ends when it is closed, with its key, after two hours of silence and after twelve', async () => {
    const open = async () => {
      const { cookie, session } = await signIn();
      const both = { cookie, 'touchstone-session': session };
      return { both, status: async () => (await read(RUNS, both)).status };
    };
    const closed = await open();
    expect((await host.request('DELETE', SESSION, { key: null, headers: closed.both })).status).toBe(204);
    expect(await closed.status()).toBe(401);

    const silent = await open();
    await clock.advance(2 * HOUR_MS - 1);
    expect(await silent.status()).toBe(200);
    await clock.advance(2 * HOUR_MS);
    expect(await silent.status()).toBe(401);

    const long = await open();
    for (let hour = 1; hour < 12; hour += 1) {
      await clock.advance(HOUR_MS);
      expect(await long.status()).toBe(200);
    }
    await clock.advance(HOUR_MS);
    expect(await long.status()).toBe(401);

    const revoked = await open();
    await host.store.keys.put({
      keyHash: hashKey(KEYS.acme),
      owner: { tenant: 'acme', workspace: 'main' },
      principal: 'ci',
      roles: ['admin'],
      createdAt: clock.now(),
    });
    await host.store.keys.revoke(hashKey(KEYS.acme), clock.now());
    await clock.advance(6_000);
    expect(await revoked.status()).toBe(401);
  });

  it('is of no use to another page', async () => {
    const { cookie, session } = await signIn();
    const both = { cookie, 'touchstone-session': session };
    expect((await read(RUNS, { ...both, 'sec-fetch-site': 'same-site' })).status).toBe(403);
    expect((await read(RUNS, { ...both, origin: 'http://127.0.0.1:9' })).status).toBe(403);
    expect((await read(RUNS, { ...both, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });

  it('is opened and used under the names of this host only', async () => {
    const { cookie, session } = await signIn();
    const both = { cookie, 'touchstone-session': session };
    expect((await read(RUNS, { ...both, host: 'evil.example' })).status).toBe(421);
    expect((await signIn(KEYS.acme, { host: 'evil.example' })).answer.status).toBe(421);
    // A program with a key is no browser that was led astray.
    expect((await host.request('GET', RUNS, { headers: { host: 'evil.example' } })).status).toBe(200);
  });

  it('is not opened over plain HTTP from elsewhere, unless the operator allows it', async () => {
    const origins = ['http://evals.example', 'https://evals.example'];
    const careful = await createTestHost({ config: { page: { origins }, trustedProxies: ['127.0.0.1'] } });
    const careless = await createTestHost({ config: { page: { origins, insecure: true } } });
    const from = { host: 'evals.example' };
    expect((await careful.request('POST', SESSION, { headers: from })).status).toBe(403);
    expect((await careless.request('POST', SESSION, { headers: from })).status).toBe(200);
    const secure = await careful.request('POST', SESSION, {
      headers: { ...from, 'x-forwarded-proto': 'https' },
    });
    expect(secure.headers['set-cookie']).toMatch(/^__Host-touchstone=.*; Secure$/);
    await careful.close();
    await careless.close();
  });

  it('is not kept for a repeated request', async () => {
    const headers = { 'idempotency-key': 'k-1' };
    const [first, second] = [await signIn(KEYS.acme, headers), await signIn(KEYS.acme, headers)];
    expect(first.session).not.toBe(second.session);
  });

  it('is not opened where there is no page', async () => {
    const bare = await createTestHost({ config: { page: false } });
    expect((await bare.request('POST', SESSION)).status).toBe(404);
    await bare.close();
  });
});
