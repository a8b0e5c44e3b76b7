import { validationError } from '@touchstone/protocol';
import type { Page } from '../ports/index.js';
import type { Row } from './db.js';

/** A cursor is the key of the last row of a page, encoded so that callers pass it back and do not build one. */
export const encodeCursor = (key: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(key)).toString('base64url');

export function decodeCursor<const Kinds extends readonly ('string' | 'number')[]>(
  cursor: string,
  kinds: Kinds,
): { [I in keyof Kinds]: Kinds[I] extends 'string' ? string : number } {
  const key = parsed(cursor);
  const fits =
    Array.isArray(key) && key.length === kinds.length && kinds.every((kind, i) => typeof key[i] === kind);
  if (!fits) throw badCursor();
  return key as { [I in keyof Kinds]: Kinds[I] extends 'string' ? string : number };
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    throw badCursor();
  }
}

/** The page of rows that were asked for with one more than its limit; that one only tells that there is a next page. */
export function pageOf<T>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => T,
  keyOf: (row: Row) => readonly (string | number)[],
): Page<T> {
  const kept = rows.slice(0, limit);
  const last = rows.length > limit ? kept.at(-1) : undefined;
  return { items: kept.map(toItem), ...(last && { nextCursor: encodeCursor(keyOf(last)) }) };
}

const badCursor = () =>
  validationError(
    [
      {
        pointer: '/cursor',
        message: 'expected the nextCursor of an earlier page of this list. Start without one.',
      },
    ],
    { field: 'cursor' },
  );
