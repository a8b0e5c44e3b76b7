import { child, type Issue, isObject, validationError } from '@touchstone/protocol';
import { readJson, withPositions } from '../../suites/index.js';
import { inspect } from './formats/jsonl.js';

export type LockEntry = { readonly sha256: string; readonly bytes: number };
/** What datasets were when they were last seen, by URI without its pin. */
export type DatasetLock = ReadonlyMap<string, LockEntry>;

/** Beside the definition, under its name. */
export const lockFile = (definitionFile: string): string => `${definitionFile}.lock.json`;

const SHA256 = /^[0-9a-f]{64}$/;

export function readLock(text: string): DatasetLock {
  const source = readJson(text);
  const wrong = inspect(source);
  const issues = wrong.faults.length > 0 ? [] : [...wrong.issues, ...lockIssues(source.value)];
  if (wrong.faults.length > 0 || issues.length > 0)
    throw validationError(withPositions(text, source, wrong.faults, issues), { code: 'invalid_lock' });
  const { datasets } = source.value as { readonly datasets: { readonly [uri: string]: LockEntry } };
  return new Map(Object.entries(datasets).map(([uri, { sha256, bytes }]) => [uri, { sha256, bytes }]));
}

/** The same entries give the same text, in whatever order they were made. */
export function writeLock(entries: DatasetLock): string {
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  const datasets = Object.fromEntries(sorted.map(([uri, { sha256, bytes }]) => [uri, { sha256, bytes }]));
  return `${JSON.stringify({ lockVersion: 1, datasets }, null, 2)}\n`;
}

function lockIssues(value: unknown): readonly Issue[] {
  if (!isObject(value) || value.lockVersion !== 1 || !isObject(value.datasets))
    return [{ pointer: '', message: 'Expected a lock file: "lockVersion" 1 and "datasets", an object.' }];
  return Object.entries(value.datasets).flatMap(([uri, entry]) => {
    const isEntry =
      isObject(entry) &&
      typeof entry.sha256 === 'string' &&
      SHA256.test(entry.sha256) &&
      Number.isSafeInteger(entry.bytes) &&
      (entry.bytes as number) >= 0;
    const message = 'Expected "sha256", 64 hex digits in lower case, and "bytes", a whole number.';
    return isEntry ? [] : [{ pointer: child('/datasets', uri), message }];
  });
}
