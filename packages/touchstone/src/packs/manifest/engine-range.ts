import { HostError, type Issue, isObject } from '@touchstone/protocol';
import type { NodePackManifestWire } from '@touchstone/protocol/wire';
import intersects from 'semver/ranges/intersects.js';
import validRange from 'semver/ranges/valid.js';

/** The major of the protocol that this host speaks, for `engines.openwop`. */
const PROTOCOL_MAJOR = 1;
const OWN_RANGE = `>=${PROTOCOL_MAJOR}.0.0 <${PROTOCOL_MAJOR + 1}.0.0-0`;
const MAX_RANGE_LENGTH = 256;

const isRange = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_RANGE_LENGTH && validRange(value) !== null;

/** Why `engines.openwop` is no range. */
export const rangeIssues = ({ engines }: NodePackManifestWire): readonly Issue[] =>
  isRange(engines.openwop)
    ? []
    : [{ pointer: '/engines/openwop', message: 'expected a range of versions, such as >=1.0.0 <2.0.0' }];

/**
 * Refuses a pack for another major. Within a major the protocol only grows, and what a pack cannot do without it names in
 * `peerDependencies`: a pack for 1.1 is fit for every host of major 1. Asked before the shape, which differs between majors.
 */
export function checkEngine(manifest: unknown): void {
  const engines = isObject(manifest) ? manifest.engines : undefined;
  const range = isObject(engines) ? engines.openwop : undefined;
  if (!isRange(range) || intersects(range, OWN_RANGE)) return;
  throw new HostError(
    'pack_engine_unsupported',
    `The pack is made for OpenWOP "${range}" (engines.openwop), and this host speaks major ${PROTOCOL_MAJOR}. Take a version of the pack whose range includes ${PROTOCOL_MAJOR}.x.`,
    { range, protocolMajor: PROTOCOL_MAJOR },
  );
}
