import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { validationError } from '@touchstone/protocol';

const MAX_FILES = 2_000;
const MAX_BYTES = 64 * 1024 * 1024;

export type SourceFile = { readonly path: string; readonly bytes: Buffer };

/**
 * The files an agent is made of: the entries, and what they import by a relative path that stands in the source as it
 * is. Packages and computed paths are not followed; a lock file speaks for the former.
 */
export async function collectSources(entries: readonly string[]): Promise<readonly SourceFile[]> {
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

export async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
