import type { StoredKey } from '../../../ports/index.js';
import type { ExitCode } from '../../exit.js';
import { type Context, isColoured, writeJson, writeLine } from '../../io.js';
import { readStore, withStore } from '../../local.js';
import { createInk } from '../../render/ink.js';
import { renderTable } from '../../render/table.js';
import { UsageError } from '../../usage-error.js';
import { keyState, makeKey, parseLifetime, shortHash } from './api-key.js';

export type CreateKeyOptions = {
  readonly tenant: string;
  readonly workspace: string;
  readonly principal: string;
  readonly role?: readonly string[];
  readonly expires?: string;
};

const NAME = /^[A-Za-z0-9._-]{1,64}$/;
const HASH_LENGTH = 64;
const SHORTEST_PREFIX = 4;

export async function createKeyCommand(context: Context, options: CreateKeyOptions): Promise<ExitCode> {
  const { io, settings } = context;
  checkNames(options);
  const lifetime = options.expires === undefined ? {} : { lifetimeMs: parseLifetime(options.expires) };
  const roles = [...new Set(options.role ?? ['admin'])];
  const { key, row } = await withStore(context, async ({ touchstone, config }) => {
    checkRoles(roles, Object.keys(config.roles));
    const owner = { tenant: options.tenant, workspace: options.workspace };
    const made = makeKey({ owner, principal: options.principal, roles, now: io.now(), ...lifetime });
    await touchstone.store.keys.put(made.row);
    return made;
  });
  const entry = { keyHash: row.keyHash, ...row.owner, principal: row.principal, roles };
  if (settings.json) writeJson(io, { key, ...entry, ...expiryOf(row) });
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
  const stranger = roles.find((role) => !known.includes(role));
  if (stranger) throw new UsageError(`There is no role ${stranger}.`, `Known: ${known.join(', ')}`);
}

const expiryOf = (row: StoredKey): object =>
  row.expiresAt === undefined ? {} : { expiresAt: new Date(row.expiresAt).toISOString() };

/** The key alone goes to stdout, so that a script can keep it; the words around it go to stderr. */
function tellKey({ io }: Context, key: string, row: StoredKey, entry: object): void {
  writeLine(io.stdout, key);
  writeLine(
    io.stderr,
    `This is the only time the key is shown. It acts for ${row.owner.tenant}/${row.owner.workspace}.`,
  );
  writeLine(io.stderr, 'It works with "touchstone serve" on this data folder.');
  // A key of a configuration has no end, so one that was asked to expire is not offered as such.
  if (row.expiresAt !== undefined) return;
  writeLine(io.stderr, 'For another host, add to "keys" of its configuration:');
  writeLine(io.stderr, `  ${JSON.stringify(entry)}`);
}

export async function listKeysCommand(context: Context): Promise<ExitCode> {
  const { io, settings } = context;
  const keys = await readStore(
    context,
    ({ touchstone }) => touchstone.store.keys.list(),
    () => [],
  );
  if (settings.json) {
    writeJson(io, { items: keys.map((key) => ({ ...key, state: keyState(key, io.now()) })) });
  } else if (keys.length === 0) {
    writeLine(io.stdout, 'There are no keys here. Make one with: touchstone keys create');
  } else {
    const ink = createInk(isColoured(context, io.stdout));
    const rows = keys.map((key) => [
      shortHash(key.keyHash),
      `${key.owner.tenant}/${key.owner.workspace}`,
      key.principal,
      key.roles.join(', '),
      keyState(key, io.now()),
      day(key.createdAt),
      key.expiresAt === undefined ? '–' : day(key.expiresAt),
    ]);
    writeLine(
      io.stdout,
      renderTable(['hash', 'owner', 'principal', 'roles', 'state', 'made', 'expires'], rows, ink),
    );
  }
  return 0;
}

const day = (at: number): string => new Date(at).toISOString().slice(0, 10);

export async function revokeKeyCommand(context: Context, prefix: string): Promise<ExitCode> {
  const { io, settings } = context;
  const digits = prefix.replace(/^sha256:/, '');
  if (!new RegExp(`^[0-9a-f]{${SHORTEST_PREFIX},${HASH_LENGTH}}$`).test(digits)) {
    throw new UsageError(
      `Expected at least ${SHORTEST_PREFIX} hex digits of the key's hash.`,
      'See them with: touchstone keys list',
    );
  }
  const revoked = await withStore(context, async ({ touchstone }) => {
    const matching = (await touchstone.store.keys.list()).filter((key) =>
      key.keyHash.startsWith(`sha256:${digits}`),
    );
    const [only] = matching;
    if (!only)
      throw new UsageError(`No key's hash begins with ${digits}.`, 'See them with: touchstone keys list');
    if (matching.length > 1)
      throw new UsageError(`${matching.length} keys begin with ${digits}; give more digits.`);
    return { keyHash: only.keyHash, already: !(await touchstone.store.keys.revoke(only.keyHash, io.now())) };
  });
  if (settings.json) writeJson(io, { keyHash: revoked.keyHash, state: 'revoked' });
  else
    writeLine(
      io.stdout,
      `Key ${shortHash(revoked.keyHash)} ${revoked.already ? 'was revoked before' : 'is revoked'}.`,
    );
  return 0;
}
