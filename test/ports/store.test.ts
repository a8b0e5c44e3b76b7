import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import {
  createMemoryStore,
  openStore,
  withRecentResults,
} from '../../packages/touchstone/src/store/index.js';
import { crashCases } from './store/crash-cases.js';
import { sharedCases, storeCases } from './store-cases.js';

describe('memory store', () => {
  storeCases((clock) => createMemoryStore(clock), { oneWriter: true });
});

describe('store of a process that drives one run after the other', () => {
  storeCases(async (clock) => withRecentResults(await createMemoryStore(clock)), { oneWriter: true });
});

describe('SQLite file store', () => {
  let folder: string;
  let files = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'touchstone-store-'));
  });
  afterAll(() => rm(folder, { recursive: true }));
  const newFile = () => {
    files += 1;
    return join(folder, `${files}`, 'store.db');
  };

  storeCases((clock, holder) => openStore({ file: newFile(), clock, holder }), { oneWriter: true });
  sharedCases(async () => {
    const file = newFile();
    return (clock, holder) => openStore({ file, clock, holder });
  });
  crashCases(newFile);
});
