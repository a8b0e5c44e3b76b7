import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { importInto, verdicts } from '../../testing/import-checks.js';
import { openTestCli } from '../../testing/test-cli.js';

// Goal: a sample of every format comes over, is valid, and its recorded answers get the verdicts that the source recorded.
// `scripts/measure-imports.mjs` counts what of them is carried over, changed and lost.

type SampleCase = {
  readonly name: string;
  readonly files: readonly string[];
  readonly format?: string;
  readonly options?: readonly string[];
  /** What the source says of its own answers; absent when it has none. */
  readonly verdicts?: { readonly [taskId: string]: boolean };
};

const SAMPLES = fileURLToPath(new URL('../../../importers/testing/samples/', import.meta.url));
const CASES = JSON.parse(readFileSync(join(SAMPLES, 'cases.json'), 'utf8')) as readonly SampleCase[];

it.each(CASES)('$name', async ({ files, format, options = [], verdicts: recorded }) => {
  const cli = openTestCli();
  cpSync(SAMPLES, cli.cwd, { recursive: true });
  const typed = format === undefined ? files : [format, ...files];
  const { items } = await importInto(cli, ...typed, ...options);
  for (const item of items)
    expect(item).toMatchObject({ file: expect.any(String), line: expect.any(Number) });
  expect(cli.has('out/recorded.jsonl')).toBe(recorded !== undefined);
  if (recorded) {
    const [name = ''] = /[^/]+(?=\.\w+$)/.exec(files[0] ?? '') ?? [];
    const suite = `out/${name.replaceAll('_', '-').toLowerCase()}.suite.yaml`;
    expect(await verdicts(cli, suite, 'out/recorded.jsonl')).toEqual(recorded);
  }
  cli.close();
});
