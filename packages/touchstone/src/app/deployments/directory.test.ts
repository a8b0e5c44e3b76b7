import { expect, it } from 'vitest';
import type { StoredKey } from '../../ports/index.js';
import { createDirectory } from './directory.js';

const acme = { tenant: 'acme', workspace: 'main' };
const key = (keyHash: string, change: Partial<StoredKey> = {}): StoredKey => ({
  keyHash,
  owner: acme,
  principal: 'alice',
  roles: ['approver'],
  createdAt: 1,
  ...change,
});
const open = (fixed: readonly StoredKey[], stored: readonly StoredKey[]) =>
  createDirectory({
    fixed,
    stored: { list: async () => stored },
    roles: { approver: ['approvals:respond'], runner: ['runs:create'] },
    clock: { now: () => 100 },
  });

it('a principal has the roles of all its keys', async () => {
  const find = open([key('a')], [key('b', { roles: ['runner', 'gone'] })]);
  const found = await find(acme, 'alice');
  expect(found?.roles).toEqual(['approver', 'runner', 'gone']);
  expect([...(found?.scopes ?? [])]).toEqual(['approvals:respond', 'runs:create']);
});

it('of those roles only some may be asked for, and none that it has not', async () => {
  const find = open([key('a')], [key('b', { roles: ['runner'] })]);
  const found = await find(acme, 'alice', ['runner', 'admin']);
  expect(found?.roles).toEqual(['runner']);
  expect([...(found?.scopes ?? [])]).toEqual(['runs:create']);
});

it.each([
  ['nobody has a key of', []],
  ['another tenant has', [key('a', { owner: { tenant: 'rival', workspace: 'main' } })]],
  ['another workspace has', [key('a', { owner: { tenant: 'acme', workspace: 'other' } })]],
  ['expired', [key('a', { expiresAt: 100 })]],
  ['revoked', [key('a', { revokedAt: 50 })]],
] as const)('a principal that %s is nobody', async (_, keys) => {
  expect(await open([], keys)(acme, 'alice')).toBeUndefined();
});

it('a key of the configuration can be revoked in the store', async () => {
  expect(await open([key('a')], [key('a', { revokedAt: 50 })])(acme, 'alice')).toBeUndefined();
});
