import { isPrepared, preparePostgres } from './migrate-postgres.js';
import { type Driver, loadDriver, openClient, type PgClient } from './open-client.js';
import type { PostgresAddress } from './postgres-address.js';
import { connectError, unprepared } from './postgres-errors.js';
import { checkServer, readServerFacts, type ServerFacts } from './server-facts.js';

export type PostgresServer = { readonly driver: Driver; readonly facts: ServerFacts };

export type OpenOptions = {
  /** False for a process that takes the tables as they are. */
  readonly mayPrepare?: boolean | undefined;
  /** Whether a copy is to be made in it, or to be continued. */
  readonly isCopyTarget?: boolean;
};

/** Checks the server and prepares the schema where it is not, if it may. Says in words why it cannot. */
export async function openPostgres(
  address: PostgresAddress,
  { mayPrepare = true, isCopyTarget = false }: OpenOptions = {},
): Promise<PostgresServer> {
  const driver = await loadDriver();
  return withClient(driver, address, async (client) => {
    const facts = await readServerFacts(client);
    checkServer(address, facts);
    // Asked first: a user without the right to make tables may use a schema that is as it should be.
    if (await isPrepared({ client, address, isCopyTarget })) return { driver, facts };
    if (!mayPrepare) throw unprepared(address.shown);
    await preparePostgres({ client, address, isCopyTarget });
    return { driver, facts };
  });
}

/** For a question or two on a connection of their own. */
export async function withClient<T>(
  driver: Driver,
  address: PostgresAddress,
  use: (client: PgClient) => Promise<T>,
): Promise<T> {
  let client: PgClient | undefined;
  try {
    client = await openClient(driver, address);
    return await use(client);
  } catch (error) {
    throw connectError(address.shown, error);
  } finally {
    await client?.end().catch(() => undefined);
  }
}
