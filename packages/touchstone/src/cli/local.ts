import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Owner, Principal } from '@touchstone/protocol';
import type { Config, LocalTouchstone } from '../app/index.js';
import type { Log } from '../ports/index.js';
import { type Context, DEFAULT_DATA, type Io, UsageError, writeLine } from './io.js';
import { packageVersion } from './version.js';

/** Runs of the command line belong to this owner, whatever the store. */
export const LOCAL_OWNER: Owner = { tenant: 'local', workspace: 'main' };

/** The person at the machine owns it, and so has every role that the configuration knows. */
const principalHere = ({ roles }: Config): Principal => ({
  id: 'cli',
  owner: LOCAL_OWNER,
  roles: [...new Set(['admin', ...Object.keys(roles)])],
  scopes: new Set(['*', 'host:usage', 'metrics:read']),
});

/** Touchstone in this process. */
export type Local = {
  readonly touchstone: LocalTouchstone;
  readonly config: Config;
  /** The person at the machine. */
  readonly principal: Principal;
};

export async function readConfig({ io, settings }: Context): Promise<Config> {
  if (settings.config !== undefined && !existsSync(resolve(io.cwd, settings.config)))
    throw new UsageError(
      `There is no configuration file ${settings.config}.`,
      'Name another with --config, or make one with: touchstone init',
    );
  const { loadConfig } = await import('../app/index.js');
  return loadConfig(settings.config, io.cwd, io.env);
}

/**
 * What a command needs of the configuration, and what it does where nothing is kept yet. `work`: everything, and a store is
 * made. `files`: everything, and where there is no place for a store, one is made aside and removed. `store`: no agents, no
 * models: what is kept can be read although a part of the configuration is broken. `asIs`: the same, and a database is neither
 * prepared nor brought to this release. `look`: as `store`, and nothing is left behind: where nothing is kept, the host is an
 * empty one. `judges`: models to judge by, and no agents. `aside`: everything, and the store is an empty one that is removed.
 */
export type Needs = 'work' | 'files' | 'store' | 'asIs' | 'look' | 'judges' | 'aside';

type Need = {
  readonly part?: (config: Config) => Config;
  /** Whether the store is made aside, and removed afterwards. */
  readonly isAside?: (context: Context, config: Config) => boolean;
  /** False for a command that must not change the tables of others. */
  readonly prepares?: boolean;
};
const NEEDS: { readonly [needs in Needs]: Need } = {
  work: {},
  files: { isAside: hasNoPlace },
  store: { part: withoutAgents },
  asIs: { part: withoutAgents, prepares: false },
  look: { part: withoutAgents, isAside: (context, config) => !isKept(context, config) },
  judges: { part: judgesOnly },
  aside: { isAside: () => true },
};

/** Opens Touchstone in this process, and closes it whatever happens in between. */
export async function withTouchstone<T>(
  context: Context,
  needs: Needs,
  use: (local: Local) => Promise<T>,
): Promise<T> {
  const config = await readConfig(context);
  const { part = (whole) => whole, isAside, prepares } = NEEDS[needs];
  if (isAside?.(context, config)) return withAside(context, part(config), use);
  return withConfig(context, part(config), use, prepares);
}

/** Neither a store nor a folder for one. */
function hasNoPlace(context: Context, config: Config): boolean {
  if (config.store === undefined) return !existsSync(resolve(context.io.cwd, context.settings.data));
  const file = storeFile(context, config);
  return file !== undefined && !existsSync(file);
}

/** Asked before a command that goes on with what is kept. */
export const hasStore = async (context: Context): Promise<boolean> =>
  isKept(context, await readConfig(context));

/** Whether there is a store. A folder that the caller has named and that holds none is more likely mistyped than new. */
function isKept(context: Context, config: Config): boolean {
  const { data } = context.settings;
  checkData(context, config);
  const file = storeFile(context, config);
  // A database is asked; one in which nothing is kept yet answers so.
  if (file === undefined || statSync(file, { throwIfNoEntry: false })) return true;
  if (config.store !== undefined) return false;
  if (data === DEFAULT_DATA) return false;
  throw new UsageError(
    `Nothing is kept in ${data}: there is no ${STORE_FILE} in it.`,
    'Name the folder that the runs were kept in with --data, or leave it out.',
  );
}

export const STORE_FILE = 'touchstone.db';

/** A mistyped `--data` is most often the name of a file. */
function checkData({ io, settings: { data } }: Context, { store }: Config): void {
  const path = resolve(io.cwd, data);
  if (store !== undefined || !existsSync(path) || statSync(path).isDirectory()) return;
  throw new UsageError(`--data ${data} is not a folder.`, 'Name a folder, or leave it out.');
}

/** The file of the store, there or to be made; undefined for one that is in a database. */
export function storeFile({ io, settings }: Context, { store, baseDir }: Config): string | undefined {
  if (store === undefined) return join(resolve(io.cwd, settings.data), STORE_FILE);
  return store.startsWith('sqlite:') ? resolve(baseDir, store.slice('sqlite:'.length)) : undefined;
}

/** Judging asks no agent. */
function judgesOnly(config: Config): Config {
  const troubles = config.troubles.filter(({ pointer }) => !/^\/(agents|trust)\//.test(pointer));
  return { ...config, agents: [], packs: [], trust: {}, troubles };
}

/** A configuration without everything that has to be read or started before the first question. */
function withoutAgents({ safety: _, ...config }: Config): Config {
  return {
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
  };
}

/** For questions about parts of a configuration that must leave nothing behind. */
export function withScratch<T>(
  context: Context,
  config: Config,
  parts: readonly ('tools' | 'mcpServers' | 'scorers')[],
  use: (local: Local) => Promise<T>,
): Promise<T> {
  const wanted = Object.fromEntries(parts.map((part) => [part, config[part]]));
  return withAside(context, { ...withoutAgents(config), ...wanted }, use);
}

/** With a store in a folder that is gone afterwards. */
async function withAside<T>(
  { io, settings }: Context,
  { store: _, ...config }: Config,
  use: (local: Local) => Promise<T>,
): Promise<T> {
  const data = await mkdtemp(join(tmpdir(), 'touchstone-'));
  try {
    return await withConfig({ io, settings: { ...settings, data } }, config, use);
  } finally {
    await rm(data, { recursive: true });
  }
}

function withConfig<T>(
  context: Context,
  config: Config,
  use: (local: Local) => Promise<T>,
  prepares = true,
): Promise<T> {
  const { io, settings } = context;
  checkData(context, config);
  const { data, modulesApart } = settings;
  return withHost(io, config, resolve(io.cwd, data), use, { modulesApart, prepares });
}

type HostOptions = { readonly modulesApart?: boolean | undefined; readonly prepares?: boolean };

/** Without a folder for a store, and without one in the configuration, everything is kept in memory. */
export async function withHost<T>(
  io: Io,
  config: Config,
  dataDir: string | undefined,
  use: (local: Local) => Promise<T>,
  { modulesApart = false, prepares = true }: HostOptions = {},
): Promise<T> {
  const { createTouchstone } = await import('../app/index.js');
  const touchstone = await createTouchstone({
    config,
    ...(dataDir !== undefined && { dataDir }),
    origin: 'cli',
    role: { works: true, prepares },
    modulesApart,
    version: packageVersion(),
    log: createLog(io),
    env: io.env as NodeJS.ProcessEnv,
    tell: (sentence) => writeLine(io.stderr, sentence),
  });
  try {
    return await use({ touchstone, config, principal: principalHere(config) });
  } finally {
    await touchstone.close();
  }
}

/** The command's own output tells what happened; the log is for finding a fault. */
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
