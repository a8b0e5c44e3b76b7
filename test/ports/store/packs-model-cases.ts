import { asId, type Owner } from '@touchstone/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Store } from '../../../packages/touchstone/src/ports/index.js';
import { START } from './givens.js';
import { pack } from './packs-cases.js';
import { agent } from './small-cases.js';
import { suite } from './suites-cases.js';

/** One call: a pack by name, and under each name of an agent or a suite which of its contents it brings. */
type Call = {
  readonly verb: 'install' | 'replace';
  readonly name: string;
  readonly agents: Contents;
  readonly suites: Contents;
};
type Contents = { readonly [name: string]: number };

const contents = fc.dictionary(fc.constantFrom('x', 'y'), fc.integer({ min: 1, max: 2 }));
const calls = fc.array(
  fc.record({
    verb: fc.constantFrom('install', 'install', 'replace'),
    name: fc.constantFrom('p', 'q', 'r'),
    agents: contents,
    suites: contents,
  }) as fc.Arbitrary<Call>,
  { maxLength: 8 },
);

/** Digests by name: all that tells two packs, agents or suites apart. */
type PackModel = { packs: Map<string, string>; agents: Map<string, string>; suites: Map<string, string> };

const digestOf = (call: Call): string => JSON.stringify([named(call.agents, 'a'), named(call.suites, 's')]);
const named = (chosen: Contents, kind: string): [string, string][] =>
  Object.entries(chosen)
    .sort()
    .map(([name, content]) => [name, `${kind}-${name}-${content}`]);

/** What a model in memory would do. */
function modelled(model: PackModel, call: Call): string | undefined {
  const digest = digestOf(call);
  const agents = named(call.agents, 'a');
  const suites = named(call.suites, 's');
  if (call.verb === 'install') {
    const there = model.packs.get(call.name);
    if (there !== undefined) return there === digest ? 'same' : 'conflict';
    const clashes =
      (known: Map<string, string>) =>
      ([name, wanted]: [string, string]) =>
        (known.get(name) ?? wanted) !== wanted;
    if (agents.some(clashes(model.agents)) || suites.some(clashes(model.suites))) return 'conflict';
  }
  model.packs.set(call.name, digest);
  for (const [name, brought] of agents) model.agents.set(name, brought);
  for (const [name, brought] of suites) model.suites.set(name, brought);
  return call.verb === 'install' ? 'created' : undefined;
}

async function called(store: Store, owner: Owner, call: Call): Promise<string | undefined> {
  const brought = pack(call.name, '1.0.0', digestOf(call), {
    agents: named(call.agents, 'a').map(([name, digest]) => agent(name, '1.0.0', digest)),
    suites: named(call.suites, 's').map(([name, digest]) => suite(name, '1.0.0', digest)),
  });
  return (await store.packs[call.verb](owner, brought, START)) ?? undefined;
}

async function modelOf(store: Store, owner: Owner): Promise<PackModel> {
  const packs = (await store.packs.list(owner, 99)).items;
  const suites = (await store.suites.list(owner, 99)).items;
  const agents = await store.agents.list(owner);
  return {
    packs: new Map(packs.map(({ name, digest }) => [name, digest])),
    agents: new Map(agents.map(({ agentId, digest }) => [agentId, digest])),
    suites: new Map(suites.map(({ suiteId, digest }) => [suiteId, digest])),
  };
}

/** Packs share agents and suites in every way there is; none may ever be installed by halves. */
export function packsModelCases(open: () => Promise<Store>): void {
  it('any sequence of installs answers and leaves what a model in memory would', async () => {
    const store = await open();
    let shelves = 0;
    const property = fc.asyncProperty(calls, async (sequence) => {
      shelves += 1;
      const owner: Owner = { tenant: asId(`model-${shelves}`), workspace: 'main' };
      const model: PackModel = { packs: new Map(), agents: new Map(), suites: new Map() };
      for (const call of sequence) {
        expect(await called(store, owner, call)).toBe(modelled(model, call));
        expect(await modelOf(store, owner)).toEqual(model);
      }
    });
    await fc.assert(property, { numRuns: 60 });
  });
}
