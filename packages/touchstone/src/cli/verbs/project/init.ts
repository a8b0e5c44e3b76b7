import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type ExitCode, UsageError } from '../../exit.js';
import { readStarterSuite, STARTER_NAME } from '../../files/starter-suite.js';
import { placeFile } from '../../files/write-file.js';
import { type Context, writeJson, writeLine } from '../../io.js';
import { PROJECT_FILES } from './init-files.js';

export type InitOptions = { readonly adversarial?: boolean };

/** Writes a project, and with `--adversarial` the starter suite: into a new project, or beside what is there. */
export async function initCommand(
  { io, settings }: Context,
  dir: string,
  { adversarial = false }: InitOptions,
): Promise<ExitCode> {
  const folder = resolve(io.cwd, dir);
  const isNew = !adversarial || !(await hasProject(folder));
  const files = {
    ...(isNew && PROJECT_FILES),
    ...(adversarial && { [STARTER_NAME]: readStarterSuite() }),
  };
  const names = Object.keys(files);
  refusePresent(names.filter((name) => existsSync(join(folder, name))));
  for (const [name, text] of Object.entries(files)) placeFile(join(folder, name), text);
  const there = folder === io.cwd ? '' : `cd ${quoted(dir)} && `;
  const next = [
    ...(isNew ? [`${there}touchstone run evals/first.suite.yaml`] : []),
    ...(adversarial ? [`${there}touchstone run ${STARTER_NAME}${isNew ? '' : ' --agent <agentId>'}`] : []),
  ];
  if (settings.json)
    writeJson(io, { folder, files: names, next: next[0], ...(adversarial && { probes: next.at(-1) }) });
  else
    writeLine(
      io.stdout,
      [
        ...names.map((name) => `wrote ${join(dir, name)}`),
        '',
        'Now run it:',
        ...next.map((command) => `  ${command}`),
        ...(adversarial ? ['', ...PROBE_HINT] : []),
      ].join('\n'),
    );
  return 0;
}

const PROBE_HINT = [
  'The probes are for an agent that takes { "message": "…" }. Every tool they speak of answers from a fixture.',
  'Put those that resemble its own tools on its toolAllowlist; the head of the file names them.',
];

/** A folder with a configuration, or with any file that a new project would bring. */
async function hasProject(folder: string): Promise<boolean> {
  const { findConfigFile } = await import('../../../app/index.js');
  if ((await findConfigFile(folder)) !== undefined) return true;
  return Object.keys(PROJECT_FILES).some((name) => existsSync(join(folder, name)));
}

function refusePresent(present: readonly string[]): void {
  if (present.length === 0) return;
  throw new UsageError(
    `Nothing was written, because this is already there: ${present.join(', ')}.`,
    'Name another folder, e.g. touchstone init demo',
  );
}

const quoted = (path: string): string =>
  /^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
