import { HostError } from '@touchstone/protocol';
import { isNamedBy } from '../../evidence/index.js';
import type { Trust, TrustedPack } from './trust.js';

// What the trust policy says of a name and a hash, before anybody looks at a signature. The same for packs and suites.

/** Something that is to be let in. */
export type Arrival = { readonly name: string; readonly version: string; readonly integrity: string };

export function checkAdmitted(
  arrival: Arrival,
  { policy, packs }: Pick<Trust, 'policy' | 'packs'>,
  kind: 'packs' | 'suites',
): void {
  if (policy === 'open' || policy === 'verified') return;
  const named = packs.filter((entry) => isNamed(entry, arrival.name, policy === 'pinned'));
  if (named.length === 0)
    throw new HostError(
      'forbidden',
      `${nameOf(arrival)} is not among the ${kind} that the trust policy "${policy}" lists.`,
    );
  if (named.some((entry) => typeof entry === 'string' || isPinnedTo(entry, arrival))) return;
  const what = kind === 'packs' ? 'archive' : 'suite';
  throw new HostError(
    'pack_integrity_failure',
    `${nameOf(arrival)} is not the ${what} that is pinned: its version or its hash is another.`,
    { integrity: arrival.integrity, ...(kind === 'suites' && { suite: nameOf(arrival) }) },
  );
}

/** A name alone pins nothing, so under `pinned` it does not count. */
function isNamed(entry: TrustedPack, name: string, pinnedOnly: boolean): boolean {
  if (typeof entry !== 'string') return entry.name === name;
  if (pinnedOnly) return false;
  return isNamedBy(entry, name);
}

const isPinnedTo = (entry: Exclude<TrustedPack, string>, arrival: Arrival): boolean =>
  entry.version === arrival.version && entry.integrity === arrival.integrity;

export const nameOf = ({ name, version }: Pick<Arrival, 'name' | 'version'>): string => `${name}@${version}`;

export const badSignature = (message: string, details?: { readonly suite: string }): HostError =>
  new HostError('pack_signature_invalid', message, details);
