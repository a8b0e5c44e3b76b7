import { type KeyEntry, type Owner, timestampOf } from '@touchstone/protocol';
import { vendor } from '@touchstone/protocol/wire';
import { keyIdOf } from '../../app/index.js';
import { type Endpoint, endpoint } from '../endpoint.js';
import type { Services } from '../services.js';

// No operation makes a key: approvals count principals, and a caller who could make keys could approve as two of them.
export const keyEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'listKeys',
    method: 'GET',
    path: '/v1/host/touchstone/keys',
    auth: 'keys:read',
    summary: 'The API keys of the caller and of others in the same tenant and workspace',
    responses: {
      200: { description: 'Keys by the beginning of their hash.', schema: vendor.page(vendor.keyEntry) },
    },
    handle: async ({ principal: { owner } }) => ({ status: 200, body: { items: await keysOf(host, owner) } }),
  }),
];

async function keysOf({ config, touchstone }: Services, owner: Owner): Promise<readonly KeyEntry[]> {
  const stored = (await touchstone.store.keys.list()).filter((key) => isSame(key.owner, owner));
  const revokedAt = new Map(stored.map((key) => [key.keyHash, key.revokedAt]));
  const configured = config.keys.filter((key) => isSame(key, owner));
  const known = new Set(configured.map(({ keyHash }) => keyHash));
  return [
    ...configured.map((key) => entryOf({ ...key, revokedAt: revokedAt.get(key.keyHash) }, 'config')),
    ...stored.filter(({ keyHash }) => !known.has(keyHash)).map((key) => entryOf(key, 'store')),
  ];
}

const isSame = (one: Owner, other: Owner): boolean =>
  one.tenant === other.tenant && one.workspace === other.workspace;

type Key = {
  readonly keyHash: string;
  readonly principal: string;
  readonly roles: readonly string[];
  readonly expiresAt?: number | undefined;
  readonly revokedAt?: number | undefined;
};

const entryOf = (
  { keyHash, principal, roles, expiresAt, revokedAt }: Key,
  from: KeyEntry['from'],
): KeyEntry => ({
  keyId: keyIdOf(keyHash),
  principal,
  roles,
  from,
  ...(expiresAt !== undefined && { expiresAt: timestampOf(expiresAt) }),
  ...(revokedAt !== undefined && { revokedAt: timestampOf(revokedAt) }),
});
