import { HOST_OWNER, type Owner } from '@touchstone/protocol';
import { expect, it, onTestFinished } from 'vitest';
import type { Store, Suite } from '../../ports/index.js';
import { createMemoryStore } from '../../store/index.js';
import { parseSuite } from '../../suites/index.js';
import { systemClock } from '../system.js';
import { createSuiteCatalogue } from './suite-catalogue.js';

const ME: Owner = { tenant: 'acme', workspace: 'main' };
const OTHER: Owner = { tenant: 'rival', workspace: 'main' };
const suiteOf = (name: string): Suite =>
  parseSuite({
    suiteId: `core.acme.evals.${name}`,
    version: '1.0.0',
    modes: ['golden'],
    tasks: ['a', 'b', 'c'].map((taskId) => ({
      taskId,
      input: name,
      expected: { kind: 'golden', match: { strategy: 'exact', value: 'x' } },
    })),
  });

/** A catalogue, and whose tasks were read from the store. */
async function openCatalogue() {
  const store = await createMemoryStore(systemClock);
  onTestFinished(() => store.close());
  const read: Owner[] = [];
  const tasks: Store['suites']['tasks'] = (owner, ...args) => {
    read.push(owner);
    return store.suites.tasks(owner, ...args);
  };
  const counted = { ...store, suites: { ...store.suites, tasks } };
  return { catalogue: createSuiteCatalogue(counted, systemClock), read };
}

it('the tasks of the suite that was stored last are at hand; those of an earlier one are read', async () => {
  const { catalogue, read } = await openCatalogue();
  const [first, last] = [suiteOf('first'), suiteOf('last')];
  await catalogue.install(ME, first);
  await catalogue.replace(ME, last);
  expect(await catalogue.tasks(ME, last.head.digest, 1, 2)).toEqual(last.tasks.slice(1));
  expect(read).toEqual([]);
  expect(await catalogue.tasks(ME, first.head.digest, 1, 2)).toEqual(first.tasks.slice(1));
  expect(read).toEqual([ME]);
});

it("what one owner has stored is not at hand for another, except the host's own", async () => {
  const { catalogue, read } = await openCatalogue();
  const suite = suiteOf('own');
  await catalogue.install(ME, suite);
  expect(await catalogue.tasks(OTHER, suite.head.digest, 0, 3)).toEqual([]);
  await catalogue.install(HOST_OWNER, suite);
  expect(await catalogue.tasks(OTHER, suite.head.digest, 0, 3)).toEqual(suite.tasks);
  expect(read).toEqual([OTHER, HOST_OWNER, OTHER, HOST_OWNER]);
});
