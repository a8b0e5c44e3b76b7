import { readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { HostError, type Issue, segmentsOf, validationError } from '@touchstone/protocol';

type ConfigLocation = Pick<Issue, 'line' | 'column'>;

/** A config as it was written. `locate` finds the line of a pointer; formats that are programs have no lines. */
export type ConfigSource = {
  readonly value: unknown;
  locate(pointer: string): Promise<ConfigLocation>;
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
      return readJson(path);
    case '.yaml':
    case '.yml':
      return readYaml(path);
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

async function readJson(path: string): Promise<ConfigSource> {
  const text = await readText(path);
  const locate = async (pointer: string) => (await yamlLocator(text))(pointer);
  try {
    return { value: JSON.parse(text), locate };
  } catch {
    // The parser's own message quotes the file, which may hold keys, so only the place is taken from it.
    throw notValid('JSON', path, await syntaxErrorPlace(text));
  }
}

async function readYaml(path: string): Promise<ConfigSource> {
  const { parseDocument } = await import('yaml');
  const text = await readText(path);
  const document = parseDocument(text, { prettyErrors: false });
  if (document.errors.length > 0) throw notValid('YAML', path, await syntaxErrorPlace(text));
  return { value: document.toJS() ?? {}, locate: async (pointer) => (await yamlLocator(text))(pointer) };
}

const notValid = (format: string, file: string, place: ConfigLocation): HostError =>
  validationError([{ pointer: '', message: `the file is not valid ${format}`, ...place }], { file });

async function readProgram(path: string): Promise<ConfigSource> {
  const { createJiti } = await import('jiti');
  try {
    const value = await createJiti(import.meta.url).import(path, { default: true });
    return { value, locate: async () => ({}) };
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
function thrownAt(error: unknown, path: string): ConfigLocation {
  const trace = error instanceof Error ? (error.stack ?? '') : '';
  const [, after] = trace.split(`${path}:`);
  const line = Number.parseInt(after ?? '', 10);
  return Number.isNaN(line) ? {} : { line };
}

/** JSON is YAML for this purpose: one reader tells where a member of either stands. */
async function yamlLocator(text: string): Promise<(pointer: string) => ConfigLocation> {
  const { isMap, LineCounter, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const nodeAt = (path: readonly string[]): unknown => {
    const parent = document.getIn(path.slice(0, -1), true);
    const pair = isMap(parent) ? parent.items.find((item) => String(item.key) === path.at(-1)) : undefined;
    return pair?.key ?? document.getIn(path, true);
  };
  return (pointer) => {
    const path = [...segmentsOf(pointer)];
    // What is missing is looked for where it belongs: in its nearest ancestor that is there.
    while (path.length > 0 && nodeAt(path) === undefined) path.pop();
    const node = (nodeAt(path) ?? document.contents) as { readonly range?: readonly number[] } | null;
    const { line, col } = lines.linePos(node?.range?.[0] ?? 0);
    return { line, column: col };
  };
}

async function syntaxErrorPlace(text: string): Promise<ConfigLocation> {
  const { LineCounter, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  const [first] = parseDocument(text, { lineCounter: lines, prettyErrors: false }).errors;
  if (!first) return {};
  const { line, col } = lines.linePos(first.pos[0]);
  return { line, column: col };
}
