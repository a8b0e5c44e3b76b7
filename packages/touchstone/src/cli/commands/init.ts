import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ExitCode } from '../exit.js';
import { type Context, writeJson, writeLine } from '../io.js';
import { UsageError } from '../usage-error.js';
import { PROJECT_FILES } from './init-files.js';

export async function initCommand({ io, settings }: Context, dir: string): Promise<ExitCode> {
  const folder = resolve(io.cwd, dir);
  const names = Object.keys(PROJECT_FILES);
  const present = names.filter((name) => existsSync(join(folder, name)));
  if (present.length > 0) {
    throw new UsageError(
      `Nothing was written, because this is already there: ${present.join(', ')}.`,
      'Name another folder, e.g. touchstone init demo',
    );
  }
  for (const [name, text] of Object.entries(PROJECT_FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text, { flag: 'wx' });
  }
  const there = folder === io.cwd ? '' : `cd ${quoted(dir)} && `;
  const next = `${there}touchstone run evals/first.suite.yaml`;
  if (settings.json) writeJson(io, { folder, files: names, next });
  else
    writeLine(
      io.stdout,
      [...names.map((name) => `wrote ${join(dir, name)}`), '', 'Now run it:', `  ${next}`].join('\n'),
    );
  return 0;
}

const quoted = (path: string): string =>
  /^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
