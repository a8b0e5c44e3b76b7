import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { asId, canonicalJson, type Digest, defined, type Json, validationError } from '@touchstone/protocol';
import { type Interpreter, MAX_BYTES, readInterpreter } from './interpreter.js';
import type { CommandRun, RunSpec } from './run-spec.js';
import type { AgentSpec } from './spec.js';

/**
 * What makes two agents the same: their spec and, when they are code of this machine, the bytes of their files. Whose
 * agent it is does not matter, and neither does the folder it lies in.
 */
export async function agentDigest(spec: AgentSpec, baseDir: string): Promise<Digest> {
  const { tenant: _, ...described } = spec;
  const { entries, interpreter } = await entryFiles(spec.run, baseDir);
  const sources = await collectSources(entries);
  const files = sources
    .map(({ path, bytes }) => ({ path: relative(baseDir, path).split(sep).join('/'), sha256: sha256(bytes) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const whole = defined({ spec: described, files, interpreter }) as Json;
  return asId<Digest>(`sha256:${sha256(canonicalJson(whole))}`);
}

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

type Entries = { readonly entries: readonly string[]; readonly interpreter?: Interpreter };

async function entryFiles(run: RunSpec, baseDir: string): Promise<Entries> {
  if (run.kind === 'command') return commandFiles(run, baseDir);
  if (!('path' in run)) return { entries: [] };
  const path = resolve(baseDir, run.path);
  if (await isFile(path)) return { entries: [path] };
  const message = `Expected a file, but there is none at "${run.path}". Relative paths start at the config file's folder.`;
  throw validationError([{ pointer: '/run/path', message }]);
}

/** The program, and the arguments that are files. */
async function commandFiles(
  { command, args = [], cwd = '.' }: CommandRun,
  baseDir: string,
): Promise<Entries> {
  const folder = resolve(baseDir, cwd);
  const program = resolve(folder, command);
  const candidates = [program, ...args.map((part) => resolve(folder, part))];
  const present = await Promise.all(candidates.map(isFile));
  const files = candidates.filter((_, index) => present[index]);
  const interpreter = present[0] ? await readInterpreter(program) : undefined;
  return interpreter
    ? { entries: files.filter((file) => file !== program), interpreter }
    : { entries: files };
}

const MAX_FILES = 2_000;

type SourceFile = { readonly path: string; readonly bytes: Buffer };

/**
 * The files an agent is made of: the entries, and what they import by a relative path that stands in the source as it
 * is. Packages and computed paths are not followed; a lock file speaks for the former.
 */
async function collectSources(entries: readonly string[]): Promise<readonly SourceFile[]> {
  const files = new Map<string, SourceFile>();
  const queue = [...entries];
  let bytesRead = 0;
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (files.has(path)) continue;
    const bytes = await readFile(path);
    bytesRead += bytes.length;
    if (files.size >= MAX_FILES || bytesRead > MAX_BYTES) throw tooMuch(path);
    files.set(path, { path, bytes });
    queue.push(...(await importsOf(path, bytes)));
  }
  return [...files.values()];
}

function tooMuch(path: string) {
  const limit = `${MAX_FILES} files and ${MAX_BYTES} bytes at most, because its digest covers them`;
  const message = `An agent may consist of ${limit}; "${basename(path)}" is beyond that.`;
  return validationError([{ pointer: '/run', message }]);
}

const CODE = /\.[cm]?[jt]sx?$/i;
// Finds too much rather than too little: a path in a comment costs nothing unless such a file exists.
const RELATIVE_IMPORT = /(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*(['"`])(\.\.?\/[^'"`\n]*)\1/g;

async function importsOf(path: string, bytes: Buffer): Promise<readonly string[]> {
  if (!CODE.test(path)) return [];
  const specifiers = new Set(
    [...bytes.toString('utf8').matchAll(RELATIVE_IMPORT)].map((match) => match[2] ?? ''),
  );
  const found = await Promise.all(
    [...specifiers].map((specifier) => resolveImport(join(dirname(path), specifier))),
  );
  return found.filter((file) => file !== undefined);
}

const EXTENSIONS = ['', '.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs', '.jsx', '.json'];

/** As loaders do: the path itself, a TypeScript file that goes by its JavaScript name, an extension added, an index. */
async function resolveImport(path: string): Promise<string | undefined> {
  const asTypeScript = path.replace(/\.([cm]?)js(x?)$/i, '.$1ts$2');
  const indexes = EXTENSIONS.slice(1).map((extension) => join(path, `index${extension}`));
  for (const candidate of [...EXTENSIONS.map((extension) => path + extension), asTypeScript, ...indexes]) {
    if (await isFile(candidate)) return candidate;
  }
  return undefined;
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
