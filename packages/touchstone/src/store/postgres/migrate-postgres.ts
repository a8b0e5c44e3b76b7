import { UNFINISHED_COPY, unfinishedCopy } from '../copy/unfinished.js';
import type { Row } from '../db.js';
import { MIGRATIONS, type Migration } from '../migrations/index.js';
import type { PgClient } from './open-client.js';
import type { PostgresAddress } from './postgres-address.js';
import { POSTGRES } from './postgres-dialect.js';
import { foreignSchema, newerSchema } from './postgres-errors.js';

/** One lock for all schemas of a database: two programs that prepare at once would make the same functions. */
const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('touchstone prepare', 0))";

type Preparing = {
  readonly client: PgClient;
  readonly address: PostgresAddress;
  readonly migrations?: readonly Migration[];
  /** Whether a copy is to be made in it, or to be continued. */
  readonly isCopyTarget?: boolean;
};

/** Whether the schema can be used as it is. Throws when it cannot, and preparing it would not help. */
export async function isPrepared(preparing: Preparing): Promise<boolean> {
  const { migrations = MIGRATIONS } = preparing;
  return (await checkedVersion(preparing)) >= migrations.length;
}

/**
 * Brings the schema to the newest version, all the way or not at all. A newer one is left as it is when it says that programs
 * of this version may use it.
 */
export async function preparePostgres(preparing: Preparing): Promise<void> {
  const { client, address, migrations = MIGRATIONS } = preparing;
  await client.query('BEGIN');
  try {
    await client.query(LOCK);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${address.schema}`);
    await client.query(`SET LOCAL search_path = ${address.schema}`);
    const version = await checkedVersion(preparing);
    if (version === 0)
      await client.query('CREATE TABLE schema_version (version BIGINT NOT NULL, reads_from BIGINT NOT NULL)');
    for (const [index, migration] of migrations.entries())
      if (index >= version) await apply(client, migration, index + 1);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/**
 * `reads_from` is the oldest version whose programs may go on using the schema. So far every step has changed what programs
 * rely on, but those that have nothing to do here; the first step that only adds will say so.
 */
async function apply(client: PgClient, migration: Migration, version: number): Promise<void> {
  const statements = migration(POSTGRES);
  const readsFrom = statements.length > 0 ? version : '(SELECT MAX(reads_from) FROM schema_version)';
  const told = `INSERT INTO schema_version (version, reads_from) VALUES (${version}, ${readsFrom})`;
  // In one message: a step has up to a hundred statements, and each answer would be waited for.
  await client.query([...statements, told].join(';\n'));
}

const TABLES = 'SELECT tablename FROM pg_tables WHERE schemaname = $1';
export const versionIn = (schema: string): string =>
  `SELECT version, reads_from FROM ${schema}.schema_version ORDER BY version DESC LIMIT 1`;

/** 0 for an empty schema. Throws for one of another program, of a version that this program may not use, or with a part of a copy. */
async function checkedVersion({
  client,
  address: { schema, shown },
  migrations = MIGRATIONS,
  isCopyTarget = false,
}: Preparing): Promise<number> {
  const { rows: tables } = await client.query(TABLES, [schema]);
  if (tables.length === 0) return 0;
  if (!tables.some(({ tablename }) => tablename === 'schema_version')) throw foreignSchema(shown, schema);
  if (!isCopyTarget && tables.some(({ tablename }) => tablename === UNFINISHED_COPY))
    throw unfinishedCopy(shown, 'schema');
  const [row] = (await client.query(versionIn(schema))).rows;
  return usableVersion(row, shown, migrations.length);
}

/** Of the row that `versionIn` asks for. Throws for a version that this program may not use. */
export function usableVersion(row: Row | undefined, shown: string, known = MIGRATIONS.length): number {
  const [version, readsFrom] = [Number(row?.version ?? 0), Number(row?.reads_from ?? 0)];
  if (version > known && readsFrom > known) throw newerSchema(shown, version, known);
  return version;
}
