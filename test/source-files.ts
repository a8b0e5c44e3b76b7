import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const PACKAGES = [
  'packages/protocol/src',
  'packages/sdk/src',
  'packages/touchstone/src',
  'packages/web/src',
] as const;

/** The source files below a folder of the repository: no tests, no fixtures, no helpers of tests. */
export function sourcesBelow(folder: string): string[] {
  return readdirSync(join(root, folder)).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(join(root, path)).isDirectory())
      return ['testing', 'fixtures'].includes(name) ? [] : sourcesBelow(path);
    return /\.(ts|tsx|js)$/.test(name) && !/\.test\.ts$/.test(name) ? [path] : [];
  });
}

export const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

/** What a file imports, type-only imports included. */
export const specifiersOf = (file: string): string[] =>
  [
    ...textOf(file).matchAll(
      /(?:(?<![-'])\bfrom\s*|(?<!')\bimport\s*\(?\s*|(?<!\.)\brequire\s*\(\s*)'([^']+)'/g,
    ),
  ].map((match) => match[1] as string);

/** The source file that a relative specifier means. */
export function targetOf(file: string, specifier: string): string {
  const path = relative(root, resolve(root, dirname(file), specifier));
  const sources = ['.ts', '.tsx'].map((end) => path.replace(/\.js$/, end));
  return sources.find((source) => existsSync(join(root, source))) ?? path;
}
