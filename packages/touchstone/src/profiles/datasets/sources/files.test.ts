import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFetching, refusalOf, textOf } from './testing/fetching.js';

let folder: string;
let inside: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'touchstone-files-')));
  inside = join(folder, 'inside');
  await mkdir(join(inside, 'evals'), { recursive: true });
  await writeFile(join(inside, 'evals', 'rows.jsonl'), '{"input":1}\n');
  await writeFile(join(folder, 'secret.jsonl'), 'CANARY');
});
afterEach(() => rm(folder, { recursive: true }));

describe('files below the folder of a definition', () => {
  it('are read, under their name, also through links that stay inside', async () => {
    await symlink('rows.jsonl', join(inside, 'evals', 'link.jsonl'));
    const { open } = createFetching();
    for (const uri of ['evals/rows.jsonl', 'pack:evals/rows.jsonl', 'evals/link.jsonl']) {
      const opened = await open(uri, { baseDir: inside, trust: 'tenant' });
      expect(opened.name).toBe(uri.split('/')[1]);
      expect(await textOf(opened)).toBe('{"input":1}\n');
    }
  });

  it('links that lead outside, folders and special files are refused', async () => {
    await symlink('../secret.jsonl', join(inside, 'out.jsonl'));
    await symlink('..', join(inside, 'up'));
    await symlink('loop', join(inside, 'loop'));
    execFileSync('mkfifo', [join(inside, 'pipe.jsonl')]);
    const { open } = createFetching();
    for (const path of ['out.jsonl', 'up/secret.jsonl', 'up/inside', 'evals', 'pipe.jsonl', 'loop']) {
      expect(await refusalOf(open(path, { baseDir: inside }))).toMatchObject({ code: 'dataset_refused' });
    }
  });

  it('a file that is replaced between finding and reading it is not read', async () => {
    const opened = await createFetching().open('evals/rows.jsonl', { baseDir: inside });
    await rename(join(folder, 'secret.jsonl'), join(inside, 'evals', 'rows.jsonl'));
    expect(await refusalOf(textOf(opened))).toMatchObject({ code: 'dataset_refused' });
  });

  it('a missing file and one that is too large are told apart', async () => {
    const { open } = createFetching({ config: { maxBytes: 5 } });
    expect(await refusalOf(open('none.jsonl', { baseDir: inside }))).toMatchObject({
      code: 'dataset_not_found',
    });
    expect(await refusalOf(open('evals/rows.jsonl', { baseDir: inside }))).toMatchObject({
      code: 'dataset_too_large',
    });
  });

  it('a definition without a folder has no relative paths', async () => {
    expect(await refusalOf(createFetching().open('rows.jsonl'))).toMatchObject({
      code: 'scheme_unsupported',
    });
  });
});

describe('file:', () => {
  const uriOf = (...path: string[]) => pathToFileURL(join(...path)).href;

  it('is read below the configured folders only, and only for the operator', async () => {
    const { open, read } = createFetching({ config: { roots: [inside] } });
    expect(await read(uriOf(inside, 'evals', 'rows.jsonl'))).toBe('{"input":1}\n');
    expect(await refusalOf(open(uriOf(folder, 'secret.jsonl')))).toMatchObject({ code: 'dataset_refused' });
    const tenant = open(uriOf(inside, 'evals', 'rows.jsonl'), { trust: 'tenant', tenant: 'acme' });
    expect(await refusalOf(tenant)).toMatchObject({ code: 'scheme_unsupported' });
    expect(await refusalOf(createFetching().open(uriOf(inside, 'evals/rows.jsonl')))).toMatchObject({
      code: 'dataset_refused',
    });
  });

  it('a link out of a configured folder is refused', async () => {
    await symlink(join(folder, 'secret.jsonl'), join(inside, 'out.jsonl'));
    const { open } = createFetching({ config: { roots: [inside] } });
    expect(await refusalOf(open(uriOf(inside, 'out.jsonl')))).toMatchObject({ code: 'dataset_refused' });
  });
});

describe('buckets that are folders', () => {
  it('the longest prefix counts, and nothing leaves its folder', async () => {
    await writeFile(join(folder, 'outer.csv'), 'outer');
    await symlink('../secret.jsonl', join(inside, 'out.jsonl'));
    const prefixes = {
      's3://data/': `${folder}/`,
      's3://data/v2/': `${inside}/`,
      'gs://data/': `${inside}/`,
    };
    const { open, read } = createFetching({ config: { prefixes } });
    expect(await read('s3://data/outer.csv')).toBe('outer');
    expect(await read('s3://data/v2/evals/rows.jsonl')).toBe('{"input":1}\n');
    expect(await read('gs://data/evals/rows.jsonl')).toBe('{"input":1}\n');
    expect(await refusalOf(open('s3://data/v2/out.jsonl'))).toMatchObject({ code: 'dataset_refused' });
    expect(await refusalOf(open('s3://data/v2//etc/passwd'))).toMatchObject({ code: 'dataset_refused' });
    expect(await refusalOf(open('s3://data/v2/a\\b'))).toMatchObject({ code: 'dataset_refused' });
    expect(await refusalOf(open('s3://other/rows.csv'))).toMatchObject({ code: 'scheme_unsupported' });
    expect(await refusalOf(open('gs://other/rows.csv'))).toMatchObject({ code: 'scheme_unsupported' });
  });

  it('are open to the tenants that the operator names', async () => {
    const config = { prefixes: { 's3://data/': `${inside}/` }, tenants: ['acme'] };
    const { open, read } = createFetching({ config });
    const uri = 's3://data/evals/rows.jsonl';
    expect(await read(uri, { trust: 'tenant', tenant: 'acme' })).toBe('{"input":1}\n');
    for (const options of [{ trust: 'tenant', tenant: 'globex' }, { trust: 'tenant' }] as const) {
      expect(await refusalOf(open(uri, options))).toMatchObject({ code: 'scheme_unsupported' });
    }
  });

  it.each([
    [{ prefixes: { 's3://data': '/x/' } }, '/datasets/prefixes/s3:~1~1data'],
    [{ prefixes: { 'https://data/': '/x/' } }, '/datasets/prefixes/https:~1~1data~1'],
    [{ prefixes: { 's3://data/': '/x' } }, '/datasets/prefixes/s3:~1~1data~1'],
    [{ prefixes: { 's3://data/': 'https://u:p@x/' } }, '/datasets/prefixes/s3:~1~1data~1'],
    [{ s3: { endpoint: 'minio:9000', accessKeyEnv: 'A', secretKeyEnv: 'B' } }, '/datasets/s3/endpoint'],
  ])('a configuration that could be misread is refused: %j', (config, pointer) => {
    expect(() => createFetching({ config })).toThrow(pointer);
  });
});

it('data: is read from the URI itself', async () => {
  const opened = await createFetching().open('data:text/csv,input%0Aa', { trust: 'tenant' });
  expect(opened.mediaType).toBe('text/csv');
  expect(await textOf(opened)).toBe('input\na');
});
