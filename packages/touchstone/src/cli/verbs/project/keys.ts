import { randomBytes } from 'node:crypto';
import type { Owner } from '@touchstone/protocol';
import type { Client } from '@touchstone/sdk';
import { hashKey, keyIdOf, spanMs } from '../../../app/index.js';
import type { StoredKey } from '../../../ports/index.js';
import { type Context, type ExitCode, UsageError, writeJson, writeLine, writeResult } from '../../io.js';
import { withTouchstone } from '../../local.js';
import { renderTable } from '../../render/table.js';
import { type Where, withSession } from '../../session.js';

export const newToken = (): string => randomBytes(32).toString('base64url');

/** A fresh key and the row that is kept of it: the hash, never the key. */
export function makeKey(facts: {
  readonly owner: Owner;
  readonly principal: string;
  readonly roles: readonly string[];
  readonly now: number;
  readonly lifetimeMs?: number;
}): { readonly key: string; readonly row: StoredKey } {
  const key = `ts_${newToken()}`;
  const { owner, principal, roles, now, lifetimeMs } = facts;
  const expiry = lifetimeMs === undefined ? {} : { expiresAt: now + lifetimeMs };
  return { key, row: { keyHash: hashKey(key), owner, principal, roles, createdAt: now, ...expiry } };
}

/** `45m`, `12h`, `30d`, `8w`. */
export function parseLifetime(text: string): number {
  const ms = spanMs(text);
  if (ms !== undefined) return ms;
  throw new UsageError('Expected a lifetime such as 12h or 30d after --expires.');
}

type KeyState = 'active' | 'expired' | 'revoked';
type KeyEnds = { readonly expiresAt?: number | undefined; readonly revokedAt?: number | undefined };
export function keyState(key: KeyEnds, now: number): KeyState {
  if (key.revokedAt !== undefined) return 'revoked';
  return key.expiresAt !== undefined && key.expiresAt <= now ? 'expired' : 'active';
}

/** The name of a key, here as on a host: the first digits of its hash. */
const shortHash = (keyHash: string): string => keyIdOf(keyHash);

type CreateKeyOptions = {
  readonly tenant: string;
  readonly workspace: string;
  readonly principal: string;
  readonly role?: readonly string[];
  readonly expires?: string;
};

const NAME = /^[A-Za-z0-9._-]{1,64}$/;

export async function createKeyCommand(context: Context, options: CreateKeyOptions): Promise<ExitCode> {
  const { io, settings } = context;
  checkNames(options);
  const { tenant, workspace, principal, expires } = options;
  const lifetime = expires === undefined ? {} : { lifetimeMs: parseLifetime(expires) };
  const roles = [...new Set(options.role ?? ['admin'])];
  const { key, row } = await withTouchstone(context, 'store', async ({ touchstone, config }) => {
    checkRoles(roles, Object.keys(config.roles));
    const made = makeKey({ owner: { tenant, workspace }, principal, roles, now: io.now(), ...lifetime });
    await touchstone.keys.put(made.row);
    return made;
  });
  const entry = { keyHash: row.keyHash, tenant, workspace, principal, roles };
  const { expiresAt } = row;
  const expiry = expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() };
  if (settings.json) writeJson(io, { key, ...entry, ...expiry });
  else tellKey(context, key, row, entry);
  return 0;
}

function checkNames({ tenant, workspace, principal }: CreateKeyOptions): void {
  for (const [name, value] of Object.entries({ tenant, workspace, principal })) {
    if (!NAME.test(value))
      throw new UsageError(`--${name} may hold letters, digits, ".", "_" and "-", 1 to 64 of them.`);
  }
}

function checkRoles(roles: readonly string[], known: readonly string[]): void {
  const unknown = roles.find((role) => !known.includes(role));
  if (unknown) throw new UsageError(`There is no role ${unknown}.`, `Known: ${known.join(', ')}`);
}

