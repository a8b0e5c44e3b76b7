import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { plural } from '@touchstone/sdk/view';
import { type Context, UsageError, writeLine } from '../io.js';

/** What `--env-file` and `--no-env-file` say: the files, none at all, or nothing. */
export type EnvFiles = readonly string[] | false | undefined;

/**
 * Adds the variables of files to the environment of this process, as `node --env-file` does: agents that are programs or
 * modules find them where they look. What is set already stays; of two files the later one counts. `tells` how many there were.
 */
export function readEnvFiles(context: Context, named: EnvFiles, tells = true): void {
  const { io } = context;
  const files = named === false ? [] : (named ?? ownFile(context));
  if (files.length === 0) return;
  const variables = Object.assign({}, ...files.map((file) => readVariables(context, file))) as Variables;
  const env = io.env as { [name: string]: string | undefined };
  for (const [name, value] of Object.entries(variables)) env[name] ??= value;
  if (tells)
    writeLine(
      io.stderr,
      `${plural(Object.keys(variables).length, 'variable')} read from ${files.join(', ')}`,
    );
}

type Variables = { readonly [name: string]: string };

/** The one beside the configuration, or where a configuration would be. */
function ownFile({ io, settings }: Context): readonly string[] {
  const folder = settings.config === undefined ? '.' : dirname(settings.config);
  const file = join(folder, '.env');
  return existsSync(resolve(io.cwd, file)) ? [file] : [];
}

function readVariables({ io }: Context, file: string): Variables {
  try {
    return parseEnv(readFileSync(resolve(io.cwd, file), 'utf8')) as Variables;
  } catch {
    throw new UsageError(
      `The file ${file} with variables cannot be read.`,
      'Name another with --env-file, or leave such files out with --no-env-file.',
    );
  }
}
