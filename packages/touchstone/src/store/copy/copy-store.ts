import { createHash } from 'node:crypto';
import { HostError } from '@touchstone/protocol';
import type { Db, Row, SqlValue, Statement } from '../db.js';
import { numberAt, textAt } from '../rows.js';
import { STORED_TABLES, type StoredTable } from './tables.js';
import { markFinished, markUnfinished } from './unfinished.js';

/** What was copied of a table, and whether both sides now hold the same. */
export type CopiedTable = { readonly table: string; readonly rows: number; readonly isEqual: boolean };

/** Rows that are held in memory: some hold answers of a megabyte. */
const PAGE = 50;

/**
 * Copies everything from one store to another, which is new or holds an unfinished copy of the same. Numbers of rows are kept.
 * Afterwards both are read, and every row is compared. Until both have been found equal, nobody else can open the target.
 */
export async function copyRows(from: Db, to: Db): Promise<readonly CopiedTable[]> {
  await checkTarget(from, to);
  await markUnfinished(to);
  const copied: CopiedTable[] = [];
  for (const table of STORED_TABLES) await copyTable(from, to, table);
  for (const table of STORED_TABLES) copied.push(await compareTable(from, to, table));
  if (copied.every(({ isEqual }) => isEqual)) await markFinished(to);
  return copied;
}

const HELD = 'SELECT run_id FROM runs WHERE lease_holder IS NOT NULL AND lease_until >= ? LIMIT 1';

/** Asked before a target is made. */
export async function checkSource(from: Db, now: number): Promise<void> {
  const [held] = await from.all(HELD, [now]);
  if (!held) return;
  throw new HostError(
    'conflict',
    `A process works on run ${textAt(held, 'run_id')} of the store to copy. Stop all hosts and commands that use it, and try again; after a crash wait half a minute.`,
  );
}

const RUN_IDS = 'SELECT run_no, run_id FROM runs WHERE run_no > ? ORDER BY run_no LIMIT ?';
const RUN_NO = 'SELECT run_no FROM runs WHERE run_id = ?';

/** Every run of the target is one of the source, under the same number. */
async function checkTarget(from: Db, to: Db): Promise<void> {
  for (let after = 0; ; ) {
    const page = await to.all(RUN_IDS, [after, PAGE]);
    for (const row of page) {
      const [same] = await from.all(RUN_NO, [textAt(row, 'run_id')]);
      if (same?.run_no !== row.run_no) throw foreignTarget();
      after = numberAt(row, 'run_no');
    }
    if (page.length < PAGE) return;
  }
}

const foreignTarget = (): HostError =>
  new HostError(
    'conflict',
    'The store to copy to holds other runs. Name a new file or schema, or one in which a copy of this store was begun.',
  );

async function copyTable(from: Db, to: Db, stored: StoredTable): Promise<void> {
  const { table, key, isNumbered } = stored;
  if (key.length === 0) await to.transaction([{ sql: `DELETE FROM ${table}`, params: [] }]);
  for await (const page of pagesOf(from, stored))
    await to.transaction(page.map((row) => insertStatement(stored, row)));
  const numbering = isNumbered && to.dialect.numberOn(table, key[0] as string);
  if (numbering) await to.transaction([{ sql: numbering, params: [] }]);
}

/** A row that is there already is left as it is: a copy that was interrupted goes on. */
function insertStatement({ table, key }: StoredTable, row: Row): Statement {
  const columns = Object.keys(row);
  const values = columns.map(() => '?').join(', ');
  const known = key.map((column) => `${column} = ?`).join(' AND ');
  const unlessThere = key.length === 0 ? '' : ` WHERE NOT EXISTS (SELECT 1 FROM ${table} WHERE ${known})`;
  return {
    sql: `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values}${unlessThere}`,
    params: [...columns.map((column) => row[column] as SqlValue), ...keyOf(row, key)],
  };
}

const keyOf = (row: Row, key: readonly string[]): readonly SqlValue[] =>
  key.map((column) => row[column] as SqlValue);

/** In the order of the key. Tables without one are small, or are read in the order of what their rows say. */
async function* pagesOf(db: Db, { table, key }: StoredTable): AsyncGenerator<readonly Row[]> {
  if (key.length === 0) {
    yield* slicesOf(
      await db.scan(`SELECT * FROM ${table} ORDER BY ${table === 'ledger' ? LEDGER_ORDER : 'tenant'}`, []),
    );
    return;
  }
  const columns = key.join(', ');
  const beyond = `(${columns}) > (${key.map(() => '?').join(', ')})`;
  for (let last: Row | undefined; ; ) {
    const where = last ? ` WHERE ${beyond}` : '';
    const params = last ? keyOf(last, key) : [];
    const page = await db.all(`SELECT * FROM ${table}${where} ORDER BY ${columns} LIMIT ${PAGE}`, params);
    if (page.length > 0) yield page;
    last = page.at(-1);
    if (page.length < PAGE) return;
  }
}

/** Engines disagree on where NULL comes. */
const LEDGER_ORDER = `run_no, at, provider, model, input_tokens, output_tokens, COALESCE(cost_usd, -1), COALESCE(spend_id, '')`;

function* slicesOf(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += PAGE) yield rows.slice(at, at + PAGE);
}

async function compareTable(from: Db, to: Db, stored: StoredTable): Promise<CopiedTable> {
  const [source, target] = [await digestOf(from, stored), await digestOf(to, stored)];
  return { table: stored.table, rows: source.rows, isEqual: source.digest === target.digest };
}

async function digestOf(db: Db, stored: StoredTable): Promise<{ rows: number; digest: string }> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const page of pagesOf(db, stored)) {
    for (const row of page) hash.update(`${JSON.stringify(Object.entries(row).sort())}\n`);
    rows += page.length;
  }
  return { rows, digest: hash.digest('hex') };
}
