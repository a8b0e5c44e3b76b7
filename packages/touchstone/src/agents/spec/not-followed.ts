import { basename, dirname, relative, resolve } from 'node:path';
import { type Digest, defined } from '@touchstone/protocol';
import { digestOf } from './digest.js';
import { existing, languageOf } from './imports.js';
import { isProgram } from './run-spec.js';
import { readSourceFiles, type SourceFile, type SourceFiles } from './source-files.js';
import type { AgentSpec } from './spec.js';

/** What an agent may be made of besides the files that its digest covers. */
export type NotFollowed = {
  /** Its program, when what that uses cannot be found by reading it. */
  readonly program?: string;
  /** Files beside it whose names stand in its sources. */
  readonly files: readonly string[];
};

/** The digest of an agent, and what it does not cover. An operator who lists `files`, even none, has answered that. */
export async function inspectAgent(
  spec: AgentSpec,
  baseDir: string,
  written = spec,
): Promise<{ readonly digest: Digest; readonly notFollowed?: NotFollowed }> {
  const sources = await readSourceFiles(spec, baseDir);
  const digest = digestOf(written, baseDir, sources);
  if (!isProgram(spec.run) || spec.files) return { digest };
  const program = isFollowed(sources) ? undefined : programName(spec, sources);
  const files = await namedFiles(spec, baseDir, sources);
  return program === undefined && files.length === 0
    ? { digest }
    : { digest, notFollowed: { ...defined({ program }), files } };
}

function isFollowed({ program, files }: SourceFiles): boolean {
  const source = files.find(({ path }) => path === program);
  return source !== undefined && languageOf(source.path, source.bytes) !== undefined;
}

const programName = ({ run }: AgentSpec, { program }: SourceFiles): string =>
  basename(program ?? (run.kind === 'command' ? run.command : ''));

/** Larger sources are data or bundles, and name too much. */
const MOST_BYTES = 1024 * 1024;
const MOST_NAMES = 500;
const QUOTED_NAME = /(['"`])((?:\.{0,2}\/)?[\w@-][\w@./ -]{0,200}\.[A-Za-z]\w{0,9})\1/g;

/** Names in quotes that lead to a file, from where the source lies or from where the program works. */
async function namedFiles(
  { run }: AgentSpec,
  baseDir: string,
  { files }: SourceFiles,
): Promise<readonly string[]> {
  const folder = resolve(baseDir, (run.kind === 'command' && run.cwd) || '.');
  const covered = new Set(files.map(({ path }) => path));
  const candidates = files.filter(isText).flatMap((file) => namesIn(file, folder));
  const found = await existing([...new Set(candidates)].slice(0, MOST_NAMES));
  return found.filter((path) => !covered.has(path)).map((path) => relative(baseDir, path));
}

const isText = ({ path, bytes }: SourceFile): boolean =>
  bytes.length <= MOST_BYTES && languageOf(path, bytes) !== undefined;

const namesIn = ({ path, bytes }: SourceFile, folder: string): readonly string[] =>
  [...bytes.toString('utf8').matchAll(QUOTED_NAME)].flatMap(([, , name = '']) => [
    resolve(dirname(path), name),
    resolve(folder, name),
  ]);
