import { asId } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import type {
  BoundAgent,
  ClaimRequest,
  CreationId,
  KeptResponse,
  Store,
  StoredKey,
} from '../../../packages/touchstone/src/ports/index.js';
import { ACME, START } from './givens.js';

export const agent = (agentId: string, version: string, digest: string): BoundAgent => ({
  agentId: asId(agentId),
  version: asId(version),
  digest: asId(digest),
  spec: { agentId, run: { kind: 'http', url: 'https://agent.example/' } },
});

export function boundAgentsCases(open: () => Promise<Store>): void {
  it('a version of an agent is bound once: the same again is the same, another digest a conflict', async () => {
    const store = await open();
    const put = (version: string, digest: string) =>
      store.agents.put(ACME, agent('a', version, digest), START);
    expect(await Promise.all([put('1.0.0', 'd1'), put('1.0.0', 'd1'), put('1.0.0', 'd2')])).toEqual([
      'created',
      'same',
      'conflict',
    ]);
    expect(await put('2.0.0', 'd2')).toBe('created');
    expect(await store.agents.get(ACME, asId('a'), asId('1.0.0'))).toStrictEqual(agent('a', '1.0.0', 'd1'));
    expect(await store.agents.versions(ACME, asId('a'))).toEqual(['1.0.0', '2.0.0']);
    expect(await store.agents.list(ACME)).toStrictEqual([
      agent('a', '1.0.0', 'd1'),
      agent('a', '2.0.0', 'd2'),
    ]);
  });

  it('an agent is listed without its prompt, and found with it', async () => {
    const store = await open();
    const plain = agent('a', '1.0.0', 'd1');
    const bound = { ...plain, spec: { persona: 'A', run: { kind: 'manifest', systemPrompt: 'Be "kind".' } } };
    await store.agents.put(ACME, bound, START);
    expect(await store.agents.list(ACME)).toStrictEqual([
      { ...plain, spec: { persona: 'A', run: { kind: 'manifest' } } },
    ]);
    expect(await store.agents.get(ACME, asId('a'), asId('1.0.0'))).toStrictEqual(bound);
  });
}

const key = (keyHash: string, overrides: Partial<StoredKey> = {}): StoredKey => ({
  keyHash,
  owner: ACME,
  principal: 'ci',
  roles: ['runner', 'admin'],
  createdAt: START,
  ...overrides,
});

export function keysCases(open: () => Promise<Store>): void {
  it('a key is found by its hash, is listed, and can be changed', async () => {
    const store = await open();
    await store.keys.put(key('sha256:b', { expiresAt: START + 5 }));
    await store.keys.put(key('sha256:a'));
    await store.keys.put(key('sha256:a', { roles: [] }));
    expect(await store.keys.get('sha256:b')).toStrictEqual(key('sha256:b', { expiresAt: START + 5 }));
    expect(await store.keys.get('sha256:c')).toBeUndefined();
    expect(await store.keys.list()).toStrictEqual([
      key('sha256:a', { roles: [] }),
      key('sha256:b', { expiresAt: START + 5 }),
    ]);
  });

  it('a key is revoked once and for all', async () => {
    const store = await open();
    await store.keys.put(key('sha256:a'));
    expect(await store.keys.revoke('sha256:a', START + 1)).toBe(true);
    expect(await store.keys.revoke('sha256:a', START + 2)).toBe(false);
    expect(await store.keys.revoke('sha256:none', START)).toBe(false);
    await store.keys.put(key('sha256:a'));
    expect(await store.keys.get('sha256:a')).toStrictEqual(key('sha256:a', { revokedAt: START + 1 }));
  });
}

export const CREATE = { operation: 'createRun', key: 'k1' };
export const RESPONSE: KeptResponse = { status: 201, headers: { location: '/r1' }, body: { runId: 'r1' } };

/** A claim for a second, whose answer is kept for a minute. */
export const claimOf = (requestDigest: string, now: number, creationId = 'c1'): ClaimRequest => ({
  requestDigest,
  creationId: asId<CreationId>(creationId),
  now,
  leaseMs: 1_000,
  keepMs: 60_000,
});

