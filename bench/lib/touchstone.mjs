// Our own command line, as a stranger would call it.
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expectedPasses, makeCheckedSuite, makeSuite } from '../workload.mjs';
import { measure } from './process.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
export const COMMAND = here('../../packages/touchstone/bin/touchstone.js');
export const AGENT = here('../agent.mjs');

export function writeSuite(folder, n, make = makeSuite) {
  const file = join(folder, `${n}.suite.json`);
  writeFileSync(file, JSON.stringify(make(n)));
  return file;
}

/** Tasks with five checks each. */
export const writeCheckedSuite = (folder, n) => writeSuite(folder, n, makeCheckedSuite);

export const runArguments = (suite, data, concurrency = 32) => [
  ...[COMMAND, 'run', suite, '--agent', AGENT],
  ...['--concurrency', String(concurrency), '--data', data, '--json'],
];

/** One whole run in its own process, everything kept. A run with a wrong score is no measurement. */
export async function runSuite({ suite, n, data, env, concurrency = 32, program = process.execPath }) {
  const cost = await measure(program, runArguments(suite, data, concurrency), { env });
  const summary = summaryOf(cost);
  checkPasses('touchstone', summary.passedCount, n);
  return { ...cost, summary, diskBytes: bytesIn(data) };
}

export function summaryOf({ code, stdout, stderr }) {
  if (code !== 0) throw new Error(`touchstone ended with code ${code}:\n${stderr.slice(-2000)}`);
  return JSON.parse(stdout).summary;
}

export function checkPasses(who, passed, n) {
  const expected = expectedPasses(n);
  if (passed !== expected)
    throw new Error(`${who} reports ${passed} of ${n} tasks passed; ${expected} are right.`);
}

export const bytesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    return sum + (entry.isDirectory() ? bytesIn(path) : statSync(path).size);
  }, 0);
