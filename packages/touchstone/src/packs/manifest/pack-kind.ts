import { HostError, isObject, type UnknownObject } from '@touchstone/protocol';

// Upstream has a manifest schema per kind of pack, and the one of agent packs says nothing helpful about the others. So the
// kind is looked at before the shape.

/** Refuses a manifest that is sound in its own way and brings no agents. */
export function checkKind(manifest: unknown): void {
  const kind = isObject(manifest) ? otherKind(manifest) : undefined;
  if (kind === undefined) return;
  const known = /^[a-z][a-z0-9-]{0,39}$/.test(kind);
  const named = known ? `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind} pack` : 'a pack of an unknown kind';
  throw new HostError('pack_kind_invalid', `This is ${named}; this host evaluates agent packs.`, {
    ...(known && { kind }),
  });
}

/** `node` is also the kind of agent packs, and the default: only what such a pack brings tells the two apart. */
function otherKind({ kind = 'node', nodes, agents }: UnknownObject): string | undefined {
  if (typeof kind !== 'string') return undefined;
  // No kind of upstream's: the schema says what it has to be.
  if (kind === 'agent') return undefined;
  if (kind !== 'node') return kind;
  return isFilled(nodes) && !isFilled(agents) ? kind : undefined;
}

const isFilled = (list: unknown): boolean => Array.isArray(list) && list.length > 0;
