import { existsSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { findConfigFile } from '../../../app/index.js';
import { placeFile, readText } from '../../files/local-files.js';
import { type Context, type ExitCode, UsageError, writeResult } from '../../io.js';
import { shellWord } from '../../render/shell.js';
import { programToType } from '../../session.js';
import { readAsset } from '../../version.js';

/** The project `touchstone init` writes: small enough to read in a minute, and it passes as it is. */
const PROJECT_FILES = ['touchstone.config.json', 'agent.mjs', 'evals/first.suite.yaml'];
const WORKFLOW_NAME = '.github/workflows/evals.yml';
const STARTER_NAME = 'evals/adversarial-starter.suite.yaml';

type InitOptions = { readonly adversarial?: boolean; readonly ci?: 'github' };

/** Writes a project; with `--adversarial` the starter suite and with `--ci` a workflow, also beside what is there. */
export async function initCommand(
  context: Context,
  dir: string,
  { adversarial = false, ci }: InitOptions,
): Promise<ExitCode> {
  const { io } = context;
  const folder = resolve(io.cwd, dir);
  const isAddition = adversarial || ci !== undefined;
  const isNew = !isAddition || !(await hasProject(folder));
  const files = {
    ...(isNew && Object.fromEntries(PROJECT_FILES.map((name) => [name, projectFile(name, folder)]))),
    ...(ci === 'github' && { [WORKFLOW_NAME]: readAsset('ci/github.yml') }),
    ...(adversarial && { [STARTER_NAME]: readAsset('adversarial/starter.suite.yaml') }),
  };
  const names = Object.keys(files);
  refusePresent(names.filter((name) => existsSync(join(folder, name))));
  for (const [name, text] of Object.entries(files)) placeFile(join(folder, name), text);
  const ignored = ignoreIn(folder);
  const there = `${folder === io.cwd ? '' : `cd ${shellWord(dir)} && `}${programToType(io)}`;
  const next = [
    ...(isNew ? [`${there} run evals/first.suite.yaml`] : []),
    ...(adversarial ? [`${there} run ${STARTER_NAME}${isNew ? '' : ' --agent <agentId>'}`] : []),
  ];
  const document = {
    folder,
    files: names,
    ...(ignored.length > 0 && { ignored }),
    next: next[0],
    ...(adversarial && { probes: next.at(-1) }),
  };
  const lines = [
    ...names.map((name) => `wrote ${join(dir, name)}`),
    ...(ignored.length > 0 ? [`added ${ignored.join(' and ')} to ${join(dir, '.gitignore')}`] : []),
    '',
    ...(next.length > 0 ? ['Now run it:'] : []),
    ...next.map((command) => `  ${command}`),
    ...(adversarial ? ['', ...PROBE_HINT] : []),
  ];
  writeResult(context, document, () => `${lines.join('\n')}\n`);
  return 0;
}

const SCHEMAS = 'node_modules/touchstone/schemas';

/** The package with the schemas may be installed above the project; where it is nowhere, it is expected in the project. */
function projectFile(name: string, folder: string): string {
  const text = readAsset(`project/${name}`);
  const ups = folder.split(sep).map((_, steps) => '../'.repeat(steps));
  const up = ups.find((steps) => existsSync(join(folder, steps, SCHEMAS))) ?? '';
  return up === '' ? text : text.replace(/(?:\.\/)?((?:\.\.\/)*)(?=node_modules)/, `${up}$1`);
}

/** Runs hold answers, and .env holds keys: neither belongs in a repository. */
const IGNORED = ['.touchstone/', '.env'];

/** Adds what is missing to the project's .gitignore, and tells what that was. */
function ignoreIn(folder: string): readonly string[] {
  const file = join(folder, '.gitignore');
  const text = existsSync(file) ? readText(file, '.gitignore') : '';
  const present = new Set(
    text.split(/\r?\n/).map((line) => line.trim().replace(/^\//, '').replace(/\/$/, '')),
  );
  const missing = IGNORED.filter((name) => !present.has(name.replace(/\/$/, '')));
  if (missing.length === 0) return [];
  const before = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  placeFile(file, `${before}${missing.join('\n')}\n`, true);
  return missing;
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
