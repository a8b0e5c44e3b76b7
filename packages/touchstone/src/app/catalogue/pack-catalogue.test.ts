import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asId, type Digest, type Owner } from '@touchstone/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildPack } from '../../packs/build-pack.js';
import type { Store } from '../../ports/index.js';
import { openStore } from '../../store/index.js';
import { parseSuite } from '../../suites/parse-suite.js';
import { parseConfig } from '../config/config.js';
import { readTrust } from '../config/config-parts.js';
import { systemClock } from '../system.js';
import { createPackCatalogue, type PackCatalogue } from './pack-catalogue.js';
import { packOptions } from './pack-policy.js';
import { compilePackProfiles } from './pack-profiles.js';
import { createProfiles } from './profiles.js';
import { createSuiteCatalogue } from './suite-catalogue.js';

// A pack whose agent carries a contract: pack, agent, suite and contract are there together or not at all.
const OWNER: Owner = { tenant: 'acme', workspace: 'main' };
const PACK = 'vendor.acme.triage';
const AGENT = `${PACK}.default`;
const SUITE = 'vendor.acme.evals.triage';

const filesOf = (threshold: number): Map<string, Buffer> =>
  new Map(
    Object.entries({
      'pack.json': JSON.stringify({
        name: PACK,
        version: '1.0.0',
        engines: { openwop: '>=1.0 <2.0.0' },
        runtime: { language: 'remote', entry: 'pack.json' },
        agents: [{ agentId: AGENT, persona: 'Triage', modelClass: 'general', systemPrompt: 'Sort it.' }],
      }),
      // Of two rows none may be missed at 0.9, and none at 0.8: the rate is in the contract alone.
      [`evaluation/${AGENT}.json`]: JSON.stringify({
        golden_dataset_uri: 'rows.jsonl',
        grading_rubric: [{ name: 'exact_match', threshold }],
      }),
      'rows.jsonl': '{"input":"a","expected":"b"}\n{"input":"c","expected":"d"}\n',
    }).map(([path, text]) => [path, Buffer.from(text)]),
  );

let folder: string;
let store: Store;
let catalogue: PackCatalogue;
let archive: Buffer;
let suite: Digest;

const config = parseConfig({}, '/');
function catalogueOver(kept: Store): PackCatalogue {
  const profiles = createProfiles({
    config,
    store: kept,
    clock: systemClock,
    env: {},
    suites: createSuiteCatalogue(kept, systemClock),
    maxTasks: undefined,
  });
  return createPackCatalogue({
    store: kept,
    clock: systemClock,
    trust: readTrust({ trust: { policy: 'open' }, baseDir: '/' }, 'cli'),
    optionsFor: () => packOptions(config),
    compileProfiles: (pack) => compilePackProfiles(profiles, pack),
    hostAgents: async () => [],
  });
}
const build = async (threshold: number): Promise<Buffer> =>
  (await buildPack(filesOf(threshold), packOptions(config))).archive;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-catalogue-'));
  store = await openStore({ file: join(folder, 'store.db'), clock: systemClock });
  catalogue = catalogueOver(store);
  archive = await build(0.9);
  const [own] = (await catalogue.inspect(OWNER, archive)).suites;
  suite = own?.head.digest ?? asId<Digest>('');
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const contractHere = async () => (await store.suites.contractOf(OWNER, suite))?.digest;
const contractIn = async (pack: Buffer) => (await catalogue.inspect(OWNER, pack)).contracts[0]?.contract;

describe('a pack whose agent carries a contract', () => {
  it('is installed with it', async () => {
    expect(await catalogue.install(OWNER, archive)).toMatchObject({ outcome: 'created' });
    expect(await contractHere()).toBe((await contractIn(archive))?.digest);
    expect(await catalogue.install(OWNER, archive)).toMatchObject({ outcome: 'same' });
  });

  it('leaves nothing behind when a suite of its name stands in its way', async () => {
    const other = parseSuite({
      suiteId: SUITE,
      version: '1.0.0',
      modes: ['golden'],
      tasks: [
        { taskId: 'a', input: 'a', expected: { kind: 'golden', match: { strategy: 'exact', value: 'x' } } },
      ],
    });
    await store.suites.put(OWNER, other, 1);
    await expect(catalogue.install(OWNER, archive)).rejects.toMatchObject({ code: 'conflict' });
    expect(await contractHere()).toBeUndefined();
    expect(await store.packs.versions(OWNER, PACK)).toEqual([]);
    expect(await store.suites.byDigest(OWNER, suite)).toBeUndefined();
  });

  it('leaves nothing behind when the store gives up', async () => {
    const install = () => Promise.reject(new Error('The disk is full.'));
    const broken = catalogueOver({ ...store, packs: { ...store.packs, install, replace: install } });
    await expect(broken.install(OWNER, archive)).rejects.toThrow('The disk is full.');
    await expect(broken.draft(OWNER, filesOf(0.9))).rejects.toThrow('The disk is full.');
    await expect(broken.replace(OWNER, filesOf(0.9))).rejects.toThrow('The disk is full.');
    expect(await contractHere()).toBeUndefined();
  });

  it('does not take the contract away that a suite of the same content has', async () => {
    const [kept, standing] = [await catalogue.inspect(OWNER, archive), await contractIn(await build(0.8))];
    if (!kept.suites[0] || !standing) throw new Error('Expected a suite and a contract.');
    await store.suites.put(OWNER, kept.suites[0], 1);
    await store.suites.attach(OWNER, suite, standing, 1);
    await expect(catalogue.install(OWNER, archive)).rejects.toMatchObject({ code: 'conflict' });
    expect(await contractHere()).toBe(standing.digest);
    expect(await store.packs.versions(OWNER, PACK)).toEqual([]);
  });

  it('takes the place of a draft with another contract for the same suite', async () => {
    await catalogue.draft(OWNER, filesOf(0.8));
    const drafted = await contractHere();
    expect(await catalogue.install(OWNER, archive)).toMatchObject({ outcome: 'created' });
    expect(await contractHere()).not.toBe(drafted);
    expect(await contractHere()).toBe((await contractIn(archive))?.digest);
  });
});