export function idempotencyCases(open: () => Promise<Store>): void {
  const at = (store: Store, now: number, digest = 'd1', key = CREATE) =>
    store.idempotency.claim(ACME, key, claimOf(digest, now)).then((claim) => claim.kind);

  it('of many simultaneous claims exactly one is granted', async () => {
    const store = await open();
    const kinds = await Promise.all(Array.from({ length: 6 }, () => at(store, START)));
    expect(kinds.sort()).toEqual([
      'claimed',
      'in-flight',
      'in-flight',
      'in-flight',
      'in-flight',
      'in-flight',
    ]);
    expect(await at(store, START, 'd1', { ...CREATE, operation: 'putAgent' })).toBe('claimed');
    expect(await at(store, START, 'd1', { ...CREATE, key: 'k2' })).toBe('claimed');
  });

  it('a kept response is replayed until its keeping ends, to the same request only', async () => {
    const store = await open();
    await at(store, START);
    await store.idempotency.keep(ACME, CREATE, RESPONSE, START + 500);
    await store.idempotency.keep(ACME, CREATE, { ...RESPONSE, status: 500 }, START + 600);
    const claim = await store.idempotency.claim(ACME, CREATE, claimOf('d1', START + 60_499));
    expect(claim).toStrictEqual({ kind: 'replay', response: RESPONSE });
    expect(await at(store, START + 60_499, 'd2')).toBe('mismatch');
    expect(await at(store, START + 60_500, 'd2')).toBe('claimed');
  });

  it('a claim that ran out or was dropped can be claimed again, in flight it cannot', async () => {
    const store = await open();
    expect(await at(store, START)).toBe('claimed');
    expect(await at(store, START + 999)).toBe('in-flight');
    expect(await at(store, START + 999, 'd2')).toBe('mismatch');
    const kinds = await Promise.all([at(store, START + 1_000), at(store, START + 1_000)]);
    expect(kinds.sort()).toEqual(['claimed', 'in-flight']);
    expect(await at(store, START + 2_500, 'd2')).toBe('mismatch');
    await store.idempotency.drop(ACME, CREATE);
    expect(await at(store, START + 2_500, 'd2')).toBe('claimed');
  });

  it('what a request creates has the name of its first attempt, until its key is free again', async () => {
    const store = await open();
    const nameAt = async (now: number, creationId: string, digest = 'd1') => {
      const claim = await store.idempotency.claim(ACME, CREATE, claimOf(digest, now, creationId));
      return claim.kind === 'claimed' ? claim.creationId : claim.kind;
    };
    expect(await nameAt(START, 'c1')).toBe('c1');
    expect(await nameAt(START + 1_000, 'c2')).toBe('c1');
    expect(await nameAt(START + 2_000, 'c3')).toBe('c1');
    await store.idempotency.drop(ACME, CREATE);
    expect(await nameAt(START + 2_000, 'c4')).toBe('c4');
    expect(await nameAt(START + 62_000, 'c5', 'd2')).toBe('c5');
  });

  it('an answered key is not dropped', async () => {
    const store = await open();
    await at(store, START);
    await store.idempotency.keep(ACME, CREATE, RESPONSE, START);
    await store.idempotency.drop(ACME, CREATE);
    expect(await at(store, START)).toBe('replay');
  });
}

export function secretsCases(open: () => Promise<Store>): void {
  it('a secret is made once per name and store, and is 32 bytes', async () => {
    const store = await open();
    const [first, ...more] = await Promise.all(Array.from({ length: 5 }, () => store.secret('tokens')));
    expect(new Set(more)).toEqual(new Set([first]));
    expect(await store.secret('tokens')).toBe(first);
    expect(first).toMatch(/^[\w-]{43}$/);
    expect(await store.secret('other')).not.toBe(first);
    expect(await (await open()).secret('tokens')).not.toBe(first);
  });
}
