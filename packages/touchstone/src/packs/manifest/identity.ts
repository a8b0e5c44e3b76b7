import { HostError } from '@touchstone/protocol';
import parse from 'semver/functions/parse.js';

const SCOPES = ['core', 'vendor', 'community', 'private'];
const NAME = /^[a-z]+\.[a-z][a-z0-9_-]*(\.[a-z][a-zA-Z0-9_-]*)+$/;
const MAX_NAME_LENGTH = 256;

/** Refuses a name, as a caller gave it, that no pack can have. */
export function checkPackName(name: string): void {
  const [scope = ''] = name.split('.', 1);
  if (!SCOPES.includes(scope))
    throw new HostError('invalid_pack_scope', `The name of a pack begins with one of ${SCOPES.join(', ')}.`);
  if (name.length > MAX_NAME_LENGTH || !NAME.test(name))
    throw new HostError(
      'invalid_pack_name',
      `Expected a pack name of the form <scope>.<org>.<pack>, at most ${MAX_NAME_LENGTH} characters long.`,
    );
}

export function checkPackVersion(version: string): void {
  if (!isPackVersion(version))
    throw new HostError('invalid_version', 'Expected the version of a pack by SemVer, such as 1.2.0.');
}

/** Stricter than the library, which admits a leading "v" and blanks around. */
export const isPackVersion = (version: string): boolean => /^\d\S*$/.test(version) && parse(version) !== null;

type Identity = { readonly name: string; readonly version: string };

/** A pack may not say of itself that it is another than the one asked for. */
export function checkPackIdentity(pack: Identity, name: string, version: string): void {
  if (pack.name !== name)
    throw new HostError(
      'manifest_name_mismatch',
      `Expected pack ${name}, but the manifest in the archive names ${pack.name}.`,
    );
  if (pack.version !== version)
    throw new HostError(
      'manifest_version_mismatch',
      `Expected version ${version} of ${name}, but the manifest in the archive says ${pack.version}.`,
    );
}
