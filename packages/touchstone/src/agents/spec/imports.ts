import { stat } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { pythonImports } from './python-imports.js';

/** Languages whose imports are followed. */
export type Language = 'javascript' | 'python';

const BY_EXTENSION: readonly (readonly [RegExp, Language])[] = [
  [/^\.[cm]?[jt]sx?$/i, 'javascript'],
  [/^\.pyw?$/i, 'python'],
];
const BY_SHEBANG: readonly (readonly [RegExp, Language])[] = [
  [/^#!.*\b(?:node|tsx|deno|bun)\b/, 'javascript'],
  [/^#!.*\bpython/, 'python'],
];
const LONGEST_SHEBANG = 256;

/** By its name, or by the line that says who reads it; undefined for a file that is only read. */
export function languageOf(path: string, bytes: Buffer): Language | undefined {
  const extension = extname(path);
  const head = extension === '' ? bytes.subarray(0, LONGEST_SHEBANG).toString('latin1') : '';
  const found =
    BY_EXTENSION.find(([pattern]) => pattern.test(extension)) ??
    BY_SHEBANG.find(([pattern]) => pattern.test(head));
  return found?.[1];
}

/** The files beside it that a file imports. `roots` are where Python looks for modules. */
export async function importsOf(
  path: string,
  bytes: Buffer,
  roots: readonly string[],
): Promise<readonly string[]> {
  const language = languageOf(path, bytes);
  if (language === undefined) return [];
  const text = bytes.toString('utf8');
  if (language === 'javascript') return javascriptImports(path, text);
  return existing(pythonImports(path, text, [...roots, dirname(path)]));
}

// Finds too much rather than too little: a path in a comment costs nothing unless such a file exists.
const RELATIVE_IMPORT = /(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*(['"`])(\.\.?\/[^'"`\n]*)\1/g;

async function javascriptImports(path: string, text: string): Promise<readonly string[]> {
  const specifiers = new Set([...text.matchAll(RELATIVE_IMPORT)].map((match) => match[2] ?? ''));
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

/** Those of the paths that lead to a file. */
export async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const unique = [...new Set(paths)];
  const present = await Promise.all(unique.map(isFile));
  return unique.filter((_, index) => present[index]);
}

export async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
