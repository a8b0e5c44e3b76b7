import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DatasetSource } from '../../profiles/datasets/sources/source.js';
import { type DatasetUri, parseDatasetUri } from '../../profiles/datasets/uri.js';
import { openRows } from './dataset-rows.js';

const TEXT = '{"id":"a","input":"x"}\n{"id":"b","input":"y","odd":1}\n';
const SHA256 = createHash('sha256').update(TEXT).digest('hex');
const OPERATOR = { trust: 'operator' } as const;
const remote = parseDatasetUri('https://data.example/rows.jsonl');
const beside = parseDatasetUri('rows.jsonl');

type Counted = DatasetSource & { readonly opened: string[]; closed: number };
/** Gives the text in two pieces; breaks between them when told to. */
function sourceOf({ breaks = false } = {}): Counted {
  const source: Counted = {
    opened: [],
    closed: 0,
    async open(uri: DatasetUri) {
      source.opened.push(uri.uri);
      const close = () => {
        source.closed += 1;
      };
      return { name: 'rows.jsonl', bytes: pieces(breaks), close };
    },
  };
  return source;
}
async function* pieces(breaks: boolean): AsyncGenerator<Uint8Array> {
  yield Buffer.from(TEXT.slice(0, 10));
  if (breaks) throw new Error('The line went dead.');
  yield Buffer.from(TEXT.slice(10));
}
async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const row of rows) found.push(row);
  return found;
}
/** Nobody else's folders are looked at. */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-rows-'));
  vi.stubEnv('TMPDIR', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});
const leftovers = (): string[] => readdirSync(folder);

describe('the rows of a dataset', () => {
  it.each([
    ['elsewhere are fetched once, however often they are read', remote, 1],
    ['beside the definition are read anew each time', beside, 2],
  ])('%s', async (_what, uri, times) => {
    const source = sourceOf();
    const opened = await openRows(source, uri, OPERATOR, undefined);
    const first = await all(opened.rows());
    expect(first.map(({ id, at }) => [id, at])).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
    expect(await all(opened.rows())).toEqual(first);
    expect(opened.facts()).toMatchObject({ sha256: SHA256, bytes: TEXT.length, format: 'jsonl', rows: 2 });
    expect(opened.warnings()).toHaveLength(1);
    expect(leftovers()).toHaveLength(uri === remote ? 1 : 0);
    await opened.close();
    expect([source.opened.length, source.closed]).toEqual([times, times]);
    expect(leftovers()).toEqual([]);
  });

  it.each([
    ['elsewhere', remote],
    ['beside', beside],
  ])('%s must be those that are pinned', async (_where, uri) => {
    const opened = await openRows(sourceOf(), uri, OPERATOR, '0'.repeat(64));
    await expect(all(opened.rows())).rejects.toMatchObject({ details: { code: 'dataset_mismatch' } });
    await opened.close();
    const right = await openRows(sourceOf(), uri, OPERATOR, SHA256);
    expect(await all(right.rows())).toHaveLength(2);
    await right.close();
  });

  it('whose fetching breaks off leave nothing behind', async () => {
    const source = sourceOf({ breaks: true });
    await expect(openRows(source, remote, OPERATOR, undefined)).rejects.toThrow('The line went dead.');
    expect(leftovers()).toEqual([]);
    expect(source.closed).toBe(1);
  });

  it('are let go of when their reader stops early', async () => {
    const source = sourceOf();
    const opened = await openRows(source, beside, OPERATOR, undefined);
    for await (const _ of opened.rows()) break;
    expect(source.closed).toBe(1);
  });
});
