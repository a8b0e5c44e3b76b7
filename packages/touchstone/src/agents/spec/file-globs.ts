import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fitsWildcards } from '@touchstone/protocol';
import { existing } from './imports.js';

/** Never an agent's own: what was installed or is made anew when a program runs. */
const PASSED_OVER = new Set(['.git', '__pycache__', 'node_modules']);

/**
 * The files that a pattern names, from `folder` on: `*` and `?` within a name, `**` for any number of folders. A folder
 * stands for everything in it. `.git`, `node_modules` and `__pycache__` are passed over unless they are named.
 */
export async function expandGlob(pattern: string, folder: string): Promise<readonly string[]> {
  const isAbsolute = pattern.startsWith('/');
  const segments = pattern.split('/').filter((segment) => segment !== '' && segment !== '.');
  return [...new Set(await matching(isAbsolute ? '/' : resolve(folder), segments))];
}

async function matching(place: string, [first, ...rest]: readonly string[]): Promise<readonly string[]> {
  if (first === undefined) return here(place);
  if (first === '**') return anyDepth(place, rest);
  if (!/[*?]/.test(first)) return matching(join(place, first), rest);
  const names = (await entriesOf(place)).map(({ name }) => name).filter((name) => fitsWildcards(first, name));
  return flat(names.map((name) => matching(join(place, name), rest)));
}

async function here(place: string): Promise<readonly string[]> {
  const found = await stat(place).catch(() => undefined);
  if (found?.isFile()) return [place];
  return found?.isDirectory() ? anyDepth(place, []) : [];
}

/** Links to folders are not followed: they may lead in a circle. */
async function anyDepth(place: string, rest: readonly string[]): Promise<readonly string[]> {
  const entries = (await entriesOf(place)).filter(({ name }) => !PASSED_OVER.has(name));
  const folders = entries.filter((entry) => entry.isDirectory());
  const files = entries.filter((entry) => !entry.isDirectory());
  return flat([
    rest.length > 0 ? matching(place, rest) : existing(files.map(({ name }) => join(place, name))),
    ...folders.map(({ name }) => anyDepth(join(place, name), rest)),
  ]);
}

const entriesOf = (place: string) => readdir(place, { withFileTypes: true }).catch(() => []);

const flat = async (found: readonly Promise<readonly string[]>[]): Promise<readonly string[]> =>
  (await Promise.all(found)).flat();
