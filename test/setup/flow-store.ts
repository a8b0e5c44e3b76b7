import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { schemaUrl } from './postgres.js';

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

/** Whether flows run on PostgreSQL, where a test cannot, for the reason that stands here. */
export const onPostgres = (_reason: string): boolean => process.env.TOUCHSTONE_TEST_STORE === 'postgres';
