import { asId, type Owner } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import type { PackContents, Store } from '../../../packages/touchstone/src/ports/index.js';
import { ACME, OTHER_OWNERS, START } from './givens.js';
import { agent } from './small-cases.js';
import { suite, task } from './suites-cases.js';

const pack = (name: string): PackContents => ({
  head: {
    name,
    version: asId('1.0.0'),
    integrity: 'sha256-AAAA',
    digest: asId(`d-${name}`),
    filesSigned: false,
    agents: [],
  },
  agents: [agent(`${name}.default`, '1.0.0', `d-a-${name}`)],
  suites: [suite(`core.${name}`, '1.0.0', `d-s-${name}`, [task(1)])],
});

const namesOf = async (store: Store, owner: Owner) => ({
  packs: (await store.packs.list(owner, 99)).items.map(({ name }) => name),
  agents: (await store.agents.list(owner)).map(({ agentId }) => agentId),
  suites: (await store.suites.list(owner, 99)).items.map(({ suiteId }) => suiteId),
});

export function retainCases(open: () => Promise<Store>): void {
  it('what is not listed loses its name, its content stays readable by digest, and other owners keep theirs', async () => {
    const store = await open();
    for (const owner of [ACME, ...OTHER_OWNERS])
      for (const name of ['p', 'q']) await store.packs.install(owner, pack(name), START);
    const whole = { packs: ['p', 'q'], agents: ['p.default', 'q.default'], suites: ['core.p', 'core.q'] };
    await store.retain(ACME, { packs: ['p@1.0.0'], agents: ['p.default@1.0.0'], suites: ['core.p@1.0.0'] });
    expect(await namesOf(store, ACME)).toEqual({ packs: ['p'], agents: ['p.default'], suites: ['core.p'] });
    expect(await store.suites.byDigest(ACME, asId('d-s-q'))).toMatchObject({ suiteId: 'core.q' });
    expect(await store.suites.tasks(ACME, asId('d-s-q'), 0, 9)).toHaveLength(1);
    for (const owner of OTHER_OWNERS) expect(await namesOf(store, owner)).toEqual(whole);
  });

  it('a version that is not listed goes, and comes back when it is installed again', async () => {
    const store = await open();
    await store.packs.install(ACME, pack('p'), START);
    await store.retain(ACME, { packs: ['p@2.0.0'], agents: [], suites: [] });
    expect(await namesOf(store, ACME)).toEqual({ packs: [], agents: [], suites: [] });
    expect(await store.packs.install(ACME, pack('p'), START)).toBe('created');
    expect((await namesOf(store, ACME)).suites).toEqual(['core.p']);
  });
}
