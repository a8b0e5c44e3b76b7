import { readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { defined, HostError, type Issue, validationError } from '@touchstone/protocol';
import { readFileText } from '../../suites/index.js';

/** A config as it was written. */
export type ConfigSource = {
  readonly value: unknown;
  /** The issues with their lines, in the order of the file. It reads the file once more: ask once. */
  locate(issues: readonly Issue[]): readonly Issue[];
};

const EXTENSIONS = ['.json', '.yaml', '.yml', '.ts', '.mts', '.js', '.mjs'] as const;

/** The config file of a folder, if it has one. Two are refused: one of them would be ignored in silence. */
export async function findConfigFile(folder: string): Promise<string | undefined> {
  const candidates = EXTENSIONS.map((extension) => join(folder, `touchstone.config${extension}`));
  const found: string[] = [];
  for (const path of candidates) if (await isFile(path)) found.push(path);
  if (found.length > 1) {
    throw new HostError(
      'validation_error',
      `Found more than one config file (${found.join(', ')}). Keep one, or name it with --config.`,
    );
  }
  return found[0];
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (entry) => entry.isFile(),
    () => false,
  );

export async function readConfigFile(path: string): Promise<ConfigSource> {
  switch (extname(path)) {
    case '.json':
      return readConfigText(path, 'json');
    case '.yaml':
    case '.yml':
      return readConfigText(path, 'yaml');
    case '.ts':
    case '.mts':
    case '.js':
    case '.mjs':
      return readProgram(path);
    default:
      throw new HostError(
        'validation_error',
        `Cannot read ${path} as a config: expected a name ending in ${EXTENSIONS.join(', ')}.`,
      );
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new HostError('validation_error', `Cannot read the config file ${path}.`, undefined, error);
  }
}

async function readConfigText(path: string, format: 'json' | 'yaml'): Promise<ConfigSource> {
  const { value, problem, locate } = readFileText(await readText(path), { format });
  if (problem === 'syntax' || problem === 'unsound') {
    const { message = '', line, column } = locate()[0] ?? {};
    const words = `the file is not valid ${format.toUpperCase()}: ${message}`;
    throw validationError([{ pointer: '', message: words, ...defined({ line, column }) }], { file: path });
  }
  return { value: format === 'yaml' ? (value ?? {}) : value, locate };
}

async function readProgram(path: string): Promise<ConfigSource> {
  const { createJiti } = await import('jiti');
  try {
    const value = await createJiti(import.meta.url).import(path, { default: true });
    // A program has no lines to point to.
    return { value, locate: (issues) => issues };
  } catch (error) {
    const message = `the file threw while it was read: ${firstWords(error)}`;
    throw validationError([{ pointer: '', message, ...thrownAt(error, path) }], { file: path });
  }
}

/** A config that is a program is its operator's own, so what it says of itself may be told. */
function firstWords(error: unknown): string {
  if (!(error instanceof Error)) return 'something that is not an Error';
  const [first = ''] = error.message.split('\n');
  return error.name === 'Error' ? first.trim() : `${error.name}: ${first.trim()}`;
}

/** The line alone: the loader rewrites what it reads, and keeps lines but not columns. */
function thrownAt(error: unknown, path: string): Pick<Issue, 'line'> {
  const trace = error instanceof Error ? (error.stack ?? '') : '';
  const [, after] = trace.split(`${path}:`);
  const line = Number.parseInt(after ?? '', 10);
  return Number.isNaN(line) ? {} : { line };
}
