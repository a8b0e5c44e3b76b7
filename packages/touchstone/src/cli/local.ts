import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Owner, Principal } from '@touchstone/protocol';
import type { Config, LocalTouchstone } from '../app/index.js';
import type { Log } from '../ports/index.js';
import { type Context, DEFAULT_DATA, type Io } from './io.js';
import { UsageError } from './usage-error.js';
import { packageVersion } from './version.js';

/** Runs of the command line belong to this owner, whatever the store. */
export const LOCAL_OWNER: Owner = { tenant: 'local', workspace: 'main' };
export const LOCAL_PRINCIPAL: Principal = {
  id: 'cli',
  owner: LOCAL_OWNER,
  roles: ['admin'],
  scopes: new Set(['*']),
};

/** Whoever sits at the machine owns it, and so has every role that the configuration knows. */
export const principalHere = ({ roles }: Pick<Config, 'roles'>): Principal => ({
  ...LOCAL_PRINCIPAL,
  roles: [...new Set([...LOCAL_PRINCIPAL.roles, ...Object.keys(roles)])],
});

export type Local = { readonly touchstone: LocalTouchstone; readonly config: Config };

export async function readConfig({ io, settings }: Context): Promise<Config> {
  if (settings.config !== undefined && !existsSync(resolve(io.cwd, settings.config)))
    throw new UsageError(
      `There is no configuration file ${settings.config}.`,
      'Name another with --config, or make one with: touchstone init',
    );
  const { loadConfig } = await import('../app/index.js');
  return loadConfig(settings.config, io.cwd);
}

/**
 * What a command needs of the configuration, and what it does where nothing is kept yet. `work`: everything, and a store is
 * made. `files`: everything, and where there is no place for a store, one is made aside and removed. `store`: no agents, no
 * models: what is kept can be read although a part of the configuration is broken. `look`: the same, and nothing is left
 * behind: where nothing is kept, the host is an empty one. `judges`: models to judge by, and no agents.
 */
export type Needs = 'work' | 'files' | 'store' | 'look' | 'judges';

/** Opens Touchstone in this process, and closes it whatever happens in between. */
export function withTouchstone<T>(
  context: Context,
  needs: Needs,
  use: (local: Local) => Promise<T>,
): Promise<T> {
  if (needs === 'work') return withLocal(context, use);
  if (needs === 'files') return withFiles(context, use);
  if (needs === 'store') return withStore(context, use);
  return needs === 'judges' ? withJudges(context, use) : lookAtStore(context, use);
}

async function lookAtStore<T>(context: Context, use: (local: Local) => Promise<T>): Promise<T> {
  const config = await readConfig(context);
  if (isKept(context, config)) return withConfig(context, withoutAgents(config), use);
  const { store: _, ...aside } = withoutAgents(config);
  return withScratchData(context, (scratch) => withConfig(scratch, aside, use));
}

/** Touchstone in this process, closed again whatever happens in between. */
export async function withLocal<T>(context: Context, use: (local: Local) => Promise<T>): Promise<T> {
  return withConfig(context, await readConfig(context), use);
}

/**
 * The same for a question about files, which whoever asks need not have run anything for: where there is neither a store
 * nor a place for one, a store is made aside and gone afterwards.
 */
export async function withFiles<T>(context: Context, use: (local: Local) => Promise<T>): Promise<T> {
  const config = await readConfig(context);
  const place = config.store?.startsWith('sqlite:')
    ? storeFile(context, config)
    : resolve(context.io.cwd, context.settings.data);
  const isElsewhere = config.store !== undefined && !config.store.startsWith('sqlite:');
  if (isElsewhere || existsSync(place)) return withConfig(context, config, use);
  const { store: _, ...aside } = config;
  return withScratchData(context, (scratch) => withConfig(scratch, aside, use));
}

/** The same without agents: what is kept can be read although something of the configuration is broken. */
export async function withStore<T>(context: Context, use: (local: Local) => Promise<T>): Promise<T> {
  return withConfig(context, withoutAgents(await readConfig(context)), use);
}

/** Looking leaves nothing behind: where nothing is kept yet, `otherwise` answers and no store is made. */
export async function readStore<T>(
  context: Context,
  use: (local: Local) => Promise<T>,
  otherwise: () => T,
): Promise<T> {
  const config = await readConfig(context);
  return isKept(context, config) ? withConfig(context, withoutAgents(config), use) : otherwise();
}

