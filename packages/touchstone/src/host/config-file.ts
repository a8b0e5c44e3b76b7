import { readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { HostError, type Issue, validationError } from '@touchstone/contract';

/** A config as it was written. `locate` finds the line of a pointer; formats that are programs have no lines. */
export type ConfigSource = {
  readonly value: unknown;
  locate(pointer: string): Promise<Pick<Issue, 'line' | 'column'>>;
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
    throw validationError([
      { pointer: '', message: `${path} is not valid JSON`, ...(await syntaxErrorPlace(text)) },
    ]);
  }
}

async function readYaml(path: string): Promise<ConfigSource> {
  const { parseDocument } = await import('yaml');
  const text = await readText(path);
  const document = parseDocument(text, { prettyErrors: false });
  if (document.errors.length > 0) {
    throw validationError([
      { pointer: '', message: `${path} is not valid YAML`, ...(await syntaxErrorPlace(text)) },
    ]);
  }
  return { value: document.toJS() ?? {}, locate: async (pointer) => (await yamlLocator(text))(pointer) };
}

async function readProgram(path: string): Promise<ConfigSource> {
  const { createJiti } = await import('jiti');
  try {
    const value = await createJiti(import.meta.url).import(path, { default: true });
    return { value, locate: async () => ({}) };
  } catch (error) {
    throw new HostError(
      'validation_error',
      `Cannot load the config file ${path}: it threw while it was read.`,
      undefined,
      error,
    );
  }
}

/** JSON is YAML for this purpose: one reader tells where a member of either stands. */
async function yamlLocator(text: string): Promise<(pointer: string) => Pick<Issue, 'line' | 'column'>> {
  const { isMap, LineCounter, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  return (pointer) => {
    const path = pointer
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    const parent = document.getIn(path.slice(0, -1), true);
    const pair = isMap(parent) ? parent.items.find((item) => String(item.key) === path.at(-1)) : undefined;
    const node = (pair?.key ?? document.getIn(path, true) ?? document.contents) as {
      readonly range?: readonly number[];
    } | null;
    const { line, col } = lines.linePos(node?.range?.[0] ?? 0);
    return { line, column: col };
  };
}

async function syntaxErrorPlace(text: string): Promise<Pick<Issue, 'line' | 'column'>> {
  const { LineCounter, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  const [first] = parseDocument(text, { lineCounter: lines, prettyErrors: false }).errors;
  if (!first) return {};
  const { line, col } = lines.linePos(first.pos[0]);
  return { line, column: col };
}
