import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SHA256_HEX } from '../dialect.js';
import { createFile } from './new-file.js';
import { isLocked, missingSqlite, openError, unsupportedJournal } from './sqlite-errors.js';

/** The part of the `node:sqlite` API that is used here; both modules that offer it have this shape. */
export type Sqlite = {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  function(name: string, options: { readonly deterministic: true }, body: (text: string) => string): void;
  close(): void;
};
export type SqliteStatement = {
  run(...params: readonly (string | number | null)[]): { readonly changes: number | bigint };
  all(...params: readonly (string | number | null)[]): unknown[];
};
type SqliteModule = { readonly DatabaseSync: new (file: string) => Sqlite };

export const MEMORY = ':memory:';

/** How long a writer waits for another process's write lock before it gives up. */
const BUSY_MS = 5_000;

/**
 * `synchronous=FULL` flushes the write-ahead log in every commit: an acknowledged write survives loss of power. The
 * sizes were measured with blocks of about 1 kB in groups of 1, 8 and 32; a log of some 4 MB is overwritten in place
 * again and again, where a longer one keeps growing the file, which costs more per flush. `auto_vacuum` counts for a file
 * that is new: space of removed runs can be given back in small steps. `secure_delete` overwrites what is removed: pages that
 * are partly in use stay in the file, and nobody should find removed answers in them. `cell_size_check` finds a damaged page
 * when it is read from the disk, rather than some of what was on it.
 */
const SETTINGS = `
  PRAGMA busy_timeout = ${BUSY_MS};
  PRAGMA page_size = 8192;
  PRAGMA auto_vacuum = INCREMENTAL;
  PRAGMA secure_delete = ON;
  PRAGMA cell_size_check = ON;
  PRAGMA foreign_keys = ON;
  PRAGMA synchronous = FULL;
  PRAGMA wal_autocheckpoint = 500;
  PRAGMA temp_store = MEMORY;
`;

/** Opens or creates a database file. Says in words why it cannot. */
export async function openSqlite(file: string): Promise<Sqlite> {
  const { DatabaseSync } = await loadModule();
  if (file === MEMORY) return withSettings(new DatabaseSync(file));
  let sqlite: Sqlite | undefined;
  try {
    checkWritable(file);
    sqlite = withSettings(new DatabaseSync(file));
    await switchToWal(sqlite, file);
    return sqlite;
  } catch (error) {
    sqlite?.close();
    throw openError(file, error);
  }
}

const require = createRequire(import.meta.url);

/** The package carries its own SQLite for every supported Node; where it cannot load, newer Nodes have one built in. */
async function loadModule(): Promise<SqliteModule> {
  try {
    return require('@photostructure/sqlite') as SqliteModule;
  } catch (error) {
    const builtIn: string = 'node:sqlite';
    return import(builtIn).catch(() => Promise.reject(missingSqlite(error)));
  }
}

function withSettings(sqlite: Sqlite): Sqlite {
  sqlite.exec(SETTINGS);
  sqlite.function(SHA256_HEX, { deterministic: true }, sha256Hex);
  return sqlite;
}

const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex');

/** SQLite would open a write-protected file for reading only and fail at the first write, long after start. */
function checkWritable(file: string): void {
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  accessSync(folder, constants.W_OK);
  // The log beside the file gets the file's permissions.
  if (existsSync(file)) accessSync(file, constants.W_OK);
  else createFile(file);
}

/** Whether other users of this machine may read the file. It holds content, and secrets that sign links and webhooks. */
export const isOpenToOthers = (file: string): boolean =>
  process.platform !== 'win32' && ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;

/** Two processes that create the same file at once meet here, and this one switch does not wait by itself. */
async function switchToWal(sqlite: Sqlite, file: string): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += 20) {
    try {
      const mode = sqlite.prepare('PRAGMA journal_mode = WAL').all() as { journal_mode: string }[];
      if (mode[0]?.journal_mode !== 'wal') throw unsupportedJournal(file);
      return;
    } catch (error) {
      if (!isLocked(error) || waitedMs >= BUSY_MS) throw error;
      await pause(20);
    }
  }
}
