import { asId } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import type { PackContents, PackHead, Store } from '../../../packages/touchstone/src/ports/index.js';
import { ACME, OTHER_OWNERS, refusalOf, START } from './givens.js';
import { agent } from './small-cases.js';
import { suite, task } from './suites-cases.js';

export const pack = (
  name: string,
  version: string,
  digest: string,
  overrides: Partial<Omit<PackHead, 'agents'> & PackContents> & { readonly said?: PackHead['agents'] } = {},
): PackContents => {
  const { agents = [], suites = [], said = [], ...head } = overrides;
  return {
    head: {
      name,
      version: asId(version),
      integrity: 'sha256-AAAA',
      digest: asId(digest),
      filesSigned: false,
      agents: said,
      ...head,
    },
    agents,
    suites,
  };
};

/** Everything of an owner that a pack can change. */
const viewOf = async (store: Store) => ({
  packs: (await store.packs.list(ACME, 99)).items,
  agents: await store.agents.list(ACME),
  suites: (await store.suites.list(ACME, 99)).items,
});

export function packsCases(open: () => Promise<Store>): void {
  it('a pack that is signed with all of its files signs the suites in it, and no other pack does', async () => {
    const store = await open();
    const contents = (name: string, signed: object) => {
      const made = pack(name, '1.0.0', `d-${name}`, {
        suites: [suite(`core.${name}`, '1.0.0', `s-${name}`)],
      });
      return { ...made, head: { ...made.head, ...signed } };
    };
    const whole = contents('whole', { signedBy: 'vendor', filesSigned: true });
    const manifest = contents('manifest', { signedBy: 'vendor', filesSigned: false });
    for (const one of [whole, manifest]) await store.packs.install(ACME, one, START);
    const { keyId, pack: by } = (await store.suites.signature(ACME, asId('s-whole'))) ?? {};
    expect([keyId, by]).toEqual(['vendor', 'whole@1.0.0']);
    expect(await store.suites.signature(ACME, asId('s-manifest'))).toBeUndefined();
  });

  it('a pack brings its agents and suites, and is read back as it was installed', async () => {
    const store = await open();
    const tasks = Array.from({ length: 1_000 }, (_, i) => task(i));
    const big = suite('core.big', '1.0.0', 'd-big', tasks);
    const small = suite('core.small', '1.0.0', 'd-small');
    const agents = [agent('a', '1.0.0', 'd-a'), agent('b', '1.0.0', 'd-b')];
    const signed = pack('p', '1.0.0', 'd1', {
      signedBy: 'key-1',
      filesSigned: true,
      said: [{ agentId: asId('a') }, { agentId: asId('b'), suiteRef: 'core.small@1.0.0' }],
      agents,
      suites: [big, small],
    });
    const bare = pack('q', '1.0.0', 'd2');
    expect(await store.packs.install(ACME, signed, START)).toBe('created');
    expect(await store.packs.install(ACME, bare, START)).toBe('created');
    expect(await store.packs.get(ACME, 'p', asId('1.0.0'))).toStrictEqual(signed.head);
    expect(await store.packs.get(ACME, 'p', asId('2.0.0'))).toBeUndefined();
    expect(await viewOf(store)).toStrictEqual({
      packs: [signed.head, bare.head],
      agents,
      suites: [big.head, small.head],
    });
    expect(await store.suites.tasks(ACME, big.head.digest, 0, 2_000)).toStrictEqual(tasks);
  });

  it('the same content is the same pack, in whatever archive it comes; other content is a conflict', async () => {
    const store = await open();
    const install = (digest: string, overrides = {}) =>
      store.packs.install(ACME, pack('p', '1.0.0', digest, overrides), START + 1);
    expect(await install('d1', { agents: [agent('a', '1.0.0', 'd-a')] })).toBe('created');
    const before = await viewOf(store);
    expect(await install('d1', { integrity: 'sha256-BBBB', agents: [agent('b', '1.0.0', 'd-b')] })).toBe(
      'same',
    );
    expect(await install('d2', { suites: [suite('core.s', '1.0.0', 'd-s')] })).toBe('conflict');
    expect(await viewOf(store)).toStrictEqual(before);
  });

  it('a pack that clashes in its very last suite leaves nothing behind', async () => {
    const store = await open();
    await store.suites.put(ACME, suite('core.z', '1.0.0', 'd-z1'), START);
    const before = await viewOf(store);
    const clashing = pack('p', '1.0.0', 'd1', {
      agents: [agent('a', '1.0.0', 'd-a')],
      suites: [
        suite('core.y', '1.0.0', 'd-y', [task(0), task(1)]),
        suite('core.z', '1.0.0', 'd-z2', [task(0, 'other')]),
      ],
    });
    expect(await store.packs.install(ACME, clashing, START)).toBe('conflict');
    expect(await viewOf(store)).toStrictEqual(before);
    for (const left of ['d-y', 'd-z2']) {
      expect(await store.suites.byDigest(ACME, asId(left))).toBeUndefined();
      expect(await store.suites.tasks(ACME, asId(left), 0, 9)).toEqual([]);
    }
  });

  it('an agent or suite that is there already is kept when it is the same, and a conflict when it is not', async () => {
    const store = await open();
    const bound = agent('a', '1.0.0', 'd-a');
    const known = suite('core.s', '1.0.0', 'd-s');
    await store.agents.put(ACME, bound, START);
    await store.suites.put(ACME, known, START);
    const again = { ...bound, spec: { written: 'later' } };
    const fitting = pack('p', '1.0.0', 'd1', {
      agents: [again, agent('b', '1.0.0', 'd-b')],
      suites: [known],
    });
    expect(await store.packs.install(ACME, fitting, START + 1)).toBe('created');
    expect(await store.agents.list(ACME)).toStrictEqual([bound, agent('b', '1.0.0', 'd-b')]);
    const clashing = pack('q', '1.0.0', 'd2', {
      agents: [agent('c', '1.0.0', 'd-c'), agent('a', '1.0.0', 'd-other')],
    });
    expect(await store.packs.install(ACME, clashing, START + 1)).toBe('conflict');
    expect(await viewOf(store)).toStrictEqual({
      packs: [fitting.head],
      agents: [bound, agent('b', '1.0.0', 'd-b')],
      suites: [known.head],
    });
  });

  it('a pack that contradicts itself is a conflict', async () => {
    const store = await open();
    const torn = pack('p', '1.0.0', 'd1', { agents: [agent('a', '1.0.0', 'd1'), agent('a', '1.0.0', 'd2')] });
    expect(await store.packs.install(ACME, torn, START)).toBe('conflict');
    expect(await store.agents.list(ACME)).toEqual([]);
  });

  it('replacing overwrites the pack, its agents and its suites; the old suite stays readable by digest', async () => {
    const store = await open();
    const contents = (n: number, overrides = {}) =>
      pack('p', '1.0.0', `d${n}`, {
        agents: [{ ...agent('a', '1.0.0', `d-a${n}`), spec: { edition: n } }],
        suites: [suite('core.s', '1.0.0', `d-s${n}`, [task(n)])],
        ...overrides,
      });
    const first = contents(1, { signedBy: 'key-1', filesSigned: true });
    const second = contents(2, { integrity: 'sha256-BBBB', said: [{ agentId: asId('a') }] });
    await store.packs.replace(ACME, first, START);
    await store.packs.replace(ACME, second, START + 1);
    expect(await viewOf(store)).toStrictEqual({
      packs: [second.head],
      agents: second.agents,
      suites: second.suites.map(({ head }) => head),
    });
    expect(await store.suites.tasks(ACME, asId('d-s1'), 0, 9)).toStrictEqual([task(1)]);
    expect(await store.packs.install(ACME, first, START + 2)).toBe('conflict');
    expect(await store.packs.install(ACME, second, START + 2)).toBe('same');
  });

  it('of many simultaneous installs of a version exactly one is made', async () => {
    const store = await open();
    const install = (digest: string) => store.packs.install(ACME, pack('p', '1.0.0', digest), START);
    const digests = ['d1', 'd1', 'd2', 'd2', 'd1'];
    const answers = await Promise.all(digests.map(install));
    const winner = answers.indexOf('created');
    expect(answers).toEqual(
      digests.map((digest, i) =>
        i === winner ? 'created' : digest === digests[winner] ? 'same' : 'conflict',
      ),
    );
  });

  it('two owners have packs, agents and suites of the same names side by side', async () => {
    const store = await open();
    const contents = (digest: string) =>
      pack('p', '1.0.0', digest, {
        agents: [agent('a', '1.0.0', digest)],
        suites: [suite('core.s', '1.0.0', digest)],
      });
    const owners = [ACME, ...OTHER_OWNERS];
    for (const [i, owner] of owners.entries())
      expect(await store.packs.install(owner, contents(`d${i}`), START)).toBe('created');
    for (const [i, owner] of owners.entries()) {
      const { head, agents, suites } = contents(`d${i}`);
      expect(await store.packs.list(owner, 9)).toStrictEqual({ items: [head] });
      expect(await store.agents.list(owner)).toStrictEqual(agents);
      expect(await store.suites.list(owner, 9)).toStrictEqual({
        items: suites.map((brought) => brought.head),
      });
    }
  });

  it('lists page by page in order of name and version, and versions in order of installation', async () => {
    const store = await open();
    for (const [i, [name, version]] of [
      ['b', '2.0.0'],
      ['b', '10.0.0'],
      ['a', '1.0.0'],
      ['c', '1.0.0'],
    ].entries()) {
      await store.packs.install(ACME, pack(name as string, version as string, `d${i}`), START + i);
    }
    expect(await store.packs.versions(ACME, 'b')).toEqual(['2.0.0', '10.0.0']);
    const first = await store.packs.list(ACME, 2);
    const second = await store.packs.list(ACME, 2, first.nextCursor);
    expect(first.items.map((head) => head.digest)).toEqual(['d2', 'd1']);
    expect(second.items.map((head) => head.digest)).toEqual(['d0', 'd3']);
    expect(second).not.toHaveProperty('nextCursor');
    expect(await refusalOf(store.packs.list(ACME, 2, 'nonsense'))).toMatchObject({
      code: 'validation_error',
      details: { field: 'cursor' },
    });
  });
}
