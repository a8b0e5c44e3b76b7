import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemClock } from '../../packages/touchstone/src/app/system.js';
import type { Store } from '../../packages/touchstone/src/ports/index.js';
import { openPostgresStore, openStore } from '../../packages/touchstone/src/store/index.js';
import { queryPostgres, querySqlite, type Rows, schemaUrl } from './postgres.js';

// TOUCHSTONE_TEST_STORE=postgres: the flows keep everything in a database, each folder in a schema of its own.

const urls = new Map<string, string>();

function urlOf(folder: string): string | undefined {
  const server = process.env.TOUCHSTONE_TEST_POSTGRES;
  if (process.env.TOUCHSTONE_TEST_STORE !== 'postgres' || !server) return undefined;
  const known = urls.get(folder) ?? schemaUrl(server);
  urls.set(folder, known);
  return known;
}

/** What a host's configuration says about its store, for a host that is opened in a folder. */
export function storeOfTests(folder: string): { readonly store?: string } {
  const store = urlOf(resolve(folder));
  return store === undefined ? {} : { store };
}

/** Writes the store into the configuration of a folder that names none. */
export function useStoreOfTests(folder: string): void {
  const store = urlOf(resolve(folder));
  const file = join(folder, 'touchstone.config.json');
  if (store === undefined || !existsSync(file)) return;
  const config = JSON.parse(readFileSync(file, 'utf8'));
  if (config.store === undefined) writeFileSync(file, JSON.stringify({ ...config, store }));
}

/** The store of a host, beside the host. `data` is the host's data folder inside of its folder. */
export function openStoreBeside(folder: string, data = 'data'): Promise<Store> {
  const url = urlOf(resolve(folder));
  if (url !== undefined) return openPostgresStore({ url, clock: systemClock });
  return openStore({ file: join(folder, data, 'touchstone.db'), clock: systemClock });
}

/** Sits at the database of a host, past every rule of the program. */
export async function queryBeside(folder: string, sql: string): Promise<Rows> {
  const url = urlOf(resolve(folder));
  return url === undefined ? querySqlite(join(folder, 'data/touchstone.db'), sql) : queryPostgres(url, sql);
}

/** Takes away what keeps a table as it is. */
export async function unguardBeside(folder: string, table: string): Promise<void> {
  if (urlOf(resolve(folder)) !== undefined) {
    await queryBeside(folder, `ALTER TABLE ${table} DISABLE TRIGGER USER`);
    return;
  }
  const guards = `SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = '${table}'`;
  for (const { name } of await queryBeside(folder, guards))
    await queryBeside(folder, `DROP TRIGGER "${name}"`);
}

/** Everything that the database of a host holds, as text; nothing for a file, which lies in the host's folder. */
export async function textsBeside(folder: string): Promise<readonly string[]> {
  if (urlOf(resolve(folder)) === undefined) return [];
  const tables = 'SELECT tablename FROM pg_tables WHERE schemaname = current_schema()';
  const texts: string[] = [];
  for (const { tablename } of await queryBeside(folder, tables))
    for (const row of await queryBeside(folder, `SELECT * FROM ${tablename}`))
      texts.push(...Object.values(row).map(String));
  return texts;
}
