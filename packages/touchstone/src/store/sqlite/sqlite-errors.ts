import { HostError, isHostError } from '@touchstone/protocol';
import { DAMAGED } from '../damaged.js';

type Reason = 'locked' | 'read_only' | 'damaged' | 'full' | 'unreachable' | 'foreign' | 'newer' | 'io';

/** SQLite's primary result codes, with what an operator can do about each. */
const TROUBLES: { readonly [code: number]: readonly [Reason, string] } = {
  5: ['locked', 'another process has held its write lock for too long. Stop that process or try again.'],
  6: ['locked', 'another connection has locked a table of it. Try again.'],
  8: ['read_only', 'it is write-protected. Give this user write access to the file and its folder.'],
  10: ['io', 'the disk did not read or write as asked. Check the disk and the system log.'],
  11: ['damaged', DAMAGED],
  13: ['full', 'the disk is full. Make room and try again.'],
  14: [
    'unreachable',
    'it cannot be reached. Check that the path names a file in a folder this user may write to.',
  ],
  26: ['foreign', 'it is not a SQLite database. Choose another path, or move the file away.'],
};
const SYSTEM_CODES: { readonly [code: string]: number } = { EACCES: 8, EPERM: 8, EROFS: 8, ENOSPC: 13 };

const property = (error: unknown, name: string): unknown =>
  typeof error === 'object' && error !== null ? (error as { [key: string]: unknown })[name] : undefined;

/** SQLite's primary code of an error; the upper bits of `errcode` only refine it. */
function primaryCode(error: unknown): number | undefined {
  const code = property(error, 'errcode');
  if (typeof code === 'number') return code & 0xff;
  const message = property(error, 'code') === 'ERR_SQLITE_ERROR' ? property(error, 'message') : undefined;
  return typeof message === 'string' ? CODES.find(([words]) => message.startsWith(words))?.[1] : undefined;
}

/** The driver leaves the code out when a query fails while its rows are read. The sentences are SQLite's own, and never change. */
const CODES: readonly (readonly [words: string, code: number])[] = [
  ['database is locked', 5],
  ['database table is locked', 6],
  ['attempt to write a readonly database', 8],
  ['disk I/O error', 10],
  ['database disk image is malformed', 11],
  ['malformed database schema', 11],
  ['database or disk is full', 13],
  ['unable to open database file', 14],
  ['file is not a database', 26],
];

export const isLocked = (error: unknown): boolean => primaryCode(error) === 5;

export function openError(file: string, error: unknown): HostError {
  if (isHostError(error)) return error;
  const system = property(error, 'code');
  const known = typeof system === 'string' ? SYSTEM_CODES[system] : undefined;
  const fallback =
    typeof system === 'string' && system.startsWith('E') && !system.startsWith('ERR_') ? 14 : 10;
  const [reason, words] = TROUBLES[primaryCode(error) ?? known ?? fallback] ?? [
    'io',
    'SQLite refused to open it.',
  ];
  return new HostError('unavailable', `Cannot open the store ${file}: ${words}`, { reason }, error);
}

export const missingSqlite = (cause: unknown): HostError =>
  new HostError(
    'unavailable',
    'SQLite could not be loaded on this machine. Install Touchstone again, or use Node 22.13 or later, which has it built in.',
    undefined,
    cause,
  );

export const unsupportedJournal = (file: string): HostError =>
  new HostError(
    'unavailable',
    `Cannot open the store ${file}: its file system has no shared memory, which the write-ahead log needs. Put it on a local disk.`,
    { reason: 'io' satisfies Reason },
  );

export const foreignDatabase = (file: string): HostError =>
  new HostError(
    'unavailable',
    `Cannot open the store ${file}: it is a SQLite database of another program. Choose another path.`,
    { reason: 'foreign' satisfies Reason },
  );

export const newerDatabase = (file: string, found: number, known: number): HostError =>
  new HostError(
    'unavailable',
    `Cannot open the store ${file}: it has schema version ${found}, and this program knows versions up to ${known}. Install a newer Touchstone.`,
    { reason: 'newer' satisfies Reason },
  );

/** The error a caller gets when reading or writing fails. The cause stays attached for the operator's log. */
export function accessError(error: unknown): unknown {
  const code = primaryCode(error);
  if (code === undefined) return error;
  if (code === 19)
    return new HostError('conflict', 'A row with the same key is stored already.', undefined, error);
  const trouble = TROUBLES[code];
  if (!trouble) return new HostError('internal_error', 'The store refused a statement.', undefined, error);
  return new HostError(
    'unavailable',
    `The store cannot be used: ${trouble[1]}`,
    { reason: trouble[0] },
    error,
  );
}
