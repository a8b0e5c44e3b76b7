import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asId, type RunId } from '@touchstone/protocol';
import { type Client, createClient } from '@touchstone/sdk';
import type { Server } from '../setup/postgres.js';
import { EVAL, setStore } from './database-host.js';
import {
  KEY,
  kill,
  type Running,
  type Serving,
  serve,
  startCli,
  temporaryFolder,
  writeProject,
} from './processes.js';

export type Worker = Running & { readonly name: string; readonly health: string };

/** A project on a database of its own schema, and the hosts and workers that a test has started on it. */
export type Fleet = ReturnType<typeof openFleet>;

let schemas = 0;

export type Project = { readonly tasks: number; readonly delayMs: number; readonly holdFrom?: number };

type WorkerOptions = {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Flags of the health server. */
  readonly health?: readonly string[];
};

export function openFleet(database: Pick<Server, 'url'>, project: Project, address = database.url) {
  const folder = temporaryFolder();
  const running = new Set<Running>();
  schemas += 1;
  const schema = `fleet${process.pid}_${schemas}`;
  const url = withSchema(database.url, schema);
  const calls = join(folder.path, 'calls.log');
  writeProject(folder.path, project.tasks, project);
  setStore(folder.path, 'env:DATABASE_URL');
  const env = (name: string) => ({ CALLS: calls, CALLER: name, DATABASE_URL: withSchema(address, schema) });
  const started = <T extends Running>(one: T): T => {
    running.add(one);
    return one;
  };
  const host = async (name: string, ...more: readonly string[]): Promise<Serving> =>
    started(await serve(['--data', name, ...more], folder.path, env(name)));
  const worker = async (name: string, options: WorkerOptions = {}): Promise<Worker> => {
    const { cwd = folder.path, health = ['--health', '0'] } = options;
    const args = ['worker', '--data', name, ...health, '--log-level', 'error'];
    return started(await workerOf(startCli(args, cwd, { ...env(name), ...options.env })));
  };
  return {
    folder: folder.path,
    url,
    calls,
    env,
    host,
    worker,
    door: (name = 'door') => host(name, '--no-work'),
    workers: (...names: readonly string[]) => Promise.all(names.map((name) => worker(name))),
    async stop(one: Running, signal?: NodeJS.Signals) {
      running.delete(one);
      return kill(one, signal);
    },
    /** The log of the same run on one host with a file. */
    async calmLog(options: RunOptions = {}) {
      setStore(folder.path, undefined);
      const calm = started(await serve(['--data', 'calm'], folder.path, { DELAY_MS: '0' }));
      const runId = await createOn(calm, options);
      await clientOf(calm).waitForScorecard(runId);
      return debugLog(calm, runId);
    },
    async close() {
      await Promise.all([...running].map((one) => kill(one)));
      folder.remove();
    },
  };
}

function withSchema(address: string, schema: string): string {
  const url = new URL(address);
  url.searchParams.set('schema', schema);
  return url.href;
}

export type RunOptions = {
  readonly configurable?: { readonly [name: string]: unknown };
  readonly key?: string;
};

export const clientOf = (host: Serving, key = KEY): Client => createClient({ baseUrl: host.url, key });
export const createOn = async (host: Serving, { configurable, key }: RunOptions = {}): Promise<RunId> =>
  asId(
    (await clientOf(host, key).runs.create({ ...EVAL, ...(configurable && { configurable }) } as never))
      .runId,
  );
export const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

/** Changes the configuration of a project. */
export function configure(folder: string, change: object): void {
  const file = join(folder, 'touchstone.config.json');
  writeFileSync(file, JSON.stringify({ ...readJson(file), ...change }));
}

/** Waits for the line that says that it works. */
export async function workerOf(starting: Running): Promise<Worker> {
  const health = await new Promise<string>((resolve, reject) => {
    let seen = '';
    starting.child.stdout?.on('data', (text: string) => {
      seen += text;
      const line = /^working ?(\S*)\n/m.exec(seen);
      if (line) resolve(String(line[1]));
    });
    starting.finished.then(({ code, stderr }) => reject(new Error(`worker ended with ${code}: ${stderr}`)));
  });
  const name = starting.child.spawnargs[starting.child.spawnargs.indexOf('--data') + 1] ?? '';
  return { ...starting, name, health };
}

/** The calls that the agent has noted, with the process that made each, and when. */
export const callersIn = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(' '))
    .map(([, ordinal, caller, at]) => ({ ordinal: Number(ordinal), caller, at: Number(at) }));

/** All of a log, without what differs between two equal runs. */
export async function debugLog(host: Serving, runId: RunId): Promise<readonly { type: string }[]> {
  const log: unknown[] = [];
  for await (const event of clientOf(host).streamEvents(runId, { streamMode: 'debug' })) log.push(event);
  const own = /Ms$|^(at|timestamp|runId|eventId|invocationId|causationId|correlationId|spanId|traceId)$/;
  const text = JSON.stringify(log, (key, member) => (own.test(key) ? undefined : member));
  return JSON.parse(text.replaceAll(runId, 'RUN'));
}
