import { isHostError } from '@touchstone/protocol';
import { MANIFEST_PATH, type PackFiles, tableOf } from './archive/file-table.js';
import { PACK_LIMITS } from './archive/limits.js';
import { readArchive } from './archive/read-archive.js';
import { writeArchive } from './archive/write-archive.js';
import { readManifest } from './manifest/manifest.js';
import { type PackOptions, readPack } from './open-pack.js';
import {
  asText,
  checkFileList,
  FILE_LIST_PATH,
  FILE_LIST_SIGNATURE_PATH,
  writeFileList,
} from './signing/file-list.js';
import { integrityOf, KEYS_FOLDER } from './signing/integrity.js';
import { type Signing, signBytes } from './signing/signature.js';

const SIGNATURE_PATH = 'keys/pack.json.sig';

export type BuildPackOptions = PackOptions & { readonly signing?: Signing };
export type BuiltPack = {
  readonly archive: Buffer;
  readonly integrity: string;
  readonly warnings: readonly string[];
};

/** Makes the archive of a pack that would open. Without `signing` the files go into it as they are. */
export async function buildPack(files: PackFiles, options: BuildPackOptions): Promise<BuiltPack> {
  const limits = options.limits ?? PACK_LIMITS;
  const proper = tableOf(files, limits);
  const finished = options.signing ? tableOf(signedFiles(proper, options.signing), limits) : proper;
  const archive = writeArchive(finished, limits);
  const pack = readPack(finished, integrityOf(archive), options);
  checkFileList(pack);
  return { archive, integrity: pack.integrity, warnings: pack.warnings };
}

/** The same pack, signed by this key and no other. */
export async function signPack(archive: Buffer, signing: Signing, options: PackOptions): Promise<BuiltPack> {
  const files = await readArchive(archive, options.limits ?? PACK_LIMITS);
  const built = await buildPack(files, { ...options, signing });
  return { ...built, warnings: [...built.warnings, ...tamperWarnings(files)] };
}

/** Whoever signs vouches for the files as they are now, and should know that the last one who did saw others. */
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
