import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { defined, isHostError, validationError } from '@touchstone/protocol';
import type { PinnedContract } from '@touchstone/protocol/bodies';
import type { Suite } from '../../ports/index.js';
import type { CompileOptions, DatasetLock, DefinitionAgent } from '../../profiles/index.js';
import { type Context, UsageError, writeLine } from '../io.js';
import { wordsOf } from '../system-errors.js';
import { displayPath, placeFile, readText } from './local-files.js';

/** The contract of a suite file: the one that is named, or the one beside it. A suite without one is a plain suite. */
export async function openContractFile(
  suiteFile: string,
  suite: Suite,
  cwd: string,
  named?: string,
): Promise<PinnedContract | undefined> {
  const { openContract } = await import('../../app/index.js');
  const { contractBeside } = await import('../../suites/index.js');
  const path = named === undefined ? contractBeside(suiteFile) : resolve(cwd, named);
  if (named === undefined && !existsSync(path)) return undefined;
  const file = displayPath(path, cwd);
  return openContract(readText(path, file), file, suite);
}

/** A contract belongs to one suite file; anywhere else the option is a usage error. */
export function checkNoContract(argument: string, contract: string | undefined): void {
  if (contract === undefined) return;
  throw new UsageError(
    `--contract is the contract of one suite file, and ${argument} is none.`,
    'Name the suite file that was compiled with it, or leave --contract out.',
  );
}

/** What datasets of a definition were when they were last fetched; undefined when there is no lock file. */
export async function readDatasetLock(definition: string, cwd: string): Promise<DatasetLock | undefined> {
  const { lockFile, readLock } = await import('../../profiles/index.js');
  const path = lockFile(definition);
  if (!existsSync(path)) return undefined;
  const file = displayPath(path, cwd);
  try {
    return readLock(readText(path, file));
  } catch (error) {
    if (!isHostError(error) || !error.details?.issues) throw error;
    const { issues, ...details } = error.details;
    throw validationError(issues as Parameters<typeof validationError>[0], { ...details, file });
  }
}

type Locked = { readonly uri: string; readonly sha256: string; readonly bytes: number };

/** Writes down what was fetched, so that the next reading is checked. A folder that cannot be written to stops nothing. */
export async function lockDataset(context: Context, definition: string, locked: Locked): Promise<void> {
  const { io } = context;
  const { lockFile, writeLock } = await import('../../profiles/index.js');
  const { uri, sha256, bytes } = locked;
  const path = lockFile(definition);
  const file = displayPath(path, io.cwd);
  const before = (await readDatasetLock(definition, io.cwd)) ?? new Map();
  try {
    placeFile(path, writeLock(new Map([...before, [uri, { sha256, bytes }]])), true);
    writeLine(io.stderr, `note: Wrote ${file}. From now on the dataset must have the hash it has today.`);
  } catch (error) {
    writeLine(io.stderr, `note: ${file} cannot be written (${wordsOf(error)}), so nothing pins the dataset.`);
  }
}

/** What a definition is compiled with, as the parser hands it over. */
export type ContractOptions = {
  readonly sla?: 'gate' | 'warn';
  readonly implicitReference?: 'strict' | 'advisory' | 'off';
  readonly split?: boolean;
  readonly sample?: number;
  readonly seed?: string;
  readonly percentThresholds?: boolean;
  readonly budgetCaps?: boolean;
  readonly fencedJson?: boolean;
  readonly approximateSimilarity?: boolean;
  readonly scope?: string;
  readonly org?: string;
  /** The last part of the suite id. */
  readonly suiteName?: string;
  /** Use a remote dataset of a published agent although nothing pins it. */
  readonly allowUnpinned?: boolean;
  /** Of a definition with several agents, only this one. */
  readonly onlyAgent?: string;
};

/** The same under the names that the compiler knows. Without a seed, an agent always gets the same sample. */
export function compileOptionsOf(
  options: ContractOptions,
  agent: DefinitionAgent,
  targetAgentId?: string,
): CompileOptions {
  checkSeed(options);
  return {
    ...(options.sla && { sla: options.sla }),
    ...(options.implicitReference && { implicitReference: options.implicitReference }),
    ...(options.split && { split: true }),
    ...(options.sample !== undefined && {
      sample: { count: options.sample, seed: options.seed ?? agent.id },
    }),
    ...(options.percentThresholds && { percentThresholds: true }),
    ...(options.budgetCaps && { budget: true }),
    ...(options.fencedJson && { fenceTolerant: true }),
    ...(options.approximateSimilarity && { approximateSimilarity: true }),
    ...defined({ scope: options.scope, org: options.org, name: options.suiteName, targetAgentId }),
  };
}

function checkSeed({ sample, seed }: ContractOptions): void {
  if (seed === undefined || sample !== undefined) return;
  throw new UsageError(
    '--seed chooses the rows of a sample, and there is no --sample.',
    'Say how many rows to take, e.g. --sample 500, or leave --seed out.',
  );
}
