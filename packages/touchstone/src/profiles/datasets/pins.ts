import type { ProfileWarning } from '../types.js';
import { datasetError } from './errors.js';
import type { DatasetLock } from './lock.js';
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
  /** Somebody has decided that a published definition may go without a pin. */
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

/** Mismatch is always fatal, whoever set the pin. */
export function checkPin(expected: string, actual: string): void {
  if (expected.toLowerCase() === actual) return;
  throw datasetError(
    'dataset_mismatch',
    `The dataset is not the one that was pinned: its sha256 is ${actual}, expected ${expected.toLowerCase()}. If the change is meant, change the pin in the URI or the lock file.`,
  );
}
