import type { Writable } from 'node:stream';
import { damagedError } from '../damaged.js';
import type { Row, SqlValue } from '../db.js';
import type { PostgresAddress } from './postgres-address.js';
import { missingDriver } from './postgres-errors.js';
import type { WireStatement } from './wire-statement.js';

/** The part of the `pg` API that is used here. */
export type PgResult = {
  readonly command: string | null;
  readonly rowCount: number | null;
  readonly rows: readonly Row[];
};
export type PgClient = {
  /** Not documented, hence not relied on. */
  readonly connection?: { readonly stream?: Pick<Writable, 'cork' | 'uncork'> };
  /** The number of the session, as the server has told it, or a pooler instead of it. */
  readonly processID?: number | null;
  connect(): Promise<unknown>;
  query(text: string, values?: readonly SqlValue[]): Promise<PgResult>;
  query(statement: WireStatement, answered: (error: unknown, result?: PgResult) => void): void;
  on(event: 'error' | 'end', listener: () => void): void;
  on(event: 'notification', listener: (notice: { readonly payload?: string }) => void): void;
  end(): Promise<void>;
};
export type Driver = { readonly Client: new (settings: object) => PgClient };

/** An optional peer: whoever keeps runs in a file does not install it. */
export async function loadDriver(): Promise<Driver> {
  try {
    const { default: driver }: { default: Driver } = await asNode(() => import('pg' as string));
    return driver;
  } catch (error) {
    throw missingDriver(error);
  }
}

/**
 * The driver asks whether it is in a browser's worker. Node tells by `navigator` since version 21. On Node 20 the driver would find out by loading
 * Node's client of `fetch`, which takes 20 ms; so Node 20 tells in the same way, for as long as the driver is loaded.
 */
async function asNode<T>(load: () => Promise<T>): Promise<T> {
  if ('navigator' in globalThis) return load();
  const value = { userAgent: `Node.js/${process.versions.node}` };
  Object.defineProperty(globalThis, 'navigator', { value, configurable: true });
  try {
    return await load();
  } finally {
    Reflect.deleteProperty(globalThis, 'navigator');
  }
}

const CONNECT_MS = 10_000;

type ClientOptions = {
  /** Called when the connection has ended, whoever ended it. */
  readonly onLost?: () => void;
  /** A connection on which no answer comes for so long is given up. */
  readonly answerMs?: number;
  /** Not ended by the server for having nothing to say, which is what it is there for. */
  readonly staysIdle?: true;
};

const STAYS_IDLE = ' -c idle_session_timeout=0';

export async function openClient(
  { Client }: Driver,
  { url, schema, keepsSession }: PostgresAddress,
  { onLost = () => undefined, answerMs = 0, staysIdle }: ClientOptions = {},
): Promise<PgClient> {
  const client = new Client({
    // A pooler refuses the options, or loses them.
    connectionString: keepsSession
      ? withOptions(url, `-c search_path=${schema}${staysIdle ? STAYS_IDLE : ''}`)
      : url,
    query_timeout: answerMs,
    application_name: 'touchstone',
    pipeline: true,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS,
    types: { getTypeParser },
  });
  client.on('error', onLost);
  client.on('end', onLost);
  await client.connect();
  return client;
}

/** Behind those of the address, which the driver would take instead of ours. */
function withOptions(url: string, ours: string): string {
  const address = new URL(url);
  const given = address.searchParams.get('options');
  address.searchParams.set('options', given === null ? ours : `${given} ${ours}`);
  return address.href;
}

const INT8 = 20;
const INT4 = 23;
const INT2 = 21;
const FLOAT8 = 701;
const NUMERIC = 1700;
const BOOL = 16;

const asText = (text: string): string => text;
const asTruth = (text: string): number => (text === 't' ? 1 : 0);

/** Larger ones would be rounded without a word. */
function asNumber(text: string): number {
  const value = Number(text);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) throw damagedError('a number');
  return value;
}

/** Numbers of every kind become numbers, as from SQLite; the rest stays text. */
function getTypeParser(type: number): (text: string) => SqlValue {
  if (type === INT8 || type === INT4 || type === INT2 || type === NUMERIC) return asNumber;
  if (type === FLOAT8) return Number;
  return type === BOOL ? asTruth : asText;
}
