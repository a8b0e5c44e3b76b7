import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { HostError } from '@touchstone/protocol';
import type { Suite } from '../../ports/index.js';
import { envelopeBeside, jsonOf, parseSuite, suiteDocument, writeCanonical } from '../../suites/index.js';
import { UsageError } from '../io.js';
import { displayPath, readText } from './local-files.js';

// A suite as it travels: the document of its schema, in a file of its own, and an envelope beside it.

/** A suite file, and its envelope when there is one. */
export type SignedSuiteFile = {
  readonly file: string;
  readonly suite: Suite;
  readonly envelope?: string;
};

/** `<name>-<version>.suite.json` */
export const suiteFileName = ({ head }: Suite): string => `${head.suiteId}-${head.version}.suite.json`;

/** The RFC 8785 form: its SHA-256 is the digest of the suite. */
export function canonicalSuite(suite: Suite): string {
  let text = '';
  writeCanonical(suiteDocument(suite) as never, (piece) => {
    text += piece;
  });
  return text;
}

const COMPILE = 'Make a document of it with: touchstone suite sign <file> --key key.pem --key-id <name>';

/** Reads a suite that has come from elsewhere. What only authors write, such as `expect`, is not in it. */
export function parseSignedSuite(bytes: Buffer, shown: string): Suite {
  const value = jsonOf(bytes)?.value;
  if (value === undefined) throw new UsageError(`${shown} is no JSON document of a suite.`, COMPILE);
  try {
    return parseSuite(value);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    throw new HostError(error.code, `${shown}: ${error.message}`, { ...error.details, file: shown }, error);
  }
}

export function openSignedSuite(named: string, cwd: string, envelopeFile?: string): SignedSuiteFile {
  const path = resolve(cwd, named);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new UsageError(`There is no suite file ${named}.`, 'Give a file <name>-<version>.suite.json.');
  const beside = envelopeFile === undefined ? envelopeBeside(path) : resolve(cwd, envelopeFile);
  if (envelopeFile !== undefined && !existsSync(beside))
    throw new UsageError(
      `There is no envelope ${envelopeFile}.`,
      'Name it with --envelope, or leave it out.',
    );
  const suite = parseSignedSuite(readFileSync(path), displayPath(path, cwd));
  return {
    file: path,
    suite,
    ...(existsSync(beside) && { envelope: readText(beside, displayPath(beside, cwd)) }),
  };
}

/** Both files of a suite in a folder. */
export const filesIn = (
  folder: string,
  suite: Suite,
): { readonly suite: string; readonly envelope: string } => {
  const file = join(folder, suiteFileName(suite));
  return { suite: file, envelope: envelopeBeside(file) };
};
