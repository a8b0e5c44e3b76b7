import { HostError, type Issue, isUnsound } from '@touchstone/protocol';
import type { Fault } from '../../suites/index.js';
import { keysIfSound, readJson, utf8, withPositions } from '../../suites/index.js';
import { MANIFEST_PATH, type PackFiles } from '../archive/file-table.js';
import { invalidManifest } from './invalid-manifest.js';

export type ManifestSource = {
  readonly value: unknown;
  /** The same issues, each with its place in the file. */
  placed(issues: readonly Issue[]): readonly Issue[];
};

/** Reads the text of `pack.json`; what it says is for others to judge. */
export function readManifestSource(files: PackFiles): ManifestSource {
  const text = textOf(files);
  const source = readJson(text);
  const placed = (issues: readonly Issue[], faults: readonly Fault[] = []) =>
    withPositions(text, source, faults, issues);
  if (source.faults.length > 0) throw notJson(placed([], source.faults));
  const { value } = source;
  if (isUnsound(value))
    throw invalidManifest([
      { pointer: '', message: 'nests too deep, or has a number too large to be written' },
    ]);
  // Which of two equal members counts depends on the reader, so a signature over both would vouch for either.
  const repeated = source.repeatedKeys(keysIfSound(value) ?? 0);
  if (repeated.length > 0) throw invalidManifest(placed([], repeated));
  return { value, placed };
}

function textOf(files: PackFiles): string {
  const bytes = files.get(MANIFEST_PATH);
  if (!bytes)
    throw new HostError(
      'tarball_manifest_missing',
      'Expected pack.json at the root of the pack, but there is none. A folder around everything is not looked into.',
    );
  const text = utf8(bytes);
  if (text === undefined)
    throw new HostError(
      'tarball_manifest_not_json',
      'Expected pack.json to be JSON in UTF-8, but it is not UTF-8.',
    );
  return text;
}

function notJson(issues: readonly Issue[]): HostError {
  const [{ line, column, message } = { message: '' }] = issues;
  return new HostError(
    'tarball_manifest_not_json',
    `Expected ${MANIFEST_PATH} to be JSON, but in line ${line}, column ${column} it is not: ${message}`,
    { file: MANIFEST_PATH, issues },
  );
}
