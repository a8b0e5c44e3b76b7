// Goal: a host that closes waits for its threads, whatever they say in the last moment. Method: a real process whose thread has
// spoken before it is told to end, and is heard after that. A process that forgets what it waits for ends with 13.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

const BUILT = fileURLToPath(new URL('../../../dist/app/checkers/checker-thread.js', import.meta.url));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-thread-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Posts the messages, and then says in a file that it has. */
const threadThatSays = (messages: readonly (readonly unknown[])[]): string => `
const { writeFileSync } = require('node:fs');
const { parentPort } = require('node:worker_threads');
for (const message of ${JSON.stringify(messages)}) parentPort.postMessage(message);
parentPort.on('message', () => undefined);
writeFileSync(${JSON.stringify(join(folder, 'said'))}, '');
`;

/** Hears nothing until the thread has spoken: it does not let go of its own thread. */
const program = (call: string): string => `
import { existsSync } from 'node:fs';
import { startCheckerThread } from ${JSON.stringify(pathToFileURL(BUILT).href)};
const thread = startCheckerThread({ whenIdle: false }, new URL(${JSON.stringify(pathToFileURL(join(folder, 'thread.cjs')).href)}));
thread.ready.catch(() => undefined);
${call}
while (!existsSync(${JSON.stringify(join(folder, 'said'))}));
thread.stop(new Error('The host is closing.'));
await thread.ended;
console.log('ended');
`;

it.each([
  ['is ready', [['ready']], ''],
  [
    'has made its check',
    [['ready'], ['done', 1]],
    'const run = thread.run("work", 0); run.catch(() => undefined);',
  ],
])('a thread that %s in the moment it is told to end is waited for', (_, messages, call) => {
  writeFileSync(join(folder, 'thread.cjs'), threadThatSays(messages));
  writeFileSync(join(folder, 'program.mjs'), program(call));
  const { status, stdout } = spawnSync(process.execPath, [join(folder, 'program.mjs')], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'ended\n' });
});
