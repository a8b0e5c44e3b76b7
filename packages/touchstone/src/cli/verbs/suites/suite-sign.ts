import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { sealSuite } from '../../../app/index.js';
import { suiteIntegrity } from '../../../packs/index.js';
import type { Suite } from '../../../ports/index.js';
import { checkRegular, displayPath, placeFile } from '../../files/local-files.js';
import { type KeyOptions, readSigning } from '../../files/pack-files.js';
import { canonicalSuite, filesIn, parseSignedSuite } from '../../files/signed-suite.js';
import { openSuiteFile } from '../../files/suite-source.js';
import { type Context, type ExitCode, UsageError, writeLine, writeResult } from '../../io.js';
import { renderPack } from '../../render/pack.js';
import { suiteRows } from './suite-rows.js';

type SignOptions = Required<KeyOptions> & { readonly out?: string; readonly force?: boolean };

/** Writes a suite as it travels, and the envelope beside it. */
export async function signSuiteCommand(
  context: Context,
  named: string,
  options: SignOptions,
): Promise<ExitCode> {
  const { cwd } = context.io;
  const path = resolve(cwd, named);
  if (!existsSync(path)) throw new UsageError(`There is no suite file ${named}.`);
  const signing = readSigning(options, cwd) as NonNullable<ReturnType<typeof readSigning>>;
  const { suite, pinned } = openSuiteFile(path, cwd);
  const files = filesIn(options.out === undefined ? dirname(path) : resolve(cwd, options.out), suite);
  const envelope = sealSuite(suite.head, signing);
  // Both places are looked at before one of them is written to.
  const isWritten = isAlready(files.suite, suite, cwd);
  if (!isWritten) checkPlace(files.suite, options.force, cwd);
  checkRegular(files.envelope, displayPath(files.envelope, cwd), 'Name another folder with --out.');
  if (!isWritten) placeFile(files.suite, canonicalSuite(suite), true);
  placeFile(files.envelope, envelope, true);
  if (pinned)
    writeLine(
      context.io.stderr,
      'note: The contract beside the suite does not travel with it: a run of the suite alone decides no gates of the contract.',
    );
  const shown = { file: displayPath(files.suite, cwd), envelope: displayPath(files.envelope, cwd) };
  const { suiteId, version, digest } = suite.head;
  const document = {
    ...shown,
    suite: `${suiteId}@${version}`,
    digest,
    integrity: suiteIntegrity(suite.head),
    signedBy: signing.keyId,
  };
  writeResult(context, document, ({ ink }) =>
    renderPack(
      `Signed ${suiteId}@${version}`,
      [['file', shown.file], ['envelope', shown.envelope], ...suiteRows(suite), ['signed by', signing.keyId]],
      [],
      ink,
    ),
  );
  return 0;
}

/** The file may be laid out in another way: its digest is that of what it says. */
function isAlready(file: string, { head }: Suite, cwd: string): boolean {
  if (!existsSync(file)) return false;
  try {
    return parseSignedSuite(readFileSync(file), displayPath(file, cwd)).head.digest === head.digest;
  } catch {
    return false;
  }
}

function checkPlace(file: string, force: boolean | undefined, cwd: string): void {
  const shown = displayPath(file, cwd);
  checkRegular(file, shown, 'Name another folder with --out.');
  if (existsSync(file) && !force)
    throw new UsageError(
      `${shown} is there and holds something else.`,
      'Raise the version of the suite, name another folder with --out, or add --force to overwrite it.',
    );
}
