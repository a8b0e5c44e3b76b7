import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Digest, defined } from '@touchstone/protocol';
import type { PinnedContract } from '@touchstone/protocol/bodies';
import { type LocalTouchstone, openContract } from '../../app/index.js';
import type { Suite } from '../../ports/index.js';
import { rowsBeside } from '../../profiles/index.js';
import {
  contractBeside,
  envelopeBeside,
  findSuiteFiles,
  highestVersion,
  readLongSuite,
  readSuiteFile,
  type SuiteReading,
} from '../../suites/index.js';
import { type Context, UsageError, writeLine } from '../io.js';
import { displayPath, readText } from './local-files.js';
import { readMeta } from './suite-meta.js';

/**
 * What the suite argument stands for: files on disk, read and checked, the name of an installed suite, what a pack
 * brings, suite and agent both installed already, or the contract of an agent definition.
 */
export type SuiteSource =
  | {
      readonly kind: 'file';
      readonly file: string;
      readonly suite: Suite;
      /** Tags and descriptions of tasks, which the wire has no place for. */
      readonly notes: SuiteReading['notes'];
      /** The line of each task in its author's file, by its id. */
      readonly lines: SuiteReading['lines'];
      /** The place in the author's text of a place in the suite. */
      readonly sourceOf: SuiteReading['sourceOf'];
      /** The contract that the suite was compiled with. */
      readonly pinned?: PinnedContract;
      /** The envelope beside the file: who has signed the suite. */
      readonly envelope?: string;
    }
  | {
      readonly kind: 'reference';
      readonly reference: string;
      /** Of a suite that came from a registry and is installed: what the project has pinned. */
      readonly digest?: Digest;
    }
  | {
      readonly kind: 'packed';
      readonly suiteRef: string;
      /** `agentId@version`. */
      readonly agent: string;
      /** Where the pack's files are, when they are at hand. */
      readonly path?: string;
    }
  | {
      readonly kind: 'profile';
      /** The definition, and which of its agents. */
      readonly file: string;
      readonly of: string;
      readonly compiled: CompiledProfile;
      /** `agentId@version` of the agent as it is defined; absent when another one takes its part. */
      readonly agent?: string;
    };

export type CompiledProfile = Awaited<ReturnType<LocalTouchstone['profiles']['compile']>>;

export const SUITE_REFERENCE = /^[a-z0-9.-]+\.evals\.[a-z0-9-]+(@\d+\.\d+\.\d+)?$/;

/** The files of a suite argument: itself, or every suite file of a folder; none when nothing is there. */
export function suiteFiles(path: string, cwd: string): readonly string[] | undefined {
  const full = resolve(cwd, path);
  const entry = statSync(full, { throwIfNoEntry: false });
  if (!entry) return undefined;
  if (!entry.isDirectory()) return [full];
  return findSuiteFiles(full).filter((file) => !BESIDE_SUITES.test(file));
}

/** What lies beside suites and definitions without being either: compiled contracts, and locks of datasets. */
const BESIDE_SUITES = /\.(?:contract|lock)\.json$/i;

export const SUITE_NAMES =
  'A suite file ends in .suite.json, .suite.yaml or .evals.yaml, or lies in a folder called evals.';

/** All of a folder is read before any of it runs, so a typo in the last file costs nothing. */
export function openSuites(argument: string, cwd: string, contract?: string): readonly SuiteSource[] {
  const files = suiteFiles(argument, cwd);
  if (!files || isFolder(argument, cwd)) checkNoContract(argument, contract);
  if (files?.length === 0) throw new UsageError(`There is no suite file in ${argument}.`, SUITE_NAMES);
  if (files) return files.map((file) => openSuiteFile(file, cwd, contract));
  if (SUITE_REFERENCE.test(argument)) return [{ kind: 'reference', reference: argument }];
  throw new UsageError(
    `There is no file, folder or suite called ${argument}.`,
    'A suite id looks like acme.shop.evals.refunds@1.0.0, the name of a pack like vendor.acme.support@1.0.0.',
  );
}

/** A contract belongs to one suite file; anywhere else the option is a usage error. */
export function checkNoContract(argument: string, contract: string | undefined): void {
  if (contract === undefined) return;
  throw new UsageError(
    `--contract is the contract of one suite file, and ${argument} is none.`,
    'Name the suite file that was compiled with it, or leave --contract out.',
  );
}

export type SuiteFile = Extract<SuiteSource, { kind: 'file' }>;

export function openSuiteFile(path: string, cwd: string, contract?: string): SuiteFile {
  const file = displayPath(path, cwd);
  const readRows = rowsBeside(resolve(cwd, path));
  const readWhole = () => readSuiteFile(readText(path, file), { file, readRows });
  const authored = readLongSuite(path, file, readWhole) ?? readWhole();
  const { suite } = authored;
  const meta = readMeta(resolve(cwd, path), suite.head.digest);
  const pinned = openContractFile(path, suite, cwd, contract);
  const envelope = envelopeOf(path);
  const told = meta ? { notes: meta.notes, lines: () => meta.lines } : {};
  return { kind: 'file', file, ...authored, ...told, ...defined({ pinned, envelope }) };
}

/** Undefined when none lies beside the suite. */
export function envelopeOf(suiteFile: string): string | undefined {
  const path = envelopeBeside(suiteFile);
  return existsSync(path) ? readText(path, path) : undefined;
}

/** The contract of a suite file: the one that is named, or the one beside it. A suite without one is a plain suite. */
function openContractFile(
  suiteFile: string,
  suite: Suite,
  cwd: string,
  named: string | undefined,
): PinnedContract | undefined {
  const path = named === undefined ? contractBeside(suiteFile) : resolve(cwd, named);
  if (named === undefined && !existsSync(path)) return undefined;
  const file = displayPath(path, cwd);
  return openContract(readText(path, file), file, suite);
}

/** The file of a suite id in the configured folders; a bare id means its highest version there. */
export function findInFolders(
  reference: string,
  config: { readonly suites: readonly string[]; readonly baseDir: string },
): SuiteFile | undefined {
  const [suiteId, version] = reference.split('@');
  const found = config.suites
    .flatMap((folder) => suiteFiles(folder, config.baseDir) ?? [])
    .map((file) => openSuiteFile(file, config.baseDir))
    .filter(({ suite: { head } }) => head.suiteId === suiteId && (version ?? head.version) === head.version);
  const newest = highestVersion(found.map(({ suite }) => suite.head.version));
  return found.find(({ suite }) => suite.head.version === newest);
}

export const isFolder = (path: string, cwd: string): boolean =>
  statSync(resolve(cwd, path), { throwIfNoEntry: false })?.isDirectory() ?? false;

/** Another host takes suites alone: the note says that its gates are not decided. */
export function tellContractsStay({ io }: Context, sources: readonly SuiteSource[]): void {
  for (const source of sources)
    if (source.kind === 'file' && source.pinned)
      writeLine(
        io.stderr,
        `note: ${source.file} runs there without its contract: gates are not decided. Run the definition instead: touchstone run <definition> --host <url>`,
      );
}
