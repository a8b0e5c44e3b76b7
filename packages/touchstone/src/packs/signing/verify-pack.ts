import type { NodePackManifestWire } from '@touchstone/protocol/wire';
import { vouchesForPack } from '../../evidence/index.js';
import { readPackPath, shownPath } from '../../suites/index.js';
import { MANIFEST_PATH, PACK_LIMITS } from '../archive/file-table.js';
import type { PackReading } from '../open-pack.js';
import { badSignature, checkAdmitted, nameOf } from './admission.js';
import { checkFileList, FILE_LIST_PATH, FILE_LIST_SIGNATURE_PATH, isSignedBy } from './signature.js';
import type { Trust, TrustedKey } from './trust.js';

export type PackVerification = {
  /** The trusted key that signed the manifest; absent when none did. */
  readonly signedBy?: string;
  /** Whether that key vouches for every file, not for the manifest alone. */
  readonly filesSigned: boolean;
  readonly warnings: readonly string[];
};

/**
 * Decides whether a pack may be used under this trust. Keys come from the trust alone, never from the pack: any author can
 * put a key beside a signature. A signature that a known key did not make is refused under every policy.
 */
export function verifyPack(pack: PackReading, trust: Trust): PackVerification {
  checkAdmitted(pack, trust, 'packs');
  checkFileList(pack);
  const signer = signerOf(pack, trust);
  if ('doubt' in signer) {
    if (trust.policy === 'verified')
      throw badSignature(`${signer.doubt} The trust policy asks for a trusted signature.`);
    return { filesSigned: false, warnings: [signer.doubt] };
  }
  const filesSigned = areFilesSigned(pack, signer.key);
  const warnings = filesSigned
    ? []
    : [`Only the manifest of ${nameOf(pack)} is signed: its prompts, schemas and suites are not.`];
  return { signedBy: signer.key.keyId, filesSigned, warnings };
}

type Signer = { readonly key: TrustedKey } | { readonly doubt: string };

function signerOf(pack: PackReading, { keys }: Trust): Signer {
  const { signing = {} } = pack.manifest as unknown as NodePackManifestWire;
  if (signing.publicKeyRef === undefined || signing.signatureRef === undefined)
    return { doubt: `${nameOf(pack)} is not signed.` };
  if (signing.method === 'sigstore')
    return { doubt: `${nameOf(pack)} is signed by Sigstore, which is not checked here.` };
  const key = keys.get(signing.publicKeyRef);
  if (!key)
    return {
      doubt: `${nameOf(pack)} is signed by key ${shownPath(signing.publicKeyRef)}, which is not in trust.keys; the signature was not checked.`,
    };
  if (!isSigned(pack, MANIFEST_PATH, signing.signatureRef, key))
    throw badSignature(
      `The manifest of ${nameOf(pack)} does not bear a signature of key ${shownPath(key.keyId)}.`,
    );
  if (!vouchesForPack(key, pack.name))
    throw badSignature(
      `${nameOf(pack)} is signed by key ${shownPath(key.keyId)}, which trust.keys limits to other names.`,
    );
  return { key };
}

/** A key known to sign whole packs makes a missing list as suspicious as a wrong one: taking it away is easy. */
function areFilesSigned(pack: PackReading, key: TrustedKey): boolean {
  const isPresent = pack.files.has(FILE_LIST_PATH) && pack.files.has(FILE_LIST_SIGNATURE_PATH);
  if (!isPresent && key.wholePack)
    throw badSignature(
      `Key ${shownPath(key.keyId)} signs all files of a pack, but ${nameOf(pack)} has no signed list of them.`,
    );
  if (isPresent && !isSigned(pack, FILE_LIST_PATH, FILE_LIST_SIGNATURE_PATH, key))
    throw badSignature(
      `The list of files of ${nameOf(pack)} does not bear a signature of key ${shownPath(key.keyId)}.`,
    );
  return isPresent;
}

function isSigned({ files }: PackReading, path: string, signaturePath: string, key: TrustedKey): boolean {
  const bytes = files.get(path);
  const read = readPackPath(signaturePath, PACK_LIMITS.maxPathLength);
  const signature = read.kind === 'inside' ? files.get(read.path) : undefined;
  return bytes !== undefined && isSignedBy(key.publicKey, bytes, signature);
}
