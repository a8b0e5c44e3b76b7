import { createHash } from 'node:crypto';
import { type Digest, HostError, type JsonObject } from '@touchstone/protocol';
import { digestOf } from '../../suites/index.js';
import { MANIFEST_PATH, type PackFiles, sortedPaths } from '../archive/file-table.js';

/** Where signatures lie: they vouch for the pack and are no part of what it is. */
export const KEYS_FOLDER = 'keys/';

/** SHA-256 as packs write it. */
export const integrityOf = (bytes: Buffer): string =>
  `sha256-${createHash('sha256').update(bytes).digest('base64')}`;

/**
 * What makes two packs the same, however they were archived and whoever signed them. Signing writes the key's name into
 * the manifest, so that one is taken by what it says, without its signer.
 */
export function packDigest(manifest: JsonObject, files: PackFiles): Digest {
  const { signing: _, ...said } = manifest;
  const own = sortedPaths(files).filter((path) => !path.startsWith(KEYS_FOLDER) && path !== MANIFEST_PATH);
  const hashes = own.map((path) => [path, integrityOf(files.get(path) as Buffer)] as const);
  return digestOf({ manifest: said, files: Object.fromEntries(hashes) });
}

/** Refuses an archive that is not the one its sender hashed. */
export function checkPackIntegrity(pack: { readonly integrity: string }, expected: string): void {
  if (pack.integrity !== expected)
    throw new HostError(
      'pack_integrity_failure',
      `The archive has the hash ${pack.integrity}, which is not the one it was announced with.`,
      { integrity: pack.integrity },
    );
}
