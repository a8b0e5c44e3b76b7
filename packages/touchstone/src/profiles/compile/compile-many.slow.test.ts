import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

// Goal: memory does not grow with the dataset. Method: the built package compiles 200,000 rows, some 110 MB of text,
// in a process whose heap holds 48 MB. (A million rows fit as well; they only take longer than a test should.)
it('a dataset far larger than the heap compiles', () => {
  const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
  const built = new URL('../../../dist/profiles/compile/outputs.js', import.meta.url);
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--max-old-space-size=48', path('./fixtures/compile-many.mjs'), built.href, '200000'],
    { encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toMatchObject({ tasks: 200_000, isOwnDigest: true });
});
