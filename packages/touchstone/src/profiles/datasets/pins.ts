import { child, type Issue, isObject, validationError } from '@touchstone/protocol';
import { readJsonText } from '../../suites/index.js';
import type { ProfileWarning } from '../types.js';
import { datasetError } from './errors.js';
import type { DatasetScheme, DatasetUri } from './uri.js';

export type PinDecision =
  /** The bytes must have this hash. */
  | { readonly kind: 'check'; readonly sha256: string; readonly by: 'uri' | 'lock' }
  /** Whatever the bytes are is written down in the contract. */
  | { readonly kind: 'record' }
  /** The same, and the lock has to learn it, so that the next reading is checked. */
  | { readonly kind: 'warn'; readonly warning: ProfileWarning }
  | { readonly kind: 'error'; readonly error: Error };

type PinQuestion = {
  readonly uri: DatasetUri;
  readonly lock?: DatasetLock;
  readonly status?: 'draft' | 'published';
  /** The caller allows a published definition to go without a pin. */
  readonly override?: boolean;
};

const REMOTE: ReadonlySet<DatasetScheme> = new Set(['https', 'http', 's3', 'gs']);

/** What is asked of a dataset's bytes, decided before they are read. The pin in the URI counts before the lock. */
export function decidePin({ uri, lock, status, override = false }: PinQuestion): PinDecision {
  if (uri.pin !== undefined) return { kind: 'check', sha256: uri.pin, by: 'uri' };
  const locked = lock?.get(uri.uri);
  if (locked) return { kind: 'check', sha256: locked.sha256, by: 'lock' };
  if (!REMOTE.has(uri.scheme)) return { kind: 'record' };
  if (status === 'published' && !override) return { kind: 'error', error: unpinned(uri.scheme) };
  const message = `The dataset is fetched by ${uri.scheme}: and not pinned, so others can change it unnoticed. Its hash goes into the lock file; add #sha256=<hash> to the URI to pin it for everyone.`;
  return { kind: 'warn', warning: { code: 'dataset_unpinned', message } };
}

const unpinned = (scheme: string): Error =>
  datasetError(
    'dataset_unpinned',
    'A published definition pins a dataset that is fetched from elsewhere: end its URI with #sha256=<64 hex digits>, or keep a lock file beside the definition.',
    { scheme },
  );

/** A mismatch is always fatal, with a pin of the URI and of the lock. */
export function checkPin(expected: string, actual: string): void {
  if (expected.toLowerCase() === actual) return;
  throw datasetError(
    'dataset_mismatch',
    `The dataset is not the one that was pinned: its sha256 is ${actual}, expected ${expected.toLowerCase()}. If the change is meant, change the pin in the URI or the lock file.`,
  );
}

export type LockEntry = { readonly sha256: string; readonly bytes: number };
/** What datasets were when they were last seen, by URI without its pin. */
export type DatasetLock = ReadonlyMap<string, LockEntry>;

/** Beside the definition, under its name. */
export const lockFile = (definitionFile: string): string => `${definitionFile}.lock.json`;

const SHA256 = /^[0-9a-f]{64}$/;

export function readLock(text: string): DatasetLock {
  const { value, problem, locate } = readJsonText(text);
  const issues = problem ? [] : lockIssues(value);
  if (problem || issues.length > 0) throw validationError(locate(issues), { code: 'invalid_lock' });
  const { datasets } = value as { readonly datasets: { readonly [uri: string]: LockEntry } };
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
