import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createKeptCode } from './kept-code.js';

const DAY_MS = 24 * 3_600_000;
const CODE = Buffer.from('code');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-kept-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('code is read back under the name of its build only', () => {
  createKeptCode(folder, 'build-1/run', () => 0).write([['a.cjs', CODE]]);
  expect(createKeptCode(folder, 'build-1/run', () => 0).read('a.cjs')).toEqual(CODE);
  expect(createKeptCode(folder, 'build-2/run', () => 0).read('a.cjs')).toBeUndefined();
});

it.runIf(process.platform !== 'win32')(
  'nobody else can read or replace code, and nothing unfinished is left',
  () => {
    createKeptCode(join(folder, 'cache'), 'build', () => 0).write([['a.cjs', CODE]]);
    const path = join(folder, 'cache', 'build');
    expect(readdirSync(path)).toEqual(['a.cjs']);
    for (const one of [join(folder, 'cache'), path, join(path, 'a.cjs')])
      expect(statSync(one).mode & 0o077).toBe(0);
  },
);

it('the code of a build that was written a month ago is removed when other code is written', () => {
  createKeptCode(folder, 'old/run', () => 0).write([['a.cjs', CODE]]);
  createKeptCode(folder, 'recent/run', () => 0).write([['a.cjs', CODE]]);
  utimesSync(join(folder, 'old'), 0, 0);
  utimesSync(join(folder, 'recent'), (2 * DAY_MS) / 1_000, (2 * DAY_MS) / 1_000);
  createKeptCode(folder, 'new/run', () => 31 * DAY_MS).write([['a.cjs', CODE]]);
  expect(readdirSync(folder).sort()).toEqual(['new', 'recent']);
});

it('where no folder can be made, nothing is kept and nothing fails', () => {
  writeFileSync(join(folder, 'file'), '');
  const kept = createKeptCode(join(folder, 'file'), 'build', () => 0);
  kept.write([['a.cjs', CODE]]);
  expect(kept.read('a.cjs')).toBeUndefined();
  expect(existsSync(join(folder, 'file', 'build'))).toBe(false);
});
