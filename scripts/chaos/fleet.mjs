// Hosts that take requests, and workers that execute runs: each with a line of its own to the database, and a name of its own.
import { join } from 'node:path';
import { startServer } from '../../bench/lib/server.mjs';
import { createHosts } from '../soak/hosts.mjs';
import { fromTests } from './database.mjs';

/** One of the hosts works, so that runs are also driven where requests are answered. */
const HOSTS = [
  ['serve', '--port', '0', '--no-prepare', '--no-work'],
  ['serve', '--port', '0', '--no-prepare', '--drain', '5'],
];
const WORKER = ['worker', '--health', '0', '--drain', '5'];
const WORKERS = 3;
/** A process that is told to end while the database is away keeps for a minute what has been paid for. */
const END_MS = 90_000;

export async function createFleet({ config, folder, database, findings, troubles }) {
  const { openLine } = await fromTests('line.ts');
  let number = 0;
  const lineOf = new Map();

  /** A new name with each start: a process that was killed is told from the one that follows it. */
  const starterOf = (kind, verb, line) => async (onLog) => {
    number += 1;
    const name = `${kind}-${number}`;
    const url = new URL(database.url);
    url.port = line.port;
    lineOf.set(name, line);
    const env = { DATABASE_URL: url.href, CHAOS_PROCESS: name };
    const started = await startServer({ config, data: join(folder, name), env, onLog, verb });
    return { ...started, name, line };
  };
  const groupOf = async (kind, verbs) => {
    const opened = [];
    for (const _ of verbs) opened.push(await openLine(database.port));
    const starters = verbs.map((verb, at) => starterOf(kind, verb, opened[at]));
    return { ...createHosts({ starters, findings, troubles, endMs: END_MS }), lines: opened };
  };
  const workers = Array.from({ length: WORKERS }, () => WORKER);
  return { lineOf, hosts: await groupOf('host', HOSTS), workers: await groupOf('worker', workers) };
}
