import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { KeptCode } from './kept-code.js';
import { createLoader } from './loader.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-loader-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Keeps code in memory, and counts how often it is given some. */
function createMemory(files = new Map<string, Buffer>()) {
  const written: string[][] = [];
  const kept: KeptCode = {
    read: (file) => files.get(file),
    write(all) {
      written.push(all.map(([file]) => file));
      for (const [file, code] of all) files.set(file, code);
    },
  };
  return { kept, files, written };
}

const write = (name: string, source: string): void => writeFileSync(join(folder, name), source);

/** The next start finds the files elsewhere: V8 knows what it has compiled in this process by the path of the source. */
function loadAndKeep(kept: KeptCode, compiledBytes = 1_000, isDear = false): unknown {
  const loader = createLoader(folder, kept);
  const exports = loader.load('a.cjs');
  loader.keep(() => compiledBytes, isDear);
  renameSync(folder, `${folder}-moved`);
  folder += '-moved';
  return exports;
}

it('files of the bundle load each other once, and packages from outside', () => {
  write('a.cjs', "exports.b = require('./b.cjs'); exports.same = exports.b === require('./b.cjs');");
  write('b.cjs', "exports.sep = require('node:path').sep; exports.places = [__dirname, __filename];");
  const loaded = createLoader(folder, createMemory().kept).load('a.cjs');
  expect(loaded).toEqual({ b: { sep, places: [folder, join(folder, 'b.cjs')] }, same: true });
});

it('what one start has compiled the next one uses', () => {
  write('a.cjs', "exports.value = require('./b.cjs').six() + 1;");
  write('b.cjs', 'exports.six = () => 6;');
  const { kept, written } = createMemory();
  for (const _ of ['first', 'second']) expect(loadAndKeep(kept)).toEqual({ value: 7 });
  expect(written).toEqual([['a.cjs', 'b.cjs', 'bytes']]);
});

it('a start that has compiled much more than what is kept leaves it to the next', () => {
  write('a.cjs', 'exports.value = 7;');
  const { kept, written } = createMemory();
  for (const bytes of [1_000, 1_050, 2_000, 2_000, 900]) loadAndKeep(kept, bytes);
  expect(written).toHaveLength(2);
});

it('a start in which that is dear to find out leaves only what is missing', () => {
  write('a.cjs', 'exports.value = 7;');
  const { kept, written } = createMemory();
  for (const bytes of [1_000, 2_000]) loadAndKeep(kept, bytes, true);
  expect(written).toHaveLength(1);
});

it.each([
  ['rubbish', () => Buffer.from('rubbish')],
  ['half of it', (code: Buffer) => code.subarray(0, code.length / 2)],
  ['nothing', () => Buffer.alloc(0)],
])('where there is %s in place of compiled code, the source is compiled again', (_, damage) => {
  write('a.cjs', 'exports.value = 7;');
  const { kept, files, written } = createMemory();
  loadAndKeep(kept);
  files.set('a.cjs', damage(files.get('a.cjs') as Buffer));
  expect(loadAndKeep(kept)).toEqual({ value: 7 });
  expect(written.flat()).toEqual(['a.cjs', 'bytes', 'a.cjs', 'bytes']);
});

it('code that comes from a cache imports modules like any other', async () => {
  write('a.cjs', "exports.load = () => __import('node:path');");
  const { kept, written } = createMemory();
  for (const _ of ['first', 'second']) {
    const { load } = loadAndKeep(kept) as { load: () => Promise<{ sep: string }> };
    expect((await load()).sep).toBe(sep);
  }
  expect(written).toHaveLength(1);
});

it('a file of the bundle is as strict as the module it was made of', () => {
  write('a.cjs', 'Object.freeze(exports).value = 7;');
  expect(() => createLoader(folder, createMemory().kept).load('a.cjs')).toThrow(TypeError);
});
