import { describe, expect, it } from 'vitest';
import { createOneTimeTokens } from '../app/one-time-tokens.js';
import { createKeyRing, hashKey } from '../app/principal.js';
import { createManualClock } from '../app/testing/manual-clock.js';
import type { StoredKey } from '../ports/index.js';
import { createAdmission, remoteParty } from './admission.js';

const OWNER = { tenant: 'acme', workspace: 'main' };
const stored = (key: string, extra: Partial<StoredKey> = {}): StoredKey => ({
  keyHash: hashKey(key),
  owner: OWNER,
  principal: 'ci',
  roles: ['admin'],
  createdAt: 0,
  ...extra,
});

function setUp(keys: readonly StoredKey[], requestsPerMinute = 600) {
  const clock = createManualClock();
  const rows = new Map(keys.map((key) => [key.keyHash, key]));
  const looked: string[] = [];
  const get = async (keyHash: string) => {
    looked.push(keyHash);
    return rows.get(keyHash);
  };
  const ring = createKeyRing({ fixed: [], stored: { get }, roles: { admin: ['*'] }, clock });
  const sessions = { find: async () => undefined };
  const tokens = createOneTimeTokens(clock);
  const admission = createAdmission({ keys: ring, sessions, tokens, requestsPerMinute, clock });
  const enter = (key: string, address = '10.0.0.1') =>
    admission.admit({ address, authorization: [`Bearer ${key}`] });
  return { clock, rows, looked, admission, enter };
}

const codeOf = (entering: Promise<unknown>): Promise<unknown> =>
  entering.then(
    () => 'admitted',
    (error: { code: string }) => error.code,
  );

describe('a key', () => {
  it.each([
    ['an unknown one', 'other', {}, 'unauthenticated'],
    ['an expired one', 'good', { expiresAt: 1_600_000_000_000 }, 'key_expired'],
    ['a revoked one', 'good', { revokedAt: 1_600_000_000_000 }, 'key_revoked'],
    ['one that will expire', 'good', { expiresAt: 1_900_000_000_000 }, 'admitted'],
  ])('%s: %s', async (_, key, extra, expected) => {
    const { enter } = setUp([stored('good', extra)]);
    expect(await codeOf(enter(key))).toBe(expected);
  });

  it.each([
    [[]],
    [['']],
    [['good']],
    [['Basic good']],
    [['Bearer']],
    [['Bearer  ']],
    [['Bearer good key']],
    [['Bearer good', 'Bearer good']],
    [['Bearer good', 'Basic x']],
  ])('is not found in the headers %j', async (authorization) => {
    const { admission } = setUp([stored('good')]);
    expect(await codeOf(admission.admit({ address: '10.0.0.1', authorization }))).toBe('unauthenticated');
  });

  it('that is revoked stops working within five seconds, and is not looked up on every request before', async () => {
    const { clock, rows, looked, enter } = setUp([stored('good')]);
    await enter('good');
    rows.set(hashKey('good'), stored('good', { revokedAt: clock.now() }));
    await enter('good');
    expect(looked).toHaveLength(1);
    await clock.advance(5_000);
    expect(await codeOf(enter('good'))).toBe('key_revoked');
  });

  it('of the config can be revoked in the store', async () => {
    const clock = createManualClock();
    const key = stored('good');
    const ring = createKeyRing({
      fixed: [key],
      stored: { get: async () => ({ ...key, revokedAt: clock.now() }) },
      roles: {},
      clock,
    });
    expect(await ring.find(key.keyHash)).toBe('revoked');
  });

  it('is named in logs by a part of its hash', async () => {
    const { enter } = setUp([stored('good')]);
    const { keyId } = await enter('good');
    expect(hashKey('good')).toContain(keyId);
    expect(keyId).toHaveLength(8);
  });
});

describe('rates', () => {
  it('of a key are its own, refill evenly, and say how long to wait', async () => {
    const { clock, enter } = setUp([stored('one'), stored('two')], 60);
    for (let n = 0; n < 60; n += 1) await enter('one');
    await expect(enter('one')).rejects.toMatchObject({
      code: 'rate_limited',
      details: { retryAfter: 1, retryAfterMs: 1_000, scope: 'key' },
    });
    expect(await codeOf(enter('two'))).toBe('admitted');
    await clock.advance(1_000);
    expect(await codeOf(enter('one'))).toBe('admitted');
    expect(await codeOf(enter('one'))).toBe('rate_limited');
  });

  it('of wrong keys from an address run out, and refill one or two a second', async () => {
    const { clock, enter } = setUp([stored('good')]);
    const answers: unknown[] = [];
    for (let n = 0; n < 150; n += 1) answers.push(await codeOf(enter(`guess-${n}`)));
    expect(answers.filter((code) => code === 'unauthenticated')).toHaveLength(100);
    expect(answers.filter((code) => code === 'rate_limited')).toHaveLength(50);
    expect(await codeOf(enter('guess', '10.0.0.2'))).toBe('unauthenticated');
    await clock.advance(1_200);
    expect([
      await codeOf(enter('guess')),
      await codeOf(enter('guess')),
      await codeOf(enter('guess')),
    ]).toEqual(['unauthenticated', 'unauthenticated', 'rate_limited']);
  });

  it('of wrong keys keep no valid key out, also one that has never worked from that address', async () => {
    const { clock, enter } = setUp([stored('good')]);
    for (let n = 0; n < 150; n += 1) await codeOf(enter(`guess-${n}`));
    const answers: unknown[] = [];
    for (let n = 0; n < 40; n += 1) {
      await clock.advance(500);
      await codeOf(enter(`guess-${n}`));
      answers.push(await codeOf(enter('good')));
    }
    expect(new Set(answers)).toEqual(new Set(['admitted']));
  });

  it('of wrong keys leave what needs no key alone', async () => {
    const { admission, enter } = setUp([]);
    for (let n = 0; n < 150; n += 1) await codeOf(enter(`guess-${n}`));
    expect(() => admission.admitAnyone({ address: '10.0.0.1' })).not.toThrow();
  });

  it('do not charge an address for keys that work', async () => {
    const keys = Array.from({ length: 300 }, (_, n) => stored(`key-${n}`));
    const { enter } = setUp(keys);
    for (let n = 0; n < 300; n += 1) expect(await codeOf(enter(`key-${n}`))).toBe('admitted');
  });

  it('of callers without a key are kept by address', () => {
    const { admission } = setUp([], 5);
    for (let n = 0; n < 5; n += 1) admission.admitAnyone({ address: '10.0.0.1' });
    expect(() => admission.admitAnyone({ address: '10.0.0.1' })).toThrow('Too many requests');
    admission.admitAnyone({ address: '10.0.0.2' });
  });
});

it.each([
  ['10.1.2.3', '10.1.2.3'],
  ['::ffff:10.1.2.3', '10.1.2.3'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::9', '2001:db8:1:2'],
  ['2001:db8::9', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
])('%s counts as %s', (address, party) => {
  expect(remoteParty(address)).toBe(party);
});
