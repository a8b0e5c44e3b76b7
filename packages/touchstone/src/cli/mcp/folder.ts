import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import type { Config } from '../../app/index.js';
import { highestVersion, readSuiteFile } from '../../suites/index.js';
import { displayPath, readText } from '../files/local-files.js';
import {
  openSuiteFile,
  SUITE_NAMES,
  SUITE_REFERENCE,
  type SuiteFile,
  suiteFiles,
} from '../files/suite-source.js';
import { type Context, UsageError } from '../io.js';
import { didYouMean } from '../suggest.js';

/** Where a call may read, each place as it is written and as links lead to it. */
type Folders = readonly string[];

const placesAt = (...paths: readonly string[]): Folders =>
  paths.flatMap((path) => (existsSync(path) ? [path, realpathSync(path)] : [path]));

/** The folder, and the folders that its configuration takes suites from. */
const placesOf = ({ io: { cwd } }: Context, { suites, baseDir }: Config): Folders =>
  placesAt(cwd, ...suites.map((folder) => resolve(baseDir, folder)));

/** A symbolic link counts for where it leads. Of what is elsewhere, not even whether it is there is found out. */
const isInside = (places: Folders, path: string): boolean =>
  isWithin(places, path) && (!existsSync(path) || isWithin(places, realpathSync(path)));

const isWithin = (places: Folders, path: string): boolean =>
  places.some((place) => {
    const way = relative(place, path);
    return way === '' || !(isAbsolute(way) || way === '..' || way.startsWith(`..${sep}`));
  });

/** The suite files of the configured folders; without any, those of the folder. */
export function filesOf(context: Context, config: Config): readonly string[] {
  const { suites, baseDir } = config;
  const named = suites.length > 0 ? suites : [context.io.cwd];
  const places = placesOf(context, config);
  const files = named.flatMap((folder) => suiteFiles(folder, baseDir) ?? []);
  return [...new Set(files)].filter((file) => isInside(places, file));
}

/** The file of a suite, by its path inside the folder. */
export function fileAt(context: Context, config: Config, name: string): string {
  const { cwd } = context.io;
  const path = resolve(cwd, name);
  const places = placesAt(cwd);
  if (!isInside(places, path)) throw outside(name);
  const files = suiteFiles(path, cwd)?.filter((file) => isInside(places, file));
  if (files === undefined)
    throw new UsageError(`There is no suite ${name} in the folder.`, nearest(context, config, name));
  const [only] = files;
  if (only !== undefined && files.length === 1) return only;
  if (files.length === 0) throw new UsageError(`There is no suite file in ${name}.`, SUITE_NAMES);
  const shown = files.slice(0, 10).map((file) => displayPath(file, cwd));
  throw new UsageError(`There are ${files.length} suites in ${name}.`, `Name one: ${shown.join(', ')}`);
}

const outside = (name: string): UsageError =>
  new UsageError(
    `${name} is outside the folder that this server works in.`,
    'Name a suite by its id, or by its path inside the folder. The tool list_suites lists them.',
  );

const nearest = (context: Context, config: Config, name: string): string => {
  const known = filesOf(context, config).map((file) => displayPath(file, context.io.cwd));
  return didYouMean(name, known, 'Suites') ?? 'The tool list_suites lists what there is.';
};

/** The suite files by the ids in them. One that cannot be read has none. */
export const knownFiles = (
  context: Context,
  config: Config,
): readonly { readonly file: string; readonly head: SuiteFile['suite']['head'] }[] =>
  filesOf(context, config).flatMap((file) => {
    try {
      return [{ file, head: openInside(context, config, file).suite.head }];
    } catch {
      return [];
    }
  });

/** The file of a suite by its id; without a version the highest one. */
export function fileOfId(context: Context, config: Config, reference: string): string | undefined {
  const [suiteId, version] = reference.split('@');
  const same = knownFiles(context, config).filter(
    ({ head }) => head.suiteId === suiteId && (version ?? head.version) === head.version,
  );
  const newest = highestVersion(same.map(({ head }) => head.version));
  return same.find(({ head }) => head.version === newest)?.file;
}

export const isSuiteId = (name: string): boolean => SUITE_REFERENCE.test(name);

/** Reads a suite file. Rows that it names have to be inside as well: they would be shown as inputs of its tasks. */
export function openInside(context: Context, config: Config, file: string): SuiteFile {
  checkRows(context, config, file);
  return openSuiteFile(file, context.io.cwd);
}

export function checkRows(context: Context, config: Config, file: string): void {
  const shown = displayPath(file, context.io.cwd);
  const places = placesOf(context, config);
  let isStray = false;
  const readRows = (name: string): [] => {
    isStray ||= !isInside(places, resolve(dirname(file), name));
    return [];
  };
  try {
    readSuiteFile(readText(file, shown), { readRows });
  } catch {
    // Whoever opens the suite says what is wrong with it.
  }
  if (isStray)
    throw new UsageError(`${shown} takes its rows from outside the folder.`, 'Put the rows into the folder.');
}
