import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fitsWildcards } from '@touchstone/protocol';
import type { ImportRequest, SourceFile } from '../../../importers/index.js';
import { displayPath } from '../../files/local-files.js';
import { UsageError } from '../../io.js';
import { wordsOf } from '../../system-errors.js';

/** A file that was named on the command line. */
export function openSource(typed: string, cwd: string): SourceFile {
  const path = resolve(cwd, typed);
  try {
    return { file: displayPath(path, cwd), path, bytes: readFileSync(path) };
  } catch (error) {
    throw new UsageError(`${typed} cannot be read: ${wordsOf(error)}.`, 'Name a file of the other tool.');
  }
}

/** Files that a source names, relative to itself. `*` stands for any characters of a name. */
export const openNamed: ImportRequest['open'] = (named, from) => {
  const folder = dirname(from.path);
  const shown = (path: string): string => join(dirname(from.file), path);
  return matching(named, folder).flatMap((name) => {
    const path = resolve(folder, name);
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return [];
    return [{ file: shown(name), path, bytes: readFileSync(path) }];
  });
};

function matching(named: string, folder: string): readonly string[] {
  if (!named.includes('*')) return [named];
  const still = dirname(named.slice(0, named.indexOf('*') + 1));
  if (!statSync(resolve(folder, still), { throwIfNoEntry: false })?.isDirectory()) return [];
  const depth = named.includes('**') ? undefined : join(named).split('/').length;
  return readdirSync(resolve(folder, still), { recursive: true, encoding: 'utf8' })
    .map((name) => join(still, name))
    .filter((name) => depth === undefined || name.split('/').length === depth)
    .filter((name) => fitsWildcards(join(named).replaceAll('**/', '*'), name))
    .sort();
}
