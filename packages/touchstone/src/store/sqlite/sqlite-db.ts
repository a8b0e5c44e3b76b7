import { checkText, closedError } from '../access.js';
import type { Db, Outcome, Row, Statement } from '../db.js';
import { SQLITE } from '../dialect.js';
import { type Connection, createGroupCommit, type Writing, writeAlone } from '../log/group-commit.js';
import type { Sqlite, SqliteStatement } from './open-sqlite.js';
import { accessError } from './sqlite-errors.js';

type PreparedStatement = { readonly statement: SqliteStatement; readonly answersRows: boolean };
type Prepare = (sql: string) => PreparedStatement;

const NO_ROWS: readonly Row[] = [];

/** The Db of one SQLite connection. Calls block while they run; only the waiting for a shared flush is asynchronous. */
export function createSqliteDb(sqlite: Sqlite, writing?: Writing): Db {
  const prepare = preparedOnce(sqlite);
  const connection = connectionOf(sqlite, prepare);
  const writes = createGroupCommit(connection, writing);
  let open = true;
  const all: Db['all'] = async (sql, params) => {
    if (!open) throw closedError();
    checkText(params);
    return guarded(() => prepare(sql).statement.all(...params) as Row[]);
  };
  return {
    dialect: SQLITE,
    all,
    scan: all,
    async transaction(batch) {
      if (!open) throw closedError();
      for (const statement of batch) checkText(statement.params);
      return writes.submit(batch);
    },
    async load(statements) {
      if (!open) throw closedError();
      writes.flush();
      writeAlone(connection, checked(statements));
    },
    async reclaim() {
      if (!open) throw closedError();
      return guarded(() => reclaim(sqlite));
    },
    async rewrite() {
      if (!open) throw closedError();
      writes.flush();
      guarded(() => rewrite(sqlite));
    },
    async copyTo(file) {
      if (!open) throw closedError();
      writes.flush();
      guarded(() => sqlite.prepare('VACUUM INTO ?').run(file));
    },
    async ping() {
      if (!open) throw closedError();
      guarded(() => sqlite.prepare('SELECT 1').all());
    },
    async check() {
      if (!open) throw closedError();
      return guarded(() => check(sqlite));
    },
    warnings: async () => [],
    async close() {
      if (!open) return;
      open = false;
      writes.flush();
      guarded(() => shut(sqlite));
    },
  };
}

function* checked(statements: Iterable<Statement>): Iterable<Statement> {
  for (const statement of statements) {
    checkText(statement.params);
    yield statement;
  }
}

/** Every distinct text is compiled once. The texts are few: they are constants, or put together from a few constants. */
function preparedOnce(sqlite: Sqlite): Prepare {
  const known = new Map<string, PreparedStatement>();
  return (sql) => {
    let prepared = known.get(sql);
    if (!prepared) {
      prepared = { statement: sqlite.prepare(sql), answersRows: /^\s*select\b|\breturning\b/i.test(sql) };
      known.set(sql, prepared);
    }
    return prepared;
  };
}

function connectionOf(sqlite: Sqlite, prepare: Prepare): Connection {
  const exec = (sql: string) => guarded(() => sqlite.exec(sql));
  return {
    // IMMEDIATE takes the write lock at once. A transaction that reads first and asks for it later can be refused
    // without waiting when another process wrote in between.
    begin: () => exec('BEGIN IMMEDIATE'),
    run: (statement) => guarded(() => runStatement(prepare, statement)),
    commit: () => exec('COMMIT'),
    rollback() {
      try {
        sqlite.exec('ROLLBACK');
      } catch {
        // A full disk or an input/output error has ended the transaction already.
      }
    },
  };
}

function runStatement(prepare: Prepare, { sql, params }: Statement): Outcome {
  const { statement, answersRows } = prepare(sql);
  if (!answersRows) return { changes: Number(statement.run(...params).changes), rows: NO_ROWS };
  const rows = statement.all(...params) as Row[];
  return { changes: rows.length, rows };
}

function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw accessError(error);
  }
}

/** Pages of 8 kB that are given back at a time: a millisecond or two. */
const PAGES = 64;
const INCREMENTAL = 2;

const pragma = (sqlite: Sqlite, name: string): number =>
  Number(Object.values((sqlite.prepare(`PRAGMA ${name}`).all()[0] ?? {}) as Row)[0] ?? 0);

/** Free pages of other stores are used again by later writes. */
function reclaim(sqlite: Sqlite): boolean {
  if (pragma(sqlite, 'auto_vacuum') !== INCREMENTAL || pragma(sqlite, 'freelist_count') === 0) return false;
  sqlite.exec(`PRAGMA incremental_vacuum(${PAGES})`);
  return pragma(sqlite, 'freelist_count') > 0;
}

/** The setting takes effect with the rewriting. Afterwards `reclaim` is enough. */
function rewrite(sqlite: Sqlite): void {
  if (pragma(sqlite, 'auto_vacuum') === INCREMENTAL || pragma(sqlite, 'freelist_count') === 0) return;
  sqlite.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM');
}

const TROUBLES_SHOWN = 5;

/** It names tables, indexes and pages, never what is in them. */
function check(sqlite: Sqlite): readonly string[] {
  const rows = sqlite.prepare(`PRAGMA integrity_check(${TROUBLES_SHOWN})`).all() as Row[];
  const found = rows.map((row) => String(row.integrity_check)).filter((words) => words !== 'ok');
  return found.length === 0 ? [] : ['It is damaged.', ...found];
}

/** Folds the write-ahead log back, so that the one file holds everything and can be copied. */
function shut(sqlite: Sqlite): void {
  try {
    sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    sqlite.close();
  }
}
