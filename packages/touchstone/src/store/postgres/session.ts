import type { Clock } from '../../ports/index.js';
import type { SqlValue } from '../db.js';
import { ANSWER_MS } from './connection.js';
import { type Driver, openClient, type PgClient, type PgResult } from './open-client.js';
import type { PostgresAddress } from './postgres-address.js';
import { codeOf } from './postgres-errors.js';

/**
 * A connection that is this process's alone: notifications and locks belong to it, and end with the process. A lost one is
 * replaced, and gets its locks again.
 */
export type Session = {
  /** Undefined while there is no connection. */
  query(sql: string, params: readonly (SqlValue | readonly string[])[]): Promise<Rows | undefined>;
  /** How long the connection has lasted; 0 while there is none. */
  connectedMs(): number;
  /** Takes the lock, now or when it is free, and keeps it. */
  keepLock(name: string): void;
  /** Whether the lock of this name is held here after one attempt. */
  tryLock(name: string): Promise<boolean>;
  /** Another number each time that the lock was taken; undefined while it is not held. */
  lockNumber(name: string): number | undefined;
  close(): Promise<void>;
};
type Rows = PgResult['rows'];

type SessionOptions = {
  readonly driver: Driver;
  readonly address: PostgresAddress;
  readonly clock: Pick<Clock, 'sleep' | 'elapsed'>;
  /** What is listened to. */
  readonly channels: readonly string[];
  readonly onNotice: (payload: string) => void;
};

/** A server that is back is noticed this soon; the locks of this process count as free for no longer. */
const AGAIN_MS = 250;

const TRY_LOCK = 'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS held';
const UNLOCK = 'SELECT pg_advisory_unlock(hashtextextended($1, 0))';

/** Rejects when the first connection fails. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { clock, address } = options;
  const closing = new AbortController();
  const kept = new Set<string>();
  let held = new Map<string, number>();
  let client: PgClient | undefined;
  let [connectedAt, taken] = [0, 0];

  const connect = async (): Promise<void> => {
    let opened: PgClient | undefined;
    const onLost = (): void => {
      if (opened) lose(opened);
    };
    opened = await openClient(options.driver, address, { onLost, answerMs: ANSWER_MS, staysIdle: true });
    opened.on('notification', ({ payload = '' }) => options.onNotice(payload));
    await opened
      .query(options.channels.map((channel) => `LISTEN "${channel}"`).join('; '))
      .catch(endOf(opened));
    client = opened;
    connectedAt = clock.elapsed();
  };
  const lose = (lost: PgClient): void => {
    if (client !== lost) return;
    [client, held] = [undefined, new Map()];
    void keepConnected();
  };
  const giveUp = (lost: PgClient): void => {
    lose(lost);
    void lost.end().catch(() => undefined);
  };
  const pause = (): Promise<boolean> =>
    clock.sleep(AGAIN_MS, closing.signal).then(
      () => true,
      () => false,
    );
  const keepConnected = async (): Promise<void> => {
    while (!client && (await pause())) await connect().catch(() => undefined);
    for (const name of kept) void keepTrying(name);
  };
  const query: Session['query'] = async (sql, params) => {
    const asked = client;
    const result = await asked?.query(sql, params as readonly SqlValue[]).catch((error) => {
      // No word of the server: it may have ended this connection long ago.
      if (codeOf(error) === undefined) giveUp(asked);
      return undefined;
    });
    return result?.rows;
  };
  const tryLock = async (name: string): Promise<boolean> => {
    // Each lock is counted by the server: taken twice, it would have to be let go twice.
    if (client && held.has(name)) return true;
    const [locks, asked] = [held, client];
    const [row] = (await query(TRY_LOCK, [lockName(address, name)])) ?? [];
    if (row?.held !== 1 || asked !== client) return false;
    taken += 1;
    locks.set(name, taken);
    return true;
  };
  const keepTrying = async (name: string): Promise<void> => {
    while (client && !(await tryLock(name)) && (await pause()));
  };

  await connect();
  return {
    query,
    tryLock,
    lockNumber: (name) => held.get(name),
    connectedMs: () => (client ? clock.elapsed() - connectedAt : 0),
    keepLock(name) {
      kept.add(name);
      void keepTrying(name);
    },
    async close() {
      closing.abort();
      const open = client;
      client = undefined;
      // Named, although the connection ends: the server may take a moment to notice that.
      for (const name of held.keys())
        await open?.query(UNLOCK, [lockName(address, name)]).catch(() => undefined);
      await open?.end().catch(() => undefined);
    },
  };
}

/** A connection that is of no use is not left open. */
const endOf =
  (client: PgClient) =>
  (error: unknown): never => {
    void client.end().catch(() => undefined);
    throw error;
  };

/** Locks are of a database; schemas in it are stores of their own. */
export const lockName = ({ schema }: Pick<PostgresAddress, 'schema'>, name: string): string =>
  `touchstone ${schema} ${name}`;
