import { HostError, isHostError } from '@touchstone/protocol';
import { GuardFailed, StoreAway } from '../db.js';

type Reason =
  | 'unreachable'
  | 'refused'
  | 'rights'
  | 'full'
  | 'foreign'
  | 'newer'
  | 'unprepared'
  | 'encoding'
  | 'version'
  | 'clock'
  | 'pooler'
  | 'timeout'
  | 'read_only'
  | 'tls'
  | 'missing_driver';

/** What an operator can do, by the beginning of the server's code. The longest beginning that fits counts. */
const POOLER: readonly [Reason, string] = [
  'pooler',
  'a pooler before the server does not keep sessions. Add ?prepare=false to the address.',
];

const TROUBLES: { readonly [beginning: string]: readonly [Reason, string] } = {
  '28': ['refused', 'the server refused user name or password. Check both in the address.'],
  '3D': ['unreachable', 'the server has no such database. Create it, or correct the address.'],
  '42501': [
    'rights',
    'the user of the address may not do this. Run "touchstone store prepare" as the owner of the schema, and give this user the rights that docs/scaling-out.md lists.',
  ],
  '3F': ['rights', 'the schema is missing. Run "touchstone store prepare".'],
  '53': ['full', 'the server has no connections, memory or disk space left. Make room and try again.'],
  '57': ['unreachable', 'the server is starting or shutting down. Try again in a moment.'],
  '57014': [
    'timeout',
    'the server gave up a statement that took longer than its statement_timeout. Raise it for this user, or find what the statement waited for.',
  ],
  '55P03': [
    'timeout',
    'another program holds a lock for longer than the lock_timeout of the server. End it.',
  ],
  '57P05': [
    'timeout',
    'the server ended the connection after its idle_session_timeout. Raise it for this user.',
  ],
  '25006': [
    'read_only',
    'the database takes no writes: it is a standby, or a setting of the server makes it read only (default_transaction_read_only). Name the server that takes writes, or end that setting.',
  ],
  '25P03': ['timeout', 'the server ended a transaction after its idle_in_transaction_session_timeout.'],
  '25P04': [
    'timeout',
    'the server ended a transaction after its transaction_timeout. Raise it for this user.',
  ],
  '26': POOLER,
  '42P05': POOLER,
  '08': ['unreachable', 'the connection failed. Check that the server runs and can be reached.'],
};
const UNREACHABLE = TROUBLES['08'] as readonly [Reason, string];

/**
 * The server's five characters; undefined for an error of the network or of the driver. Some errors of the system have five
 * characters as well, as EPIPE has: no code of the server begins with an E.
 */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' && /^(?!E)[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** What `tls` and the driver say when a connection cannot be made as the address asks for. */
const TLS_CODE = /CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH|^ERR_(?:TLS|SSL)_/;
const WITHOUT_TLS = 'The server does not support SSL connections';
const TLS_WORDS: readonly [Reason, string] = [
  'tls',
  'its certificate is not accepted, or it has none, and the address asks for one. Look at sslmode and sslrootcert in the address, and at the certificate of the server.',
];

const isOfTls = (error: unknown): boolean => {
  const { code = '', message = '' } = (error ?? {}) as {
    readonly code?: unknown;
    readonly message?: unknown;
  };
  return TLS_CODE.test(String(code)) || message === WITHOUT_TLS;
};

const troubleOf = (code: string | undefined): readonly [Reason, string] | undefined =>
  code === undefined ? UNREACHABLE : (TROUBLES[code] ?? TROUBLES[code.slice(0, 2)]);

/** PgBouncer says so; all its errors have the same code. */
const REFUSED_SETTING = 'unsupported startup parameter';

/** Of a server that could not be asked: nothing has been sent. Where it is, is for who opens the store. */
export function connectError(shown: string, error: unknown): HostError {
  if (isHostError(error)) return error;
  if (error instanceof Error && error.message.startsWith(REFUSED_SETTING)) return unnamedPooler(shown);
  const trouble = isOfTls(error) ? TLS_WORDS : (troubleOf(codeOf(error)) ?? UNREACHABLE);
  return troubleError(`Cannot open the store ${shown}`, trouble, error);
}

