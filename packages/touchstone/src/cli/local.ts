import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Owner, Principal } from '@touchstone/contract';
import type { Log } from '@touchstone/contract/ports';
import type { Config, LocalTouchstone } from '../host/in-process.js';
import type { Context, Io } from './io.js';

/** Runs of the command line belong to this owner, whatever the store. */
export const LOCAL_OWNER: Owner = { tenant: 'local', workspace: 'main' };
export const LOCAL_PRINCIPAL: Principal = {
  id: 'cli',
  owner: LOCAL_OWNER,
  roles: ['admin'],
  scopes: new Set(['*']),
};

export type Local = { readonly touchstone: LocalTouchstone; readonly config: Config };

export async function readConfig({ io, settings }: Context): Promise<Config> {
  const { loadConfig } = await import('../host/in-process.js');
  return loadConfig(settings.config, io.cwd);
}

/** Touchstone in this process, closed again whatever happens in between. */
export async function withLocal<T>(context: Context, use: (local: Local) => Promise<T>): Promise<T> {
  return withConfig(context, await readConfig(context), use);
}

/** The same without agents: what is kept can be read although something of the configuration is broken. */
export async function withStore<T>(context: Context, use: (local: Local) => Promise<T>): Promise<T> {
  return withConfig(context, withoutAgents(await readConfig(context)), use);
}

/** The same with models to judge by, and without the agents: judging asks none of them. */
export async function withJudges<T>(context: Context, use: (local: Local) => Promise<T>): Promise<T> {
  const config = await readConfig(context);
  return withConfig(context, { ...config, agents: [], packs: [], trust: {} }, use);
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
});

/** A store that is gone afterwards, for questions about parts of a configuration that must leave nothing behind. */
export async function withScratch<T>(
  { io, settings }: Context,
  { store: _, ...config }: Config,
  parts: readonly ('tools' | 'mcpServers')[],
  use: (touchstone: LocalTouchstone) => Promise<T>,
): Promise<T> {
  const data = await mkdtemp(join(tmpdir(), 'touchstone-'));
  try {
    const context = { io, settings: { ...settings, data } };
    const wanted = Object.fromEntries(parts.map((part) => [part, config[part]]));
    const scratch = { ...withoutAgents(config), ...wanted };
    return await withConfig(context, scratch, ({ touchstone }) => use(touchstone));
  } finally {
    await rm(data, { recursive: true });
  }
}

async function withConfig<T>(
  { io, settings }: Context,
  config: Config,
  use: (local: Local) => Promise<T>,
): Promise<T> {
  const { createTouchstone } = await import('../host/in-process.js');
  const dataDir = resolve(io.cwd, settings.data);
  const touchstone = await createTouchstone({
    config,
    dataDir,
    origin: 'cli',
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
