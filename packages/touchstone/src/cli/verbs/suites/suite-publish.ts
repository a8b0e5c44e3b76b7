import { existsSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { isHostError } from '@touchstone/protocol';
import {
  EMPTY_INDEX,
  INDEX_FILE,
  type PublishedSuite,
  publishedOf,
  type RegistryIndex,
  readIndex,
  withPublished,
  writeIndex,
} from '../../../app/index.js';
import { verifySuite } from '../../../packs/index.js';
import { displayPath, placeFile, readText } from '../../files/local-files.js';
import { canonicalSuite, filesIn, openSignedSuite, type SignedSuiteFile } from '../../files/signed-suite.js';
import { type Context, type ExitCode, UsageError, writeLine, writeResult } from '../../io.js';

/** Adds suites to the folder of a registry. Everything is checked before anything is written, and the list comes last. */
export async function publishSuiteCommand(context: Context, paths: readonly string[]): Promise<ExitCode> {
  const { cwd } = context.io;
  const folder = resolve(cwd, paths.at(-1) ?? '');
  const named = paths.slice(0, -1);
  if (named.length === 0 || statSync(folder, { throwIfNoEntry: false })?.isFile())
    throw new UsageError(
      'Expected suite files, and last the folder of the registry.',
      'For example: touchstone suite publish dist/*.suite.json registry/',
    );
  const opened = named.map((file) => openSignedSuite(file, cwd));
  for (const one of opened) checkEnvelope(context, one, cwd);
  const published = opened.map((one) => entryOf(one, folder));
  const before = readFolder(folder, cwd);
  const after = published.reduce<RegistryIndex>(withPublished, before);
  for (const one of opened) placeSuite(one, folder);
  const isNew = writeIndex(after) !== writeIndex(before) || !existsSync(join(folder, INDEX_FILE));
  if (isNew) placeFile(join(folder, INDEX_FILE), writeIndex(after), true);
  const shown = published.map((one) => ({
    suite: `${one.suiteId}@${one.version}`,
    digest: one.digest,
    signed: one.envelope !== undefined,
    outcome: isListed(before, one) ? 'same' : 'created',
  }));
  const file = displayPath(join(folder, INDEX_FILE), cwd);
  writeResult(context, { index: file, published: shown }, () =>
    shown
      .map(
        ({ suite, digest, outcome }) =>
          `  ${outcome === 'same' ? 'was published before' : 'published'}  ${suite}  ${digest}\n`,
      )
      .join(''),
  );
  return 0;
}

const isListed = (index: RegistryIndex, { suiteId, version }: PublishedSuite): boolean =>
  publishedOf(index, suiteId)?.some((one) => one.version === version) ?? false;

/** Nobody could use an envelope that does not fit. Who may sign is for those to decide who fetch it. */
function checkEnvelope({ io }: Context, { suite, envelope, file }: SignedSuiteFile, cwd: string): void {
  const shown = displayPath(file, cwd);
  if (envelope === undefined) {
    writeLine(io.stderr, `note: ${shown} has no envelope, so whoever wants signed suites refuses it.`);
    return;
  }
  try {
    verifySuite(suite.head, envelope, { policy: 'open', keys: new Map(), packs: [] });
  } catch (error) {
    if (!isHostError(error)) throw error;
    throw new UsageError(`${shown} cannot be published. ${error.message}`);
  }
}

function entryOf({ suite, envelope }: SignedSuiteFile, folder: string): PublishedSuite {
  const { suiteId, version, digest } = suite.head;
  const files = filesIn(folder, suite);
  return {
    suiteId,
    version,
    digest,
    suite: basename(files.suite),
    ...(envelope !== undefined && { envelope: basename(files.envelope) }),
  };
}

function readFolder(folder: string, cwd: string): RegistryIndex {
  const file = join(folder, INDEX_FILE);
  return existsSync(file)
    ? readIndex(Buffer.from(readText(file, displayPath(file, cwd))), displayPath(file, cwd))
    : EMPTY_INDEX;
}

function placeSuite({ suite, envelope }: SignedSuiteFile, folder: string): void {
  const files = filesIn(folder, suite);
  placeFile(files.suite, canonicalSuite(suite), true);
  if (envelope !== undefined) placeFile(files.envelope, envelope, true);
}
