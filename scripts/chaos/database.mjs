// A PostgreSQL server of its own, and what can be asked of it beside the store.
import { createRequire } from 'node:module';

const fromPackage = createRequire(new URL('../../packages/touchstone/package.json', import.meta.url));
const SCHEMA = 'touchstone';

/** What the tests have for this, too. */
export const fromTests = (file) =>
  fromPackage('jiti')
    .createJiti(import.meta.url)
    .import(`../../test/setup/${file}`);

/** As the tests start one. It flushes, because it is killed, and keeps the time of every commit, which the checks ask for. */
export async function startDatabase() {
  const { startServer } = await fromTests('postgres.ts');
  const server = await startServer({ durable: true, settings: { track_commit_timestamp: 'on' } });
  const query = async (sql) => {
    const { Client } = fromPackage('pg');
    const options = `-c search_path=${SCHEMA}`;
    const client = new Client({ connectionString: server.url, options, connectionTimeoutMillis: 5_000 });
    // A server that is killed ends the connection, which is told twice.
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query(sql)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  return { ...server, port: Number(new URL(server.url).port), query };
}

/** Whether the store has such a table: what is promised of it is checked where it exists. */
export const hasTable = async ({ query }, name) =>
  (await query(`SELECT to_regclass('${SCHEMA}.${name}') AS name`))[0].name !== null;
