import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../packages/touchstone/src/agents/fixtures/free-port.js';

/** A pooler between the tests and a server of theirs. */
export type Pooler = {
  /** The same database, through the pooler. */
  readonly url: string;
  stop(): Promise<void>;
};

const PROGRAM = '/usr/sbin/pgbouncer';
const MISSING = 'PgBouncer is not here. Install it (Debian: apt-get install pgbouncer).';

/** Where everything is required, its absence is an error. */
export function hasPgbouncer(): boolean {
  if (existsSync(PROGRAM)) return true;
  if (process.env.TOUCHSTONE_REQUIRE_ALL) throw new Error(MISSING);
  console.warn(MISSING);
  return false;
}

type Settings = { readonly [name: string]: string | number };

/** In transaction mode, with less sessions than a store has connections. */
export async function startPgbouncer(server: string, settings: Settings = {}): Promise<Pooler> {
  const { hostname, port, username, pathname } = new URL(server);
  const database = pathname.slice(1);
  const listenPort = Number(settings.listen_port ?? (await freePort()));
  const lines = {
    listen_addr: '127.0.0.1',
    listen_port: listenPort,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: 2,
    max_client_conn: 500,
    ...settings,
  };
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-pooler-'));
  chmodSync(folder, 0o755);
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]\n${database} = host=${hostname} port=${port} user=${username}\n[pgbouncer]\n${Object.entries(
      lines,
    )
      .map(([name, value]) => `${name} = ${value}\n`)
      .join('')}`,
  );
  const child = spawnAsUser([PROGRAM, '--quiet', file]);
  await untilListening(listenPort, child);
  const url = new URL(server);
  url.port = String(listenPort);
  return {
    url: url.href,
    async stop() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PgBouncer refuses to run as root, like the server. */
function spawnAsUser(command: readonly string[]): ChildProcess {
  const asUser = ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'];
  const [program = '', ...args] = process.getuid?.() === 0 ? [...asUser, ...command] : command;
  return spawn(program, args, { stdio: 'ignore' });
}

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await wait(20);
  }
  throw new Error(`PgBouncer ended with ${child.exitCode}.`);
}
