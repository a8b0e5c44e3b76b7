import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('./testing/read-many-rows.mjs', import.meta.url));
/** Runs the built package in a process of its own; `npm test` builds it first. */
const BUILT = new URL('../../../dist/profiles/datasets/read-rows.js', import.meta.url);
const MB = 1024 * 1024;

// Goal: memory does not grow with the number of rows. Method: a process that may hold 64 MB reads far more than that,
// made while it is read, and tells the most it held after collecting garbage.
it.each([
  ['jsonl', 1_000_000],
  ['csv', 200_000],
])('%s: %d rows are read in the memory of a few', async (format, count) => {
  const args = ['--expose-gc', '--max-old-space-size=64', SCRIPT, String(count), format, BUILT.href];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  const told = await text(child.stdout);
  expect(await exit).toEqual([0, null]);
  const { rows, last, at, highest } = JSON.parse(told);
  expect({ rows, last }).toEqual({ rows: count, last: `row-${count - 1}` });
  expect(at).toBe(format === 'csv' ? count + 1 : count);
  expect(highest).toBeLessThan(24 * MB);
});
