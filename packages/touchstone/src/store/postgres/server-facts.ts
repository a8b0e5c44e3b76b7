import type { PgClient } from './open-client.js';
import type { PostgresAddress } from './postgres-address.js';
import { foreignClock, foreignEncoding, oldServer, unnamedPooler } from './postgres-errors.js';

/** What the server says about itself. */
export type ServerFacts = {
  readonly version: string;
  readonly versionNumber: number;
  readonly encoding: string;
  readonly fsync: string;
  readonly synchronousCommit: string;
  /** By how much the server's clock is ahead of this machine's. */
  readonly skewMs: number;
  /** Age of the oldest transaction, which keeps the server from clearing old rows. */
  readonly oldestTransactionMs: number;
  /** Where tables are looked for on this connection. */
  readonly searchPath: string;
  /** Whether another program answers for the server. */
  readonly isPooled: boolean;
};

const FACTS = `SELECT current_setting('server_version') AS version,
    current_setting('server_version_num')::int AS version_number,
    (SELECT pg_encoding_to_char(encoding) FROM pg_database WHERE datname = current_database()) AS encoding,
    current_setting('search_path') AS search_path, pg_backend_pid() AS backend,
    current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS synchronous_commit,
    (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint AS now_ms,
    COALESCE((SELECT (EXTRACT(EPOCH FROM clock_timestamp() - MIN(xact_start)) * 1000)::bigint
      FROM pg_stat_activity WHERE backend_type = 'client backend'), 0) AS oldest_transaction_ms`;

/** The answer was given about half-way between the question and its arrival. */
export async function readServerFacts(client: PgClient): Promise<ServerFacts> {
  const askedAt = Date.now();
  const [row = {}] = (await client.query(FACTS)).rows;
  const here = (askedAt + Date.now()) / 2;
  return {
    version: String(row.version),
    versionNumber: Number(row.version_number),
    encoding: String(row.encoding),
    fsync: String(row.fsync),
    synchronousCommit: String(row.synchronous_commit),
    skewMs: Number(row.now_ms) - here,
    oldestTransactionMs: Number(row.oldest_transaction_ms),
    searchPath: String(row.search_path),
    isPooled: client.processID != null && client.processID !== Number(row.backend),
  };
}

/** Whether the server takes writes, and this user may make them. A host or worker that only reads can do nothing. */
export const writesIn = (schema: string): string => `SELECT
    CASE WHEN pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' THEN 1 ELSE 0 END AS read_only,
    CASE WHEN has_table_privilege('${schema}.runs', 'INSERT') AND has_table_privilege('${schema}.runs', 'UPDATE')
      THEN 1 ELSE 0 END AS granted`;

const OLDEST_SERVER = 150_000;
/** Less is lost in the noise of asking, and leases last for many times that. */
export const NOTED_SKEW_MS = 1_000;
const MOST_SKEW_MS = 60_000;

/** Refuses a server on which runs could be lost or mixed up. */
export function checkServer({ shown, schema, keepsSession }: PostgresAddress, facts: ServerFacts): void {
  if (keepsSession && facts.searchPath !== schema) throw unnamedPooler(shown);
  if (facts.versionNumber < OLDEST_SERVER) throw oldServer(shown, facts.version);
  if (facts.encoding !== 'UTF8') throw foreignEncoding(shown, facts.encoding);
  if (Math.abs(facts.skewMs) > MOST_SKEW_MS) throw foreignClock(shown, facts.skewMs);
}

/** Settings by which a crash of the server loses what was acknowledged. */
export const unsafeSettings = ({ fsync, synchronousCommit }: ServerFacts): readonly string[] => [
  ...(fsync === 'off' ? ['fsync'] : []),
  ...(synchronousCommit === 'off' ? ['synchronous_commit'] : []),
];

const LONG_TRANSACTION_MS = 3_600_000;

/** What an operator has to put right, although the store can be used. */
export function serverTroubles(facts: ServerFacts): readonly string[] {
  const { fsync, synchronousCommit, skewMs, oldestTransactionMs } = facts;
  const troubles: readonly (readonly [boolean, string])[] = [
    [fsync === 'off', 'The server has fsync=off: a crash can lose or damage what is stored. Set fsync=on.'],
    [
      synchronousCommit === 'off',
      'The server has synchronous_commit=off: a crash can lose what was acknowledged. Set it to on.',
    ],
    [
      Math.abs(skewMs) > NOTED_SKEW_MS,
      `The clocks of this machine and of the server differ by ${(Math.abs(skewMs) / 1000).toFixed(1)} s. Set the clocks right.`,
    ],
    [
      oldestTransactionMs > LONG_TRANSACTION_MS,
      `A transaction has been open for ${Math.round(oldestTransactionMs / 60_000)} minutes, and keeps the server from clearing old rows. End it; pg_stat_activity names it.`,
    ],
  ];
  return troubles.flatMap(([isSo, words]) => (isSo ? [words] : []));
}

/** What an operator should know, although nothing is wrong. */
export const serverWarnings = ({ isPooled }: ServerFacts): readonly string[] =>
  isPooled
    ? [
        'A pooler stands before the server. Every statement is compiled anew, which takes longer; notifications and locks of a session do not pass a pooler that gives sessions to transactions, so hosts hear of each other when they look, every second.',
      ]
    : [];
