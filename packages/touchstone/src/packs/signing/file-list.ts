import { HostError, isObject, type UnknownObject } from '@touchstone/protocol';
import { jsonOf, shownPath } from '../../suites/index.js';
import { type PackFiles, sortedPaths } from '../archive/file-table.js';
import { integrityOf } from './integrity.js';

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

type Listed = { readonly name: string; readonly version: string; readonly files: PackFiles };

/** Holds the files against the list in the pack, whoever signed it: every one is there, no other is, none differs. */
export function checkFileList(pack: Listed): void {
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

function readFileList(bytes: Buffer, { name, version }: Listed): ReadonlyMap<string, unknown> {
  const list = jsonOf(bytes)?.value;
  if (!isObject(list) || list.format !== FORMAT || !isObject(list.files))
    throw new HostError('pack_integrity_failure', `Expected ${FILE_LIST_PATH} to be a ${FORMAT} document.`);
  if (!isOf(list, name, version))
    throw new HostError(
      'pack_integrity_failure',
      `${FILE_LIST_PATH} is the list of another pack or version.`,
    );
  return new Map(Object.entries(list.files));
}

const isOf = (list: UnknownObject, name: string, version: string): boolean =>
  list.name === name && list.version === version;
