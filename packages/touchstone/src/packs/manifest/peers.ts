import { HostError, type ModelClass } from '@touchstone/protocol';
import type { NodePackManifestWire } from '@touchstone/protocol/wire';

/**
 * Whether the host offers what packs call by this name to agents of these model classes: models are offered to some
 * classes and not to others.
 */
export type HasCapability = (key: string, modelClasses: readonly ModelClass[]) => boolean;

/** What the pack would like of the host and does without. What it cannot do without, and is not there, refuses it. */
export function unmetPeers(pack: NodePackManifestWire, hasCapability: HasCapability): readonly string[] {
  const { peerDependencies = {}, peerDependenciesMeta = {}, agents = [] } = pack;
  const classes = [...new Set(agents.map(({ modelClass }) => modelClass))].sort();
  const optional = new Map(Object.entries(peerDependenciesMeta).map(([key, meta]) => [key, meta.optional]));
  const unmet = Object.keys(peerDependencies).filter((key) => !hasCapability(key, classes));
  const missing = unmet.filter((key) => optional.get(key) !== true);
  if (missing.length > 0) throw missingPeers(pack.name, missing, classes);
  return unmet;
}

function missingPeers(name: string, missing: readonly string[], classes: readonly string[]): HostError {
  const needsModel = missing.some((key) => key.replace(/^host\./, '') === 'aiProviders');
  const hint = needsModel
    ? ` "aiProviders" needs a model for ${classes.length === 1 ? 'class' : 'each of the classes'} ${classes.join(', ')}: set modelClasses in the configuration.`
    : '';
  return new HostError(
    'pack_peer_dependency_missing',
    `Pack ${name} needs what this host does not offer: ${listed(missing)}.${hint}`,
    { missing, ...(needsModel && { modelClasses: classes }) },
  );
}

const MAX_LISTED = 10;

const listed = (keys: readonly string[]): string => {
  const shown = keys.slice(0, MAX_LISTED).map((key) => JSON.stringify(key.slice(0, 80)));
  return keys.length > MAX_LISTED
    ? `${shown.join(', ')} and ${keys.length - MAX_LISTED} more`
    : shown.join(', ');
};
