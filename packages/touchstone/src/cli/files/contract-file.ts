import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { PinnedContract } from '@touchstone/protocol/bodies';
import type { Suite } from '../../ports/index.js';
import { UsageError } from '../exit.js';
import { displayPath, readText } from './read-file.js';

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
