import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Digest } from '@touchstone/protocol';
import {
  type Config,
  LOCK_FILE,
  readSuiteLock,
  type SuitePin,
  withPin,
  writeSuiteLock,
} from '../../app/index.js';
import { envelopeBeside } from '../../suites/index.js';
import type { Context } from '../io.js';
import { placeFile, readText } from './local-files.js';
import type { FetchedSuite } from './registry-fetch.js';
import { canonicalSuite, parseSignedSuite } from './signed-suite.js';

/** The pins of a project, in the folder of its configuration. */
export function readPins({ baseDir }: Pick<Config, 'baseDir'>): readonly SuitePin[] {
  const file = join(baseDir, LOCK_FILE);
  return existsSync(file) ? readSuiteLock(Buffer.from(readText(file, LOCK_FILE)), LOCK_FILE) : [];
}

export function keepPin(config: Pick<Config, 'baseDir'>, pin: SuitePin): void {
  placeFile(join(config.baseDir, LOCK_FILE), writeSuiteLock(withPin(readPins(config), pin)), true);
}

// What was fetched is kept by its digest, so that a pinned suite needs no registry.

const keptFile = ({ io, settings }: Context, digest: Digest): string =>
  join(resolve(io.cwd, settings.data), 'registry-suites', `${digest.slice('sha256:'.length)}.suite.json`);

/** A file that was changed since is passed over: it is fetched again. */
export function keptSuite(context: Context, digest: Digest): FetchedSuite | undefined {
  const file = keptFile(context, digest);
  if (!existsSync(file)) return undefined;
  try {
    const suite = parseSignedSuite(readFileSync(file), file);
    if (suite.head.digest !== digest) return undefined;
    const beside = envelopeBeside(file);
    return { suite, ...(existsSync(beside) && { envelope: readFileSync(beside, 'utf8') }) };
  } catch {
    return undefined;
  }
}

export function keepSuite(context: Context, { suite, envelope }: FetchedSuite): void {
  const file = keptFile(context, suite.head.digest);
  if (envelope !== undefined) placeFile(envelopeBeside(file), envelope, true);
  placeFile(file, canonicalSuite(suite), true);
}
