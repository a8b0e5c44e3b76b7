import { existsSync, statSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { findConfigFile } from '../../app/index.js';
import type { Context } from '../io.js';

/**
 * The command with the configuration of the project that its suite belongs to, where the caller named none and the
 * working folder has none: `touchstone run demo/evals` works beside a project as it does inside.
 */
export async function inProject(context: Context, suite: string | undefined): Promise<Context> {
  const { io, settings } = context;
  if (settings.config !== undefined || suite === undefined) return context;
  if ((await findConfigFile(io.cwd)) !== undefined) return context;
  const config = await configAbove(resolve(io.cwd, suite), io.cwd);
  return config === undefined ? context : { io, settings: { ...settings, config } };
}

/** The nearest configuration file on the way from a path down to the working folder, relative to that. */
async function configAbove(path: string, cwd: string): Promise<string | undefined> {
  if (!path.startsWith(cwd + sep) || !existsSync(path)) return undefined;
  let folder = statSync(path).isDirectory() ? path : dirname(path);
  for (; folder !== cwd; folder = dirname(folder)) {
    const found = await findConfigFile(folder);
    if (found !== undefined) return relative(cwd, found);
  }
  return undefined;
}
