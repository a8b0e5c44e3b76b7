import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findConfigFile } from '../../../app/index.js';
import { placeFile } from '../../files/local-files.js';
import { type Context, type ExitCode, UsageError, writeResult } from '../../io.js';
import { shellWord } from '../../render/shell.js';
import { readAsset } from '../../version.js';

/** The project `touchstone init` writes: small enough to read in a minute, and it passes as it is. */
const PROJECT_FILES = ['touchstone.config.json', 'agent.mjs', 'evals/first.suite.yaml'];
const STARTER_NAME = 'evals/adversarial-starter.suite.yaml';

/** Writes a project, and with `--adversarial` the starter suite: into a new project, or beside what is there. */
export async function initCommand(
  context: Context,
  dir: string,
  { adversarial = false }: { readonly adversarial?: boolean },
): Promise<ExitCode> {
  const { io } = context;
  const folder = resolve(io.cwd, dir);
  const isNew = !adversarial || !(await hasProject(folder));
  const files = {
    ...(isNew && Object.fromEntries(PROJECT_FILES.map((name) => [name, readAsset(`project/${name}`)]))),
    ...(adversarial && { [STARTER_NAME]: readAsset('adversarial/starter.suite.yaml') }),
  };
  const names = Object.keys(files);
  refusePresent(names.filter((name) => existsSync(join(folder, name))));
  for (const [name, text] of Object.entries(files)) placeFile(join(folder, name), text);
  const there = folder === io.cwd ? '' : `cd ${shellWord(dir)} && `;
  const next = [
    ...(isNew ? [`${there}touchstone run evals/first.suite.yaml`] : []),
    ...(adversarial ? [`${there}touchstone run ${STARTER_NAME}${isNew ? '' : ' --agent <agentId>'}`] : []),
  ];
  const document = { folder, files: names, next: next[0], ...(adversarial && { probes: next.at(-1) }) };
  const lines = [
    ...names.map((name) => `wrote ${join(dir, name)}`),
    '',
    'Now run it:',
    ...next.map((command) => `  ${command}`),
    ...(adversarial ? ['', ...PROBE_HINT] : []),
  ];
  writeResult(context, document, () => `${lines.join('\n')}\n`);
  return 0;
}

const PROBE_HINT = [
  'The probes are for an agent that takes { "message": "…" }. Every tool they speak of answers from a fixture.',
  'Put those that resemble its own tools on its toolAllowlist; the head of the file names them.',
];

/** A folder with a configuration, or with any file that a new project would bring. */
async function hasProject(folder: string): Promise<boolean> {
  if ((await findConfigFile(folder)) !== undefined) return true;
  return PROJECT_FILES.some((name) => existsSync(join(folder, name)));
}

function refusePresent(present: readonly string[]): void {
  if (present.length === 0) return;
  throw new UsageError(
    `Nothing was written, because this is already there: ${present.join(', ')}.`,
    'Name another folder, e.g. touchstone init demo',
  );
}