/** Asked before a command that goes on with what is kept. */
export const hasStore = async (context: Context): Promise<boolean> =>
  isKept(context, await readConfig(context));

/** Whether there is a store. A folder that somebody has named and that holds none is more likely mistyped than new. */
function isKept(context: Context, config: Config): boolean {
  const { data } = context.settings;
  checkData(context, config);
  if (statSync(storeFile(context, config), { throwIfNoEntry: false })) return true;
  if (config.store !== undefined) return !config.store.startsWith('sqlite:');
  if (data === DEFAULT_DATA) return false;
  throw new UsageError(
    `Nothing is kept in ${data}: there is no ${STORE_FILE} in it.`,
    'Name the folder that the runs were kept in with --data, or leave it out.',
  );
}

const STORE_FILE = 'touchstone.db';

/** A mistyped `--data` is most often the name of a file. */
function checkData({ io, settings: { data } }: Context, { store }: Config): void {
  const path = resolve(io.cwd, data);
  if (store !== undefined || !existsSync(path) || statSync(path).isDirectory()) return;
  throw new UsageError(`--data ${data} is not a folder.`, 'Name a folder, or leave it out.');
}

/** Where the store is, or will be. */
export const storeFile = ({ io, settings }: Context, { store, baseDir }: Config): string =>
  store?.startsWith('sqlite:')
    ? resolve(baseDir, store.slice('sqlite:'.length))
    : join(resolve(io.cwd, settings.data), STORE_FILE);

/** The same with models to judge by, and without the agents: judging asks none of them. */
export async function withJudges<T>(context: Context, use: (local: Local) => Promise<T>): Promise<T> {
  const config = await readConfig(context);
  const troubles = config.troubles.filter(({ pointer }) => !/^\/(agents|trust)\//.test(pointer));
  return withConfig(context, { ...config, agents: [], packs: [], trust: {}, troubles }, use);
}

/** A configuration without everything that has to be read or started before the first question. */
const withoutAgents = ({ safety: _, ...config }: Config): Config => ({
  ...config,
  agents: [],
  packs: [],
  tools: [],
  mcpServers: {},
  providers: {},
  modelClasses: {},
  models: {},
  trust: {},
  troubles: [],
});

/** A store that is gone afterwards, for questions about parts of a configuration that must leave nothing behind. */
export async function withScratch<T>(
  context: Context,
  { store: _, ...config }: Config,
  parts: readonly ('tools' | 'mcpServers')[],
  use: (touchstone: LocalTouchstone) => Promise<T>,
): Promise<T> {
  const wanted = Object.fromEntries(parts.map((part) => [part, config[part]]));
  const scratch = { ...withoutAgents(config), ...wanted };
  return withScratchData(context, (aside) => withConfig(aside, scratch, ({ touchstone }) => use(touchstone)));
}

async function withScratchData<T>(
  { io, settings }: Context,
  use: (aside: Context) => Promise<T>,
): Promise<T> {
  const data = await mkdtemp(join(tmpdir(), 'touchstone-'));
  try {
    return await use({ io, settings: { ...settings, data } });
  } finally {
    await rm(data, { recursive: true });
  }
}

async function withConfig<T>(
  context: Context,
  config: Config,
  use: (local: Local) => Promise<T>,
): Promise<T> {
  const { io, settings } = context;
  checkData(context, config);
  const { createTouchstone } = await import('../app/index.js');
  const dataDir = resolve(io.cwd, settings.data);
  const touchstone = await createTouchstone({
    config,
    dataDir,
    origin: 'cli',
    version: packageVersion(),
    log: createLog(io),
    env: io.env as NodeJS.ProcessEnv,
  });
  try {
    return await use({ touchstone, config });
  } finally {
    await touchstone.close();
  }
}

/** The command's own output tells what happened; the log underneath is for whoever looks for a fault. */
function createLog(io: Io): Log {
  const write = (level: string, event: string, facts: object = {}, cause?: unknown): void => {
    if (!io.env.TOUCHSTONE_DEBUG) return;
    const trace = cause instanceof Error ? ` ${cause.stack ?? cause.name}` : '';
    io.stderr.write(`${level} ${event} ${JSON.stringify(facts)}${trace}\n`);
  };
  return {
    info: (event, facts) => write('info', event, facts),
    warn: (event, facts) => write('warn', event, facts),
    error: (event, facts, cause) => write('error', event, facts, cause),
  };
}
