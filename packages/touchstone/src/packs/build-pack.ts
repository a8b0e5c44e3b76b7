import { isHostError } from '@touchstone/protocol';
import type { Signing } from '../evidence/index.js';
import { readArchive, writeArchive } from './archive/archive.js';
import { MANIFEST_PATH, PACK_LIMITS, type PackFiles, tableOf } from './archive/file-table.js';
import { readManifest } from './manifest/manifest.js';
import { type PackOptions, readPack } from './open-pack.js';
import {
  asText,
  checkFileList,
  FILE_LIST_PATH,
  FILE_LIST_SIGNATURE_PATH,
  integrityOf,
  KEYS_FOLDER,
  signBytes,
  writeFileList,
} from './signing/signature.js';

const SIGNATURE_PATH = 'keys/pack.json.sig';

export type BuildPackOptions = PackOptions & { readonly signing?: Signing };
export type PackBuild = {
  readonly archive: Buffer;
  readonly integrity: string;
  readonly warnings: readonly string[];
};

/** Makes the archive of a pack that would open. Without `signing` the files go into it as they are. */
export async function buildPack(files: PackFiles, options: BuildPackOptions): Promise<PackBuild> {
  const limits = options.limits ?? PACK_LIMITS;
  const proper = tableOf(files, limits);
  const finished = options.signing ? tableOf(signedFiles(proper, options.signing), limits) : proper;
  const archive = writeArchive(finished, limits);
  const pack = await readPack(finished, integrityOf(archive), options);
  checkFileList(pack);
  return { archive, integrity: pack.integrity, warnings: pack.warnings };
}

/** The same pack, signed by this key and no other. */
export async function signPack(archive: Buffer, signing: Signing, options: PackOptions): Promise<PackBuild> {
  const files = await readArchive(archive, options.limits ?? PACK_LIMITS);
  const built = await buildPack(files, { ...options, signing });
  return { ...built, warnings: [...built.warnings, ...tamperWarnings(files)] };
}

/** A signer vouches for the files as they are now, and should know that an earlier signature was for others. */
function tamperWarnings(files: PackFiles): readonly string[] {
  const { name, version } = readManifest(files).pack;
  try {
    checkFileList({ name, version, files });
    return [];
  } catch (error) {
    if (!isHostError(error)) throw error;
    return [
      `It was not what had been signed before: ${error.message} The new signature is for it as it is now.`,
    ];
  }
}

/** The manifest names the key before it is signed; the list of files comes last, because it vouches for the rest. */
function signedFiles(files: PackFiles, signing: Signing): PackFiles {
  const { document, pack } = readManifest(files);
  const signed = new Map(files);
  const earlier = pack.signing?.signatureRef;
  if (earlier?.startsWith(KEYS_FOLDER)) signed.delete(earlier);
  signed.delete(FILE_LIST_PATH);
  signed.delete(FILE_LIST_SIGNATURE_PATH);
  const signature = { method: 'manual', publicKeyRef: signing.keyId, signatureRef: SIGNATURE_PATH };
  const manifest = asText({ ...document, signing: signature });
  signed.set(MANIFEST_PATH, manifest);
  signed.set(SIGNATURE_PATH, signBytes(manifest, signing));
  const list = writeFileList(pack.name, pack.version, signed);
  signed.set(FILE_LIST_PATH, list);
  signed.set(FILE_LIST_SIGNATURE_PATH, signBytes(list, signing));
  return signed;
}
