import { UNFINISHED_COPY, unfinishedCopy } from '../copy/unfinished.js';
import type { Dialect } from '../dialect.js';
import { MIGRATIONS, type Migration } from '../migrations/index.js';
import type { Sqlite } from './open-sqlite.js';
import { foreignDatabase, newerDatabase } from './sqlite-errors.js';

/** Brings a database to the newest schema, all the way or not at all. An up-to-date one costs two small reads. */
export function migrate(
  sqlite: Sqlite,
  file: string,
  dialect: Dialect,
  migrations: readonly Migration[] = MIGRATIONS,
  isCopyTarget = false,
): void {
  const opening = { file, known: migrations.length, isCopyTarget };
  if (schemaVersion(sqlite, opening) === migrations.length) return;
  sqlite.exec('BEGIN IMMEDIATE');
  try {
    // Read again under the lock: another process may have migrated while this one waited for it.
    const version = schemaVersion(sqlite, opening);
    if (version === 0) sqlite.exec('CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)');
    for (const [index, migration] of migrations.entries()) {
      if (index >= version) apply(sqlite, migration, index + 1, dialect);
    }
    sqlite.exec('COMMIT');
  } catch (error) {
    sqlite.exec('ROLLBACK');
    throw error;
  }
}

function apply(sqlite: Sqlite, migration: Migration, version: number, dialect: Dialect): void {
  for (const statement of migration(dialect)) sqlite.exec(statement);
  sqlite.prepare('INSERT INTO schema_version (version) VALUES (?)').run(version);
}

type Opening = {
  readonly file: string;
  /** The newest version that this program knows. */
  readonly known: number;
  /** Whether a copy is to be made in it, or to be continued. */
  readonly isCopyTarget: boolean;
};

/** 0 for an empty file. Throws for a file of another program, of a newer version, or with a part of a copy. */
function schemaVersion(sqlite: Sqlite, { file, known, isCopyTarget }: Opening): number {
  const tables = sqlite.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as {
    name: string;
  }[];
  if (tables.length === 0) return 0;
  if (!tables.some((table) => table.name === 'schema_version')) throw foreignDatabase(file);
  if (!isCopyTarget && tables.some(({ name }) => name === UNFINISHED_COPY))
    throw unfinishedCopy(file, 'file');
  const rows = sqlite.prepare('SELECT MAX(version) AS version FROM schema_version').all() as {
    version: number | null;
  }[];
  const version = rows[0]?.version ?? 0;
  if (version > known) throw newerDatabase(file, version, known);
  return version;
}
