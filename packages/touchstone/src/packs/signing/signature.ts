import { createHash, type KeyObject, sign, verify } from 'node:crypto';
import { type Digest, HostError, isObject, type JsonObject } from '@touchstone/protocol';
import { readPrivateKey, type Signing } from '../../evidence/index.js';
import { digestOf, jsonOf, shownPath } from '../../suites/index.js';
import { MANIFEST_PATH, type PackFiles, sortedPaths } from '../archive/file-table.js';

/** Where signatures lie: they vouch for the pack and are no part of what it is. */
export const KEYS_FOLDER = 'keys/';

/** SHA-256 as packs write it. */
export const integrityOf = (bytes: Buffer): string =>
  `sha256-${createHash('sha256').update(bytes).digest('base64')}`;

/**
 * What makes two packs the same, however they were archived and by which key they were signed. Signing writes the key's name into
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

const SIGNATURE_BYTES = 64;
const BASE64_SIGNATURE = /^[A-Za-z0-9+/]{86}==\s*$/;

export function signBytes(bytes: Buffer, { privateKey }: Signing): Buffer {
  return sign(null, bytes, readPrivateKey(privateKey));
}

/** `signature` as it lies in a pack: 64 raw bytes, or the same as base64 text. */
export function isSignedBy(key: KeyObject, bytes: Buffer, signature: Buffer | undefined): boolean {
  const raw = signature && rawSignature(signature);
  return raw !== undefined && verify(null, bytes, key, raw);
}

function rawSignature(bytes: Buffer): Buffer | undefined {
  if (bytes.length === SIGNATURE_BYTES) return bytes;
  const text = bytes.toString('latin1');
  return BASE64_SIGNATURE.test(text) ? Buffer.from(text, 'base64') : undefined;
}

// A pack's signature covers pack.json alone. This list of every other file, signed by the same key, closes the gap:
// a prompt or a suite that was swapped afterwards is noticed. Readers that do not know it see two more files.
export const FILE_LIST_PATH = 'keys/files.json';
export const FILE_LIST_SIGNATURE_PATH = 'keys/files.json.sig';
const FORMAT = 'touchstone.pack-files/1';

const isListed = (path: string): boolean => path !== FILE_LIST_PATH && path !== FILE_LIST_SIGNATURE_PATH;

export function writeFileList(name: string, version: string, files: PackFiles): Buffer {
  const hashes = sortedPaths(files)
    .filter(isListed)
    .map((path) => [path, integrityOf(files.get(path) as Buffer)] as const);
  return asText({ format: FORMAT, name, version, files: Object.fromEntries(hashes) });
}

/** JSON as people write it. */
export const asText = (value: object): Buffer => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);

type FileListPack = { readonly name: string; readonly version: string; readonly files: PackFiles };

/** Compares the files with the list in the pack: every one is there, no other is, none differs. */
export function checkFileList(pack: FileListPack): void {
  const bytes = pack.files.get(FILE_LIST_PATH);
  if (!bytes) return;
  const listed = readFileList(bytes, pack);
  const present = sortedPaths(pack.files).filter(isListed);
  const changed = present.filter((path) => listed.get(path) !== integrityOf(pack.files.get(path) as Buffer));
  const missing = [...listed.keys()].filter((path) => !isListed(path) || !pack.files.has(path));
  const paths = [...changed, ...missing];
  if (paths.length > 0)
    throw new HostError(
      'pack_integrity_failure',
      `${paths.length} ${paths.length === 1 ? 'file differs' : 'files differ'} from the list in ${FILE_LIST_PATH}, changed, added or taken away since: ${named(paths)}.`,
      { paths: paths.slice(0, MAX_LISTED) },
    );
}

const MAX_LISTED = 100;
const MAX_NAMED = 3;

function named(paths: readonly string[]): string {
  const shown = paths.slice(0, MAX_NAMED).map(shownPath);
  const more = paths.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

function readFileList(bytes: Buffer, { name, version }: FileListPack): ReadonlyMap<string, unknown> {
  const list = jsonOf(bytes)?.value;
  if (!isObject(list) || list.format !== FORMAT || !isObject(list.files))
    throw new HostError('pack_integrity_failure', `Expected ${FILE_LIST_PATH} to be a ${FORMAT} document.`);
  if (list.name === name && list.version === version) return new Map(Object.entries(list.files));
  throw new HostError('pack_integrity_failure', `${FILE_LIST_PATH} is the list of another pack or version.`);
}
