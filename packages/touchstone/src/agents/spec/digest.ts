import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { asId, canonicalJson, type Digest, type Json, validationError } from '@touchstone/protocol';
import type { RunSpec } from './run-spec.js';
import type { AgentSpec } from './spec.js';

/**
 * What makes two agents the same: their spec and, when they are code of this machine, the bytes of their files. Whose
 * agent it is does not matter, and neither does the folder it lies in.
 */
export async function agentDigest(spec: AgentSpec, baseDir: string): Promise<Digest> {
  const { tenant: _, ...described } = spec;
  const sources = await collectSources(await entryFiles(spec.run, baseDir));
  const files = sources
    .map(({ path, bytes }) => ({ path: relative(baseDir, path).split(sep).join('/'), sha256: sha256(bytes) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const whole: Json = { spec: described, files };
  return asId<Digest>(`sha256:${sha256(canonicalJson(whole))}`);
}

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

async function entryFiles(run: RunSpec, baseDir: string): Promise<readonly string[]> {
  if (!('path' in run) && run.kind !== 'command') return [];
  if (run.kind === 'command') {
    const cwd = resolve(baseDir, run.cwd ?? '.');
    const candidates = [run.command, ...(run.args ?? [])].map((part) => resolve(cwd, part));
    const present = await Promise.all(candidates.map(isFile));
    return candidates.filter((_, index) => present[index]);
  }
  const path = resolve(baseDir, run.path);
  if (await isFile(path)) return [path];
  const message = `Expected a file, but there is none at "${run.path}". Relative paths start at the config file's folder.`;
  throw validationError([{ pointer: '/run/path', message }]);
}

const MAX_FILES = 2_000;
const MAX_BYTES = 64 * 1024 * 1024;

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
    if (files.size >= MAX_FILES || bytesRead > MAX_BYTES) throw tooMuch();
    files.set(path, { path, bytes });
    queue.push(...(await importsOf(path, bytes)));
  }
  return [...files.values()];
}

const tooMuch = () =>
  validationError([
    {
      pointer: '/run',
      message: `An agent may consist of ${MAX_FILES} files and ${MAX_BYTES} bytes at most, because its digest covers them.`,
    },
  ]);

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
