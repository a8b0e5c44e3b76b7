import { asId } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import type { PackHead, PackRemoval, Store } from '../../../packages/touchstone/src/ports/index.js';
import { auditEntry } from './audit-cases.js';
import { deployments } from './deployments-cases.js';
import { ACME, leasedRun, OTHER_OWNERS, START } from './givens.js';
import { pack } from './packs-cases.js';
import { agent } from './small-cases.js';
import { suite, task } from './suites-cases.js';

const V1 = asId<PackHead['version']>('1.0.0');
const removal = (head: PackHead, more: Partial<PackRemoval> = {}): PackRemoval => ({
  head,
  seen: [],
  at: START,
  audit: auditEntry(),
  ...more,
});

/** A pack with an agent and two suites: the one of its manifest, and the one of its contract. */
const support = (name = 'p', digest = 'd1') =>
  pack(name, '1.0.0', digest, {
    said: [{ agentId: asId(`${name}-a`), suiteRef: 'core.s@1.0.0', contractRef: 'core.c@1.0.0' }],
    agents: [agent(`${name}-a`, '1.0.0', 'd-a')],
    suites: [suite('core.s', '1.0.0', 'd-s', [task(0)]), suite('core.c', '1.0.0', 'd-c')],
  });

const namesOf = async (store: Store) => ({
  packs: (await store.packs.list(ACME, 99)).items.map(({ name }) => name),
  agents: (await store.agents.list(ACME)).map(({ agentId }) => agentId),
  suites: (await store.suites.list(ACME, 99)).items.map(({ suiteId }) => suiteId),
});
const recordsIn = async (store: Store) => (await store.audit.read(ACME, 0, 99)).length;

export function withdrawnPacksCases(open: () => Promise<Store>): void {
  it('a pack that is removed takes its names along, and its suites stay readable by digest', async () => {
    const store = await open();
    const contents = support();
    await store.packs.install(ACME, contents, START);
    expect(await store.packs.remove(ACME, removal(contents.head))).toBe('removed');
    expect(await namesOf(store)).toEqual({ packs: [], agents: [], suites: [] });
    expect(await store.suites.tasks(ACME, asId('d-s'), 0, 9)).toStrictEqual([task(0)]);
    expect(await store.packs.withdrawn(ACME, 'p', V1)).toStrictEqual({
      name: 'p',
      version: V1,
      digest: 'd1',
      revoked: false,
    });
    expect(await store.packs.revoked(ACME)).toEqual([]);
    expect(await recordsIn(store)).toBe(1);
    expect(await store.packs.install(ACME, contents, START + 1)).toBe('created');
    expect((await namesOf(store)).suites).toEqual(['core.c', 'core.s']);
  });

  it('a suite that came before, or with another pack, stays', async () => {
    const store = await open();
    const [first, second] = [support('p', 'd1'), support('q', 'd2')];
    await store.packs.install(ACME, first, START);
    await store.packs.install(ACME, second, START);
    await store.packs.remove(ACME, removal(first.head));
    expect(await namesOf(store)).toEqual({ packs: ['q'], agents: ['q-a'], suites: ['core.c', 'core.s'] });
    await store.packs.remove(ACME, removal(second.head));
    expect((await namesOf(store)).suites).toEqual([]);
    await store.suites.put(ACME, suite('core.s', '1.0.0', 'd-s', [task(0)]), START);
    await store.packs.install(ACME, first, START + 5);
    await store.packs.remove(ACME, removal(first.head));
    expect((await namesOf(store)).suites).toEqual(['core.s']);
  });

  it('nothing is removed when the pack is another one by now, or what serves has moved', async () => {
    const store = await open();
    const contents = support();
    await store.packs.replace(ACME, contents, START);
    const before = await namesOf(store);
    const older = removal({ ...contents.head, digest: asId('d0') });
    expect(await store.packs.remove(ACME, older)).toBe('moved');
    const moved = deployments(1);
    const { lease } = await leasedRun(store, 'r1');
    await store.log.commit(lease, { seals: [], firstSequence: 0, deployments: moved, audit: [] });
    const seen = (revision: number) =>
      removal(contents.head, { seen: [{ agentId: moved.agentId, revision }] });
    expect(await store.packs.remove(ACME, seen(0))).toBe('moved');
    expect(await namesOf(store)).toEqual(before);
    expect(await recordsIn(store)).toBe(0);
    expect(await store.packs.remove(ACME, seen(1))).toBe('removed');
  });

  it('a draft leaves no trace', async () => {
    const store = await open();
    const { head, ...rest } = support();
    const draft = { ...rest, head: { ...head, draft: true as const } };
    await store.packs.replace(ACME, draft, START);
    expect(await store.packs.remove(ACME, removal(draft.head))).toBe('removed');
    expect(await store.packs.withdrawn(ACME, 'p', V1)).toBeUndefined();
  });

  it('a version is revoked once, whether it is installed or not, and stays so when it is removed', async () => {
    const store = await open();
    const contents = support();
    const revoke = (name: string, digest?: string) =>
      store.packs.revoke(
        ACME,
        { name, version: V1, ...(digest !== undefined && { digest: asId(digest) }) },
        START,
        auditEntry(),
      );
    await store.packs.install(ACME, contents, START);
    expect([await revoke('p', 'd1'), await revoke('p', 'd1'), await revoke('never')]).toEqual([
      'revoked',
      'same',
      'revoked',
    ]);
    expect(await recordsIn(store)).toBe(2);
    expect(await store.packs.remove(ACME, removal(contents.head))).toBe('removed');
    expect(await store.packs.revoked(ACME)).toStrictEqual([
      { name: 'never', version: V1 },
      { name: 'p', version: V1 },
    ]);
    expect(await store.packs.withdrawn(ACME, 'never', V1)).toStrictEqual({
      name: 'never',
      version: V1,
      revoked: true,
    });
    for (const owner of OTHER_OWNERS) expect(await store.packs.revoked(owner)).toEqual([]);
  });

  it('a version that was removed can be revoked afterwards', async () => {
    const store = await open();
    const contents = support();
    await store.packs.install(ACME, contents, START);
    await store.packs.remove(ACME, removal(contents.head));
    expect(await store.packs.revoke(ACME, { name: 'p', version: V1 }, START, auditEntry())).toBe('revoked');
    expect(await store.packs.withdrawn(ACME, 'p', V1)).toMatchObject({ digest: 'd1', revoked: true });
  });
}
