import {
  type AuditEntry,
  asId,
  type PrincipalId,
  type ResourceName,
  type ScopeName,
} from '@touchstone/protocol';
import type { Clock, Keys, Store, StoredKey } from '../ports/index.js';
import { keyIdOf } from './principal.js';

/** Who acts when the operator works at the machine, and when a host makes its first key by itself. */
const ACTORS = { cli: asId<PrincipalId>('cli'), host: asId<PrincipalId>('~host') };

/** Keys whose making and revoking is in the audit log of the owner they are for, before it is done. */
export function auditedKeys(
  { keys, audit }: Pick<Store, 'keys' | 'audit'>,
  clock: Pick<Clock, 'now'>,
  origin: keyof typeof ACTORS,
): Keys {
  const note = (key: StoredKey, action: string): Promise<unknown> =>
    audit.append(key.owner, { ...entryOf(key, action), at: clock.now(), principal: ACTORS[origin] });
  return {
    ...keys,
    async put(key) {
      await note(key, 'keys:create');
      await keys.put(key);
    },
    async revoke(keyHash, at) {
      const known = await keys.get(keyHash);
      if (known && known.revokedAt === undefined) await note(known, 'keys:revoke');
      return keys.revoke(keyHash, at);
    },
  };
}

const entryOf = (
  { keyHash, principal, roles }: StoredKey,
  action: string,
): Pick<AuditEntry, 'action' | 'resource' | 'allowed' | 'reason'> => ({
  action: asId<ScopeName>(action),
  resource: asId<ResourceName>(`keys/${keyIdOf(keyHash)}`),
  allowed: true,
  reason: `for ${principal} as ${roles.join(', ')}`,
});