/** The same, of a store that is in use: callers of any tenant are told. */
export const reconnectError = (error: unknown): HostError =>
  troubleError(IN_USE, troubleOf(codeOf(error)) ?? UNREACHABLE, error);
const IN_USE = 'The store cannot be used';

/** The error a caller gets when reading or writing fails. The cause stays attached for the operator's log. */
export function accessError(error: unknown): unknown {
  if (isHostError(error) || error instanceof GuardFailed) return error;
  const code = codeOf(error);
  if (code === '23505')
    return new HostError('conflict', 'A row with the same key is stored already.', undefined, error);
  const trouble = troubleOf(code);
  if (!trouble)
    return new HostError('internal_error', `The store refused a statement (${code}).`, undefined, error);
  return troubleError(IN_USE, trouble, error);
}

/** Nothing was kept, and the same may work a moment later. */
const AWAY: readonly Reason[] = ['unreachable', 'timeout', 'read_only'];

function troubleError(what: string, [reason, words]: readonly [Reason, string], cause: unknown): HostError {
  if (AWAY.includes(reason)) return new StoreAway(`${what}: ${words}`, cause, reason);
  return new HostError('unavailable', `${what}: ${words}`, { reason }, cause);
}

/** Two batches got in each other's way, or a compiled statement is gone: nothing is kept, and trying again is enough. */
export const isTransient = (error: unknown): boolean =>
  ['40001', '40P01', '26000'].includes(codeOf(error) ?? '');

/** The server ends the connection: whatever comes next needs another one. Of a statement that others follow it has kept nothing. */
export const isEnding = (error: unknown): boolean => /^(57P0|25P0[34])/.test(codeOf(error) ?? '');

/** The next connection may lead to another server: the one that takes writes now. */
export const isOfNoUse = (error: unknown): boolean => isEnding(error) || codeOf(error) === READ_ONLY;

const READ_ONLY = '25006';
const WITHOUT_RIGHT = '42501';

/** Why nothing can be written, before anything is: the words that a write would be refused with. */
export const unwritable = (why: 'read_only' | 'rights'): HostError =>
  troubleError(
    IN_USE,
    TROUBLES[why === 'read_only' ? READ_ONLY : WITHOUT_RIGHT] as readonly [Reason, string],
    undefined,
  );

export const missingDriver = (cause: unknown): HostError =>
  new HostError(
    'unavailable',
    'A PostgreSQL store needs the package "pg", which is not installed. Install it with: npm install pg@8',
    { reason: 'missing_driver' satisfies Reason },
    cause,
  );

const unusable = (shown: string, reason: Reason, words: string): HostError =>
  new HostError('unavailable', `Cannot open the store ${shown}: ${words}`, { reason });

export const foreignSchema = (shown: string, schema: string): HostError =>
  unusable(
    shown,
    'foreign',
    `the schema "${schema}" holds tables of another program. Choose another with ?schema=<name>.`,
  );

export const newerSchema = (shown: string, found: number, known: number): HostError =>
  unusable(
    shown,
    'newer',
    `it has schema version ${found}, which this program may not use; it knows versions up to ${known}. Install a newer Touchstone.`,
  );

export const unprepared = (shown: string): HostError =>
  unusable(
    shown,
    'unprepared',
    'its tables are missing or of an earlier release. Run "touchstone store prepare" first, or start "touchstone serve" without --no-prepare.',
  );
export const unnamedPooler = (shown: string): HostError => unusable(shown, ...POOLER);

export const oldServer = (shown: string, version: string): HostError =>
  unusable(
    shown,
    'version',
    `the server has version ${version}, and 15 or later is needed. Upgrade the server.`,
  );

export const foreignEncoding = (shown: string, encoding: string): HostError =>
  unusable(
    shown,
    'encoding',
    `the database has the encoding ${encoding}, and UTF8 is needed. Create it with: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0.`,
  );

export const foreignClock = (shown: string, skewMs: number): HostError =>
  unusable(
    shown,
    'clock',
    `the clocks of this machine and of the server differ by ${Math.round(Math.abs(skewMs) / 1000)} s, and at most 60 s can be made up for. Set the clocks right.`,
  );
