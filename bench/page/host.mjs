// A host over a store that the command line has filled, and a session of the person at the machine.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { createCall } from '../lib/server.mjs';
import { COMMAND } from '../lib/touchstone.mjs';

export async function withPageHost(folder, use) {
  const args = [COMMAND, 'serve', '--port', '0', '--data', 'data', '--config', 'touchstone.config.json'];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise((resolve) => child.on('close', resolve));
  try {
    return await use(await readLines(child));
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

/** The address, the link that signs in, and on the first start the key. */
async function readLines(child) {
  const facts = {};
  for await (const line of createInterface({ input: child.stdout })) {
    const [word, rest = ''] = line.split(' ', 2);
    if (word === 'listening') facts.url = rest;
    if (word === 'export') facts.key = rest.split('=')[1];
    if (word === 'open') return { ...facts, link: rest };
  }
  throw new Error('The host ended before it said how to open the page.');
}

export const callOf = ({ url }, key) => createCall(url, key);
