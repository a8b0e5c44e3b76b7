import { HOST_OWNER, type Owner } from '@touchstone/protocol';
import type { Page } from '../../ports/index.js';

/** A cursor tells which of the two lists it is about. */
const HOST_PAGE = 'host.';
const OWN_PAGE = 'own.';

/** Two lists as one, in pages: what belongs to the host first, then what is the owner's own. */
export async function hostsFirst<T>(
  list: (owner: Owner, limit: number, cursor?: string) => Promise<Page<T>>,
  owner: Owner,
  limit: number,
  cursor?: string,
): Promise<Page<T>> {
  const ofHost = cursor === undefined || cursor.startsWith(HOST_PAGE);
  if (!ofHost) return list(owner, limit, cursor === OWN_PAGE ? undefined : cursor);
  const hosts = await list(HOST_OWNER, limit, cursor?.slice(HOST_PAGE.length));
  if (hosts.nextCursor !== undefined) return { ...hosts, nextCursor: HOST_PAGE + hosts.nextCursor };
  const left = limit - hosts.items.length;
  if (left === 0) return { ...hosts, nextCursor: OWN_PAGE };
  const own = await list(owner, left);
  return { ...own, items: [...hosts.items, ...own.items] };
}