/** The key alone goes to stdout, so that a script can keep it; the words around it go to stderr. */
function tellKey({ io }: Context, key: string, row: StoredKey, entry: object): void {
  const { tenant, workspace } = row.owner;
  writeLine(io.stdout, key);
  writeLine(io.stderr, `This is the only time the key is shown. It acts for ${tenant}/${workspace}.`);
  writeLine(io.stderr, 'It works with "touchstone serve" on this data folder.');
  // A key of a configuration has no end, so one that was asked to expire is not offered as such.
  if (row.expiresAt !== undefined) return;
  writeLine(io.stderr, 'For another host, add to "keys" of its configuration:');
  writeLine(io.stderr, `  ${JSON.stringify(entry)}`);
}

/** In this process the keys of every tenant; on another host those of the caller's tenant and workspace. */
export async function listKeysCommand(context: Context, { host, keyEnv }: Where): Promise<ExitCode> {
  const { items, heads, rows } =
    host === undefined
      ? await keysHere(context)
      : await withSession(context, { host, keyEnv }, 'look', ({ client }) =>
          keysThere(client, context.io.now()),
        );
  writeResult(context, { items }, ({ ink }) =>
    items.length === 0
      ? `There are no keys ${host === undefined ? 'here' : 'there'}. Make one with: touchstone keys create\n`
      : `${renderTable(heads, rows, ink)}\n`,
  );
  return 0;
}

type KeyTable = {
  readonly items: readonly object[];
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
};

async function keysHere(context: Context): Promise<KeyTable> {
  const keys = await withTouchstone(context, 'look', ({ touchstone }) => touchstone.keys.list());
  const items = keys.map((key) => ({ ...key, state: keyState(key, context.io.now()) }));
  const rows = items.map((key) => [
    shortHash(key.keyHash),
    `${key.owner.tenant}/${key.owner.workspace}`,
    key.principal,
    key.roles.join(', '),
    key.state,
    day(key.createdAt),
    key.expiresAt === undefined ? '–' : day(key.expiresAt),
  ]);
  return { items, heads: ['hash', 'owner', 'principal', 'roles', 'state', 'made', 'expires'], rows };
}

/** A hash stays on the machine that keeps it; its first digits are the name of the key. */
async function keysThere(client: Client, now: number): Promise<KeyTable> {
  const timeOf = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text));
  const items = (await client.keys.list()).items.map((key) => {
    const ends = { expiresAt: timeOf(key.expiresAt), revokedAt: timeOf(key.revokedAt) };
    return { ...key, state: keyState(ends, now) };
  });
  const rows = items.map((key) => [
    key.keyId,
    key.principal,
    key.roles.join(', '),
    key.state,
    key.from,
    key.expiresAt?.slice(0, 10) ?? '–',
  ]);
  return { items, heads: ['hash', 'principal', 'roles', 'state', 'from', 'expires'], rows };
}

const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
const SEE_KEYS = 'See them with: touchstone keys list';

export async function revokeKeyCommand(context: Context, prefix: string): Promise<ExitCode> {
  const digits = prefix.replace(/^sha256:/, '');
  if (!/^[0-9a-f]{4,64}$/.test(digits))
    throw new UsageError("Expected at least 4 hex digits of the key's hash.", SEE_KEYS);
  const { keyHash, already } = await withTouchstone(context, 'store', async ({ touchstone: { keys } }) => {
    const matching = (await keys.list()).filter((key) => key.keyHash.startsWith(`sha256:${digits}`));
    const [only] = matching;
    if (!only) throw new UsageError(`No key's hash begins with ${digits}.`, SEE_KEYS);
    if (matching.length > 1)
      throw new UsageError(`${matching.length} keys begin with ${digits}; give more digits.`);
    return { keyHash: only.keyHash, already: !(await keys.revoke(only.keyHash, context.io.now())) };
  });
  const outcome = already ? 'was revoked before' : 'is revoked';
  writeResult(context, { keyHash, state: 'revoked' }, () => `Key ${shortHash(keyHash)} ${outcome}.\n`);
  return 0;
}
