import type { Store } from '../ports/index.js';
import type { Config } from './config/config.js';

type TenantOptions = { readonly config: Pick<Config, 'keys'>; readonly origin: 'host' | 'cli' };

/**
 * Whether a tenant is the only one with keys, those in the store included. Looked up again with every look for orphaned
 * runs; a tenant that turns up in between is not the one that was known, and so is not alone. Whoever sits at the machine
 * acts for no tenant of the keys.
 */
export async function watchTenants(
  store: Store,
  { config, origin }: TenantOptions,
): Promise<{ isOnly(tenant: string): boolean; look(): Promise<void> }> {
  let known: ReadonlySet<string> = new Set();
  const look = async (): Promise<void> => {
    const stored = (await store.keys.list()).filter((key) => key.revokedAt === undefined);
    known = new Set([...config.keys.map((key) => key.tenant), ...stored.map((key) => key.owner.tenant)]);
  };
  await look();
  return {
    isOnly: (tenant) => known.size === 0 || (known.size === 1 && (origin === 'cli' || known.has(tenant))),
    look,
  };
}
