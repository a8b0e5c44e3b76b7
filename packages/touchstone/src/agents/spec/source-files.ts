import { readFile, stat } from 'node:fs/promises';
import { basename, delimiter, dirname, resolve } from 'node:path';
import { defined, validationError } from '@touchstone/protocol';
import { expandGlob } from './file-globs.js';
import { existing, importsOf, isFile } from './imports.js';
import { type Interpreter, MAX_BYTES, readInterpreter } from './interpreter.js';
import { pythonModule } from './python-imports.js';
import type { CommandRun, OpenaiRun } from './run-spec.js';
import type { AgentSpec } from './spec.js';

/** A file that an agent is made of. */
export type SourceFile = { readonly path: string; readonly bytes: Buffer };

/** As much of a spec as says where files are. */
export type ProgramSpec = Pick<AgentSpec, 'run' | 'files'>;

/** Where the files of an agent begin. */
type Entries = {
  /** The program, the arguments that are files, and what the operator has listed. */
  readonly paths: readonly string[];
  /** The file that is run; absent when it is found elsewhere, as a program on the PATH is. */
  readonly program?: string;
  readonly interpreter?: Interpreter;
  /** Where Python looks for modules. */
  readonly roots: readonly string[];
};

/** The files an agent is made of, as they were read. */
export type SourceFiles = Pick<Entries, 'program' | 'interpreter'> & {
  readonly files: readonly SourceFile[];
  /** What the file system said of each before it was read. */
  readonly stamps: ReadonlyMap<string, string>;
};

/**
 * The program of an agent, what it imports by a name that stands in the source as it is, and the files that its entry
 * lists. Packages and computed paths are not followed; a lock file speaks for the former.
 */
export async function readSourceFiles(spec: ProgramSpec, baseDir: string): Promise<SourceFiles> {
  const { paths, program, interpreter, roots } = await entriesOf(spec, baseDir);
  const files = new Map<string, SourceFile>();
  const stamps = new Map<string, string>();
  const queue = [...paths, ...(await listedFiles(spec, baseDir))];
  let bytesRead = 0;
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (files.has(path)) continue;
    // Before it is read: a change in between is then seen as one that comes later.
    stamps.set(path, await stampOf(path));
    const bytes = await readFile(path);
    bytesRead += bytes.length;
    if (files.size >= MAX_FILES || bytesRead > MAX_BYTES) throw tooMuch(path);
    files.set(path, { path, bytes });
    queue.push(...(await importsOf(path, bytes, roots)));
  }
  if (interpreter) stamps.set(interpreter.path, await stampOf(interpreter.path));
  return { files: [...files.values()], stamps, ...defined({ program, interpreter }) };
}

/** Differs after every write, also one that leaves content and time of modification as they were. */
export async function stampOf(path: string): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

const MAX_FILES = 2_000;

function tooMuch(path: string) {
  const limit = `${MAX_FILES} files and ${MAX_BYTES} bytes at most, because its digest covers them`;
  const message = `An agent may consist of ${limit}; "${basename(path)}" is beyond that.`;
  return validationError([{ pointer: '/run', message }]);
}

async function listedFiles({ files = [] }: ProgramSpec, baseDir: string): Promise<readonly string[]> {
  const found = await Promise.all(files.map((pattern) => expandGlob(pattern, baseDir)));
  const empty = found.findIndex((paths) => paths.length === 0);
  if (empty === -1) return found.flat();
  const message = `Expected a pattern that names a file, but there is none at "${files[empty]}". Patterns start at the config file's folder.`;
  throw validationError([{ pointer: `/files/${empty}`, message }]);
}

async function entriesOf({ run }: ProgramSpec, baseDir: string): Promise<Entries> {
  if (run.kind === 'command') return commandEntries(run, baseDir);
  if (run.kind === 'openai') return promptEntries(run, baseDir);
  if (!('path' in run)) return { paths: [], roots: [] };
  const path = resolve(baseDir, run.path);
  const roots = run.kind === 'python' ? [dirname(path), ...searchPath(run.env?.PYTHONPATH, baseDir)] : [];
  if (await isFile(path)) return { paths: [path], program: path, roots };
  throw noFile('/run/path', run.path);
}

async function promptEntries({ promptFile }: OpenaiRun, baseDir: string): Promise<Entries> {
  if (promptFile === undefined) return { paths: [], roots: [] };
  const path = resolve(baseDir, promptFile);
  if (await isFile(path)) return { paths: [path], roots: [] };
  throw noFile('/run/promptFile', promptFile);
}

function noFile(pointer: string, path: string) {
  const message = `Expected a file, but there is none at "${path}". Relative paths start at the config file's folder.`;
  return validationError([{ pointer, message }]);
}

/** The program, and the arguments that are files, also those behind an equals sign. */
async function commandEntries(run: CommandRun, baseDir: string): Promise<Entries> {
  const { command, args = [], cwd = '.', env = {} } = run;
  const folder = resolve(baseDir, cwd);
  const [first] = await existing([resolve(folder, command)]);
  const interpreter = first === undefined ? undefined : await readInterpreter(first);
  const scripts = await existing(args.map((part) => resolve(folder, part.replace(/^-[^=]*=/, ''))));
  const roots = [folder, ...scripts.map(dirname), ...searchPath(env.PYTHONPATH, folder)];
  const modules = await existing(moduleNames(run).flatMap((name) => pythonModule(name, roots)));
  const own = first && !interpreter ? [first] : [];
  const program = [...scripts, ...modules, ...own][0];
  return { paths: [...own, ...scripts, ...modules], roots, ...defined({ program, interpreter }) };
}

const searchPath = (path = '', folder: string): readonly string[] =>
  path
    .split(delimiter)
    .filter((part) => part !== '')
    .map((part) => resolve(folder, part));

const PYTHON = /(?:^|[\\/])(?:python|pypy)[\d.]*(?:\.exe)?$/;

/** What `python -m` runs. */
function moduleNames({ command, args = [] }: CommandRun): readonly string[] {
  const at = [command, ...args].findIndex((part) => PYTHON.test(part));
  const flag = at === -1 ? -1 : args.indexOf('-m', at);
  const name = flag === -1 ? undefined : args[flag + 1];
  return name === undefined ? [] : [name];
}
