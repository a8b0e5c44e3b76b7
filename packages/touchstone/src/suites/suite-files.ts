import { type Dirent, readdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { validationError } from '@touchstone/protocol';

export type SuiteFormat = 'json' | 'yaml';

/** What compiling and importing write beside a suite, and the pins of a dataset. */
const BESIDE = /(?:\.(?:config|contract|judge|lock|meta)|(?:^|[\\/])import-report)\.json$|\.judge\.ya?ml$/i;
const MARKED = /\.(?:eval|evals|suite)\.(?:json|yaml|yml)$/i;

const SUITE_ENDING = /(?:\.(?:eval|evals|suite))?\.(?:json|ya?ml)$/i;

/** Where compiling a definition puts the contract of a suite file. */
export const contractBeside = (suiteFile: string): string =>
  `${suiteFile.replace(SUITE_ENDING, '')}.contract.json`;

/** The format a path's extension promises; undefined for any other extension. */
export function suiteFileFormat(path: string): SuiteFormat | undefined {
  if (/\.json$/i.test(path)) return 'json';
  return /\.ya?ml$/i.test(path) ? 'yaml' : undefined;
}

/**
 * The suite files under a folder, in the same order everywhere. A file is one if it ends in `.json`, `.yaml` or `.yml`
 * and either its name says so (`refunds.eval.yaml`, `refunds.evals.json`, `refunds.suite.json`) or it lies in a folder
 * called `evals`, at any depth. `node_modules` and folders that begin with a dot are not entered, and neither are
 * linked folders: a link is the one way a tree can contain itself. The content of a file is never looked at. In the place
 * of a folder may stand one file, whatever its name.
 */
export function findSuiteFiles(folder: string): string[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isFile()) return [folder];
  const found = filesIn(folder, basename(resolve(folder)) === 'evals');
  return found.sort((a, b) => (a < b ? -1 : 1));
}

function filesIn(folder: string, inEvals: boolean): string[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return isSkipped(entry.name) ? [] : filesIn(path, inEvals || entry.name === 'evals');
    const named = MARKED.test(entry.name) || (inEvals && suiteFileFormat(entry.name) !== undefined);
    return named && !BESIDE.test(entry.name) && isFile(entry, path) ? [path] : [];
  });
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    throw validationError([
      { pointer: '', message: `Expected a readable file or folder at ${folder} (${reason}).` },
    ]);
  }
}

const isSkipped = (name: string): boolean => name === 'node_modules' || name.startsWith('.');

const isFile = (entry: Dirent, path: string): boolean =>
  entry.isFile() ||
  (entry.isSymbolicLink() && (statSync(path, { throwIfNoEntry: false })?.isFile() ?? false));

/** Where the envelope of a suite file lies, when it has one: under its whole name and one more ending. */
export const envelopeBeside = (suiteFile: string): string => `${suiteFile}.dsse`;
