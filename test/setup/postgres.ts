import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from '../../packages/touchstone/src/agents/fixtures/free-port.js';

/** A PostgreSQL server of the tests. */
export type Cluster = {
  /** A database in which nothing is kept yet. */
  newUrl(): string;
  stop(): Promise<void>;
};

export type ClusterOptions = {
  /** Flushes like a server in use: for tests that kill it. */
  readonly durable?: true;
  /** Of the server, beside those that all servers of the tests have. */
  readonly settings?: { readonly [name: string]: string | number };
};

const MISSING = `PostgreSQL is not here. Install it (Debian: apt-get install postgresql), or name a server with
TOUCHSTONE_TEST_POSTGRES=postgres://user:password@host:port/database`;

/** Whether there is a server to test with. Where everything is required, its absence is an error. */
export function hasPostgres(): boolean {
  if (process.env.TOUCHSTONE_TEST_POSTGRES || binaries()) return true;
  if (process.env.TOUCHSTONE_REQUIRE_ALL) throw new Error(MISSING);
  console.warn(MISSING);
  return false;
}

let schemas = 0;
/** The server of the environment is kept apart by schemas; each process has names of its own. */
export const schemaUrl = (url: string): string => {
  schemas += 1;
  const named = new URL(url);
  named.searchParams.set('schema', `t${process.pid}_${Date.now().toString(36)}_${schemas}`);
  return named.href;
};

/** The server of the environment, or one of our own in a temporary folder. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const given = process.env.TOUCHSTONE_TEST_POSTGRES;
  if (given && !options.durable) return { newUrl: () => schemaUrl(given), stop: async () => undefined };
  const server = await startServer(options);
  return { newUrl: () => schemaUrl(server.url), stop: server.stop };
}

/** A server that a test may crash and start again. */
export type Server = {
  readonly url: string;
  /** As after a loss of power. */
  crash(): void;
  start(): void;
  /** Every process of it stands still, and its connections stay open. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
};

export async function startServer({ durable, settings: more = {} }: ClusterOptions = {}): Promise<Server> {
  const bin = binaries();
  if (!bin) throw new Error(MISSING);
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-pg-'));
  chmodSync(folder, 0o755);
  const run = asServerUser(folder);
  const data = join(folder, 'data');
  run(join(bin, 'initdb'), [
    '-D',
    data,
    '-U',
    'touchstone',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--no-sync',
    '--locale=C',
  ]);
  const port = await freePort();
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    fsync: durable ? 'on' : 'off',
    ...(durable ? {} : { full_page_writes: 'off' }),
    shared_buffers: '32MB',
    ...more,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const control = (...args: readonly string[]) => run(join(bin, 'pg_ctl'), ['-D', data, '-w', ...args]);
  const start = () => {
    control(
      '-l',
      join(data, 'server.log'),
      '-o',
      flags.map((flag) => (flag === '-c' ? flag : `'${flag}'`)).join(' '),
      'start',
    );
  };
  start();
  let isFrozen = false;
  const thaw = (): void => {
    thawServer(data);
    isFrozen = false;
  };
  return {
    url: `postgres://touchstone:pg-test-password@127.0.0.1:${port}/postgres`,
    crash: () => control('-m', 'immediate', 'stop'),
    start,
    freeze() {
      isFrozen = true;
      freezeServer(data);
    },
    thaw,
    async stop() {
      // A server that stands still cannot be stopped.
      if (isFrozen) thaw();
      if (existsSync(join(data, 'postmaster.pid'))) control('-m', 'immediate', 'stop');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** While the first process stands still, none of the others is made or forgotten: it stops first, and goes on last. */
function freezeServer(data: string): void {
  const first = firstProcess(data);
  process.kill(first, 'SIGSTOP');
  for (const pid of childrenOf(first)) process.kill(pid, 'SIGSTOP');
}

function thawServer(data: string): void {
  const first = firstProcess(data);
  for (const pid of childrenOf(first)) process.kill(pid, 'SIGCONT');
  process.kill(first, 'SIGCONT');
}

function firstProcess(data: string): number {
  const [pid = ''] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
  return Number(pid);
}

const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

type Run = (program: string, args: readonly string[]) => void;

/** The server refuses to run as root, who hands over to the user that the package has made. */
function asServerUser(folder: string): Run {
  const options: ExecFileSyncOptions = { stdio: ['ignore', 'ignore', 'pipe'], cwd: folder };
  if (process.getuid?.() !== 0)
    return (program, args) => {
      execFileSync(program, args, options);
    };
  execFileSync('chown', ['-R', 'postgres', folder]);
  return (program, args) => {
    execFileSync(
      'setpriv',
      ['--reuid=postgres', '--regid=postgres', '--clear-groups', program, ...args],
      options,
    );
  };
}

const DEBIAN = '/usr/lib/postgresql';

/** The folder with initdb and pg_ctl: the one that the environment names, or the system's. Debian keeps them out of the path. */
function binaries(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const given = process.env.TOUCHSTONE_TEST_POSTGRES_BIN;
  const folders = [
    ...(given ? [given] : []),
    ...versions.map((version) => join(DEBIAN, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return folders.find((folder) =>
    ['initdb', 'pg_ctl', 'postgres'].every((name) => isProgram(join(folder, name))),
  );
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export type Rows = readonly { readonly [column: string]: unknown }[];
const fromPackage = createRequire(new URL('../../packages/touchstone/package.json', import.meta.url));

type Client = { query(sql: string): Promise<{ readonly rows: Rows }>; end(): Promise<void> };

async function connect(address: string): Promise<Client> {
  const url = new URL(address);
  const schema = url.searchParams.get('schema') ?? 'touchstone';
  url.searchParams.delete('schema');
  const { Client } = fromPackage('pg');
  const client = new Client({ connectionString: url.href, options: `-c search_path=${schema}` });
  await client.connect();
  return client;
}

/** Asks the database as an operator would, beside the store. */
export async function queryPostgres(address: string, sql: string): Promise<Rows> {
  const client = await connect(address);
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** A transaction that stays open until it is let go. */
export async function holdPostgres(address: string, sql: string): Promise<{ letGo(): Promise<void> }> {
  const client = await connect(address);
  await client.query(`BEGIN; ${sql}`);
  return {
    async letGo() {
      await client.query('COMMIT');
      await client.end();
    },
  };
}

export function querySqlite(file: string, sql: string): Rows {
  const { DatabaseSync } = fromPackage('@photostructure/sqlite');
  const database = new DatabaseSync(file);
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}
