import { HostError } from '@touchstone/protocol';
import type { NodePackManifestWire } from '@touchstone/protocol/wire';

export type HasCapability = (key: string) => boolean;

/** What the pack would like of the host and does without. What it cannot do without, and is not there, refuses it. */
export function unmetPeers(pack: NodePackManifestWire, hasCapability: HasCapability): readonly string[] {
  const { peerDependencies = {}, peerDependenciesMeta = {} } = pack;
  const optional = new Map(Object.entries(peerDependenciesMeta).map(([key, meta]) => [key, meta.optional]));
  const unmet = Object.keys(peerDependencies).filter((key) => !hasCapability(key));
  const missing = unmet.filter((key) => optional.get(key) !== true);
  if (missing.length > 0)
    throw new HostError(
      'pack_peer_dependency_missing',
      `Pack ${pack.name} needs what this host does not offer: ${listed(missing)}.`,
      { missing },
    );
  return unmet;
}

const MAX_LISTED = 10;

const listed = (keys: readonly string[]): string => {
  const shown = keys.slice(0, MAX_LISTED).map((key) => JSON.stringify(key.slice(0, 80)));
  return keys.length > MAX_LISTED
    ? `${shown.join(', ')} and ${keys.length - MAX_LISTED} more`
    : shown.join(', ');
};
