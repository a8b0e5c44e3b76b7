import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeFolder } from './data-folder.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchstone-folder-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('makes what is missing, for its owner alone, also when several ask at once', async () => {
  const path = join(folder, 'a', 'b', 'c');
  await Promise.all([1, 2, 3].map(() => makeFolder(path)));
  expect((await stat(path)).mode & 0o777).toBe(0o700);
});

it('below a file it is refused', async () => {
  await writeFile(join(folder, 'file'), '');
  await expect(makeFolder(join(folder, 'file', 'x'))).rejects.toThrow(/ENOTDIR/);
});

it.runIf(process.platform === 'linux')(
  'where the system has no room for it, it is refused and not tried for ever',
  async () => {
    await expect(makeFolder('/proc/touchstone/x')).rejects.toThrow(/ENOENT|EACCES|EPERM/);
  },
);
