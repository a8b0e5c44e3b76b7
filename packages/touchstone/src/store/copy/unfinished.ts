import { HostError } from '@touchstone/protocol';
import type { Db } from '../db.js';

/** A table that a store has while a copy into it is not complete. It is no part of what is copied. */
export const UNFINISHED_COPY = 'unfinished_copy';

/** Before the first row: an operator who ends the copy in the middle must not find a part of a store that looks whole. */
export async function markUnfinished(to: Db): Promise<void> {
  const sql = `CREATE TABLE IF NOT EXISTS ${UNFINISHED_COPY} (mark ${to.dialect.integer})`;
  await to.transaction([{ sql, params: [] }]);
}

export async function markFinished(to: Db): Promise<void> {
  await to.transaction([{ sql: `DROP TABLE IF EXISTS ${UNFINISHED_COPY}`, params: [] }]);
}

/** Told to everyone but the copy itself, which goes on. */
export const unfinishedCopy = (shown: string, what: 'file' | 'schema'): HostError =>
  new HostError(
    'unavailable',
    `Cannot open the store ${shown}: it holds an unfinished copy. Give the same "touchstone store copy" again, or remove the ${what}.`,
    { reason: 'unfinished_copy' },
  );
