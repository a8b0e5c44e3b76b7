import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { type Config, createTouchstone, type LocalTouchstone, systemClock } from '../../../app/index.js';
import { createLog, type RunningHost, startHost } from '../../../server/index.js';
import { type Context, type ExitCode, type Io, UsageError, writeLine } from '../../io.js';
import { LOCAL_OWNER, readConfig, storeFile } from '../../local.js';
import { globalFlags } from '../../session.js';
import { packageVersion } from '../../version.js';
import { keyState, makeKey, newToken } from './keys.js';

type ServeOptions = {
  readonly port: number;
  readonly bind: string;
  readonly logLevel: 'info' | 'warn' | 'error' | 'silent';
  readonly testSeams?: boolean;
  /** False with `--no-work`. */
  readonly work: boolean;
  /** False with `--no-prepare`. */
  readonly prepare: boolean;
  /** In seconds. */
  readonly drain: number;
};

/** Serves until a signal. The first line on stdout says where; scripts wait for it. */
export async function serveCommand(context: Context, options: ServeOptions): Promise<ExitCode> {
  const { io } = context;
  const config = await readConfig(context);
  if (!options.work) checkShared(context, config, 'A host with --no-work');
  const stopped = untilSignal(io);
  const { host, keyLines } = await openHost(context, config, options);
  try {
    writeLine(io.stdout, `listening ${host.url}`);
    for (const line of keyLines) writeLine(io.stdout, line);
    if (host.openUrl !== undefined) writeLine(io.stdout, `open ${host.openUrl}`);
    for (const line of warnings(config, options)) writeLine(io.stderr, line);
    await stopped;
  } finally {
    await host.close(options.drain * 1_000);
  }
  return 0;
}

/** On a file other processes would not hear of its runs, and find them late or never. */
export function checkShared(context: Context, config: Config, who: string): void {
  if (storeFile(context, config) === undefined) return;
  throw new UsageError(
    `${who} needs a store that several processes share, and this one is a file.`,
    'Name a PostgreSQL database as "store" in the configuration, or start "touchstone serve" alone.',
  );
}

async function openHost(
  { io, settings }: Context,
  config: Config,
  options: ServeOptions,
): Promise<{ host: RunningHost; keyLines: readonly string[] }> {
  const { bind, port, logLevel, testSeams = false } = options;
  const version = packageVersion();
  const log = await createLog(logLevel);
  const dataDir = resolve(io.cwd, settings.data);
  const role = { works: options.work, prepares: options.prepare };
  const touchstone = await createTouchstone({
    config,
    dataDir,
    origin: 'host',
    role,
    testSeams,
    version,
    log,
    env: io.env as NodeJS.ProcessEnv,
  });
  try {
    const { keyLines, openFor } =
      config.keys.length > 0
        ? { keyLines: [] }
        : await ensureKey(touchstone, bind, io.now(), globalFlags(settings));
    const host = await startHost({
      touchstone,
      config,
      log,
      clock: { ...systemClock, now: io.now },
      ids: { token: newToken },
      version,
      env: io.env as NodeJS.ProcessEnv,
      address: bind,
      port,
      testSeams,
      ...(openFor !== undefined && { openFor }),
    });
    if (role.works) touchstone.keepAgentsReady();
    return { host, keyLines };
  } catch (error) {
    await touchstone.close();
    throw explainListening(error, options);
  }
}

/** What is said about keys, and the one that a link to the page is made for. */
type LocalKey = { readonly keyLines: readonly string[]; readonly openFor?: string };

/** A host that the network can reach does not make a key by itself: it would be printed where a service writes its log. */
async function ensureKey(
  touchstone: LocalTouchstone,
  bind: string,
  now: number,
  flags: string,
): Promise<LocalKey> {
  if (isLoopback(bind)) return ensureLocalKey(touchstone, now, flags);
  const keys = await touchstone.keys.list();
  if (keys.some((key) => keyState(key, now) === 'active')) return { keyLines: [] };
  throw new UsageError(
    `Without a key this host listens on this machine only, not on ${bind}.`,
    `Make one with: touchstone keys create${flags}`,
  );
}

/** One key for the person at this machine, made once. Its hash is kept, so it works after a restart as well. */
async function ensureLocalKey(touchstone: LocalTouchstone, now: number, flags: string): Promise<LocalKey> {
  const keys = await touchstone.keys.list();
  const present = keys.find(
    (key) => key.owner.tenant === LOCAL_OWNER.tenant && keyState(key, now) === 'active',
  );
  if (present) {
    const made = new Date(present.createdAt).toISOString().slice(0, 10);
    const line = `The key made on ${made} still works. Make another with: touchstone keys create${flags}`;
    return { keyLines: [line], openFor: present.keyHash };
  }
  const { key, row } = makeKey({
    owner: LOCAL_OWNER,
    principal: 'operator',
    roles: ['admin', 'operator'],
    now,
  });
  await touchstone.keys.put(row);
  const keyLines = [
    `export TOUCHSTONE_KEY=${key}`,
    `This is the only time the key is shown. Make another with: touchstone keys create${flags}`,
  ];
  return { keyLines, openFor: row.keyHash };
}

export function explainListening(
  error: unknown,
  { port, bind }: Pick<ServeOptions, 'port' | 'bind'>,
): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return new UsageError(`Port ${port} is taken.`, 'Choose another with --port; --port 0 picks a free one.');
  if (code === 'EADDRNOTAVAIL') return new UsageError(`This machine has no address ${bind}.`);
  if (code === 'EACCES')
    return new UsageError(`Port ${port} may not be opened by this user.`, 'Choose one above 1023.');
  return error;
}

const isLoopback = (address: string): boolean =>
  address === 'localhost' || address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));

export const untilSignal = (io: Io): Promise<void> =>
  new Promise((resolve) => {
    let stopping = false;
    io.onSignal((signal) => {
      if (stopping) io.exit(signal === 'SIGINT' ? 130 : 143);
      stopping = true;
      resolve();
    });
  });

const warnings = ({ gates, keys }: Config, { testSeams }: ServeOptions): string[] => [
  // A tenant that is written wrong would leave its deployments without a gate. Keys of the store may still name it.
  ...gates.flatMap(({ gateId, tenant }) =>
    tenant === undefined || keys.some((key) => key.tenant === tenant)
      ? []
      : [`warning: gate ${gateId} is for tenant ${tenant}, which no key of the configuration names.`],
  ),
  ...(testSeams ? ['warning: test seams are mounted under /v1/host/sample. Not for production.'] : []),
];
