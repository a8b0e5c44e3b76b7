import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestCli } from './testing/test-cli.js';

const FULL = '/dev/full';
/** What the build has made: another loader asks for the folder itself. */
const built = fileURLToPath(new URL('../../bin/touchstone.js', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-io-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The program as it is installed, only that it reads the sources. */
function program(): string {
  const bin = readFileSync(new URL('../../bin/touchstone.js', import.meta.url), 'utf8');
  const load = `createJiti(import.meta.url).import(${JSON.stringify(new URL('./main.ts', import.meta.url).href)})`;
  const source = bin.replace("require('../dist/bundle/main.cjs')", `await ${load}`).replace(/^#!.*/, '');
  const file = join(folder, 'touchstone.mjs');
  writeFileSync(
    file,
    `import { createJiti } from ${JSON.stringify(import.meta.resolve('jiti'))};\n${source}`,
  );
  return file;
}

async function start(stdout: number | 'pipe', ...argv: string[]) {
  const child = spawn(process.execPath, [program(), ...argv], { stdio: ['ignore', stdout, 'pipe'] });
  const [[code], err, out] = await Promise.all([
    once(child, 'close') as Promise<[number]>,
    child.stderr ? text(child.stderr) : '',
    child.stdout ? text(child.stdout) : '',
  ]);
  return { code, err, out };
}

// Only Linux has a device that is always full: elsewhere the report says that this was not tried.
test.skipIf(!existsSync(FULL))(
  'what cannot be written to stdout ends with 3 and a word about it',
  async () => {
    expect(await start('pipe', '--version')).toMatchObject({ code: 0, err: '' });
    const full = openSync(FULL, 'w');
    expect(await start(full, '--version')).toEqual({
      code: 3,
      err: 'error: stdout cannot be written: the disk is full.\n',
      out: '',
    });
    closeSync(full);
  },
);

test.skipIf(!existsSync(FULL))('a report that cannot be written is told in words', async () => {
  const desk = openTestCli();
  await desk.run('init', '.');
  const { code, err } = await desk.run('run', 'evals/first.suite.yaml', '--markdown', FULL);
  expect([code, err]).toEqual([3, `error: --markdown ${FULL} cannot be written: the disk is full.\n`]);
  desk.close();
});

test('a folder that is gone is told in words', async () => {
  const gone = join(folder, 'gone');
  const script = `mkdir "$2" && cd "$2" && rmdir "$2" && exec "$0" "$1" --version`;
  const child = spawn('sh', ['-c', script, process.execPath, built, gone], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[code], err, out] = await Promise.all([
    once(child, 'close'),
    text(child.stderr),
    text(child.stdout),
  ]);
  const words = 'error: the folder that this command was started in is gone. Change to one that exists.\n';
  expect({ code, err, out }).toEqual({ code: 3, err: words, out: '' });
});
