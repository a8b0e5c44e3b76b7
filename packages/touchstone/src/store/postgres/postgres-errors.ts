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
  | 'missing_driver';

/** What an operator can do, by the beginning of the server's code. The longest beginning that fits counts. */
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
  '08': ['unreachable', 'the connection failed. Check that the server runs and can be reached.'],
};
const UNREACHABLE = TROUBLES['08'] as readonly [Reason, string];

/** The server's five characters; undefined for an error of the network or of the driver. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

const troubleOf = (code: string | undefined): readonly [Reason, string] | undefined =>
  code === undefined ? UNREACHABLE : (TROUBLES[code] ?? TROUBLES[code.slice(0, 2)]);

/** Of a server that could not be asked: nothing has been sent. */
export function connectError(shown: string, error: unknown): HostError {
  if (isHostError(error)) return error;
  return troubleError(`Cannot open the store ${shown}`, troubleOf(codeOf(error)) ?? UNREACHABLE, error);
}

/** The error a caller gets when reading or writing fails. The cause stays attached for the operator's log. */
export function accessError(error: unknown): unknown {
  if (isHostError(error) || error instanceof GuardFailed) return error;
  const code = codeOf(error);
  if (code === '23505')
    return new HostError('conflict', 'A row with the same key is stored already.', undefined, error);
  const trouble = troubleOf(code);
  if (!trouble) return new HostError('internal_error', 'The store refused a statement.', undefined, error);
  return troubleError('The store cannot be used', trouble, error);
}

function troubleError(what: string, [reason, words]: readonly [Reason, string], cause: unknown): HostError {
  if (reason === 'unreachable') return new StoreAway(`${what}: ${words}`, cause);
  return new HostError('unavailable', `${what}: ${words}`, { reason }, cause);
}

/** Two batches got in each other's way, or a compiled statement is gone: nothing is kept, and trying again is enough. */
export const isTransient = (error: unknown): boolean =>
  ['40001', '40P01', '26000'].includes(codeOf(error) ?? '');

/** The server ends the connection and has kept nothing of the statement: whatever comes next needs another one. */
export const isEnding = (error: unknown): boolean => codeOf(error)?.startsWith('57P0') === true;

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
