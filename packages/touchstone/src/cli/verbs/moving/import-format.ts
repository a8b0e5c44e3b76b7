import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { formatsOf, IMPORT_FORMATS, readSample, type SourceFile } from '../../../importers/index.js';
import { UsageError } from '../../io.js';
import { didYouMean } from '../../suggest.js';
import { openSource } from './source-files.js';

export type ImportChoice = { readonly format: string; readonly files: readonly SourceFile[] };

const names = (): string => Object.keys(IMPORT_FORMATS).join(', ');

/** The first word is a format, or the shape of the files decides. */
export function formatOf([first = '', ...rest]: readonly string[], cwd: string): ImportChoice {
  const isFormat = Object.hasOwn(IMPORT_FORMATS, first);
  if (isFormat && rest.length > 0) return { format: first, files: rest.map((file) => openSource(file, cwd)) };
  if (!existsSync(resolve(cwd, first))) throw noFile(first, rest.length > 0);
  const files = [first, ...rest].map((file) => openSource(file, cwd));
  const [format, ...others] = formatsOf(files);
  if (format === undefined) {
    for (const file of files) readSample(file);
    throw new UsageError(`${first} has the shape of no known format.`, `Name its format: ${names()}.`);
  }
  if (others.length > 0)
    throw new UsageError(
      `${first} may be ${[format, ...others].join(' or ')}.`,
      `Name its format: touchstone import ${format} ${first}`,
    );
  return { format, files };
}

function noFile(first: string, hasMore: boolean): UsageError {
  if (Object.hasOwn(IMPORT_FORMATS, first))
    return new UsageError(
      `A file of ${first} is missing.`,
      `For instance: touchstone import ${first} tests.jsonl`,
    );
  const hint = hasMore ? didYouMean(first, Object.keys(IMPORT_FORMATS), 'Formats') : `Formats: ${names()}.`;
  return new UsageError(`There is no file ${hasMore ? 'or format ' : ''}${first}.`, hint);
}
