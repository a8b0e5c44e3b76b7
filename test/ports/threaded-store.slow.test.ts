import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { UNSHARED } from '../../packages/touchstone/src/ports/index.js';
import { openStore } from '../../packages/touchstone/src/store/index.js';
import { sharedCases, storeCases } from './store-cases.js';

describe('SQLite file store of a host, which writes in a thread', () => {
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

  storeCases((clock, holder) => openStore({ file: newFile(), clock, holder, shares: UNSHARED }), {
    oneWriter: true,
  });
  sharedCases(async () => {
    const file = newFile();
    return (clock, holder) => openStore({ file, clock, holder, shares: UNSHARED });
  });
});
