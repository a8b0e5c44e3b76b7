import { createRequire } from 'node:module';
import { createGunzip, gzipSync } from 'node:zlib';
import { HostError, isHostError } from '@touchstone/protocol';
import type { ReadEntry } from 'tar';
import { shownPath } from '../../suites/index.js';
import { FileTable, type PackFiles, type PackLimits, sortedPaths } from './file-table.js';

const BLOCK_BYTES = 512;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** The files in a gzipped tar archive. They stay in memory: nothing of a foreign archive is written to a disk. */
export async function readArchive(archive: Buffer, limits: PackLimits): Promise<PackFiles> {
  if (archive.length === 0)
    throw new HostError(
      'invalid_body',
      'Expected the bytes of a gzipped tar archive, sent as application/gzip.',
    );
  return readTar(await gunzip(archive, limits.maxUnpackedBytes), limits);
}

/** The files in a tar archive that is not compressed. */
export function readTar(bytes: Buffer, limits: PackLimits): PackFiles {
  // The library unzips what looks like gzip, without the limit that has just been held.
  if (bytes.length < BLOCK_BYTES || bytes.length % BLOCK_BYTES !== 0 || startsWith(bytes, GZIP_MAGIC))
    throw notTar('it is no tar archive, or it is cut off');
  if (isEmptyTar(bytes)) return new Map();
  try {
    return parseTar(bytes, limits);
  } catch (error) {
    // Whatever else goes wrong inside the library, it went wrong over these bytes.
    throw isHostError(error) ? error : notTar('it is damaged or cut off');
  }
}

const notTar = (reason: string): HostError =>
  new HostError('tarball_tar_parse_failed', `The unzipped archive cannot be read as tar: ${reason}.`);

const startsWith = (bytes: Buffer, prefix: Buffer): boolean =>
  bytes.subarray(0, prefix.length).equals(prefix);

/** Two blocks of zeros end a tar archive. The library takes one that begins with them for no archive at all. */
const isEmptyTar = (bytes: Buffer): boolean => bytes.subarray(0, 2 * BLOCK_BYTES).every((byte) => byte === 0);

/** Everything below runs before `end` returns, so that what a listener throws comes out here. */
function parseTar(bytes: Buffer, limits: PackLimits): PackFiles {
  const files = new Map<string, Buffer>();
  const table = new FileTable(limits);
  let isDone = false;
  const parser = new (tar().Parser)({ strict: true, zstd: false });
  parser.on('error', (error: unknown) => {
    throw error;
  });
  parser.on('meta', refuseHiddenEnd);
  parser.on('ignoredEntry', refuseKind);
  parser.on('entry', (entry: ReadEntry) => takeEntry(entry, table, files));
  parser.on('end', () => {
    isDone = true;
  });
  parser.end(bytes);
  if (!isDone) throw notTar('it is cut off');
  return files;
}

function takeEntry(entry: ReadEntry, table: FileTable, files: Map<string, Buffer>): void {
  const raw = rawPathOf(entry);
  if (entry.type === 'Directory') {
    table.folder(raw);
    entry.resume();
    return;
  }
  if (entry.type !== 'File' && entry.type !== 'OldFile') refuseKind(entry);
  const path = table.file(raw, entry.size);
  const pieces: Buffer[] = [];
  entry.on('data', (piece: Buffer) => pieces.push(piece));
  // A copy, so that one kept file does not keep the whole archive in memory.
  entry.on('end', () => files.set(path, Buffer.concat(pieces)));
}

// On Windows the library turns backslashes into slashes; only the header still has the name as it was written.
const rawPathOf = (entry: ReadEntry): string =>
  entry.header.path?.includes('\\') ? entry.header.path : entry.path;

function refuseKind(entry: ReadEntry): never {
  const path = shownPath(entry.path);
  if (entry.type === 'Link' || entry.type === 'SymbolicLink')
    throw new HostError('tarball_path_traversal', `A pack holds files and folders only: ${path} is a link.`);
  throw new HostError('tarball_tar_parse_failed', `A pack holds files and folders only: ${path} is neither.`);
}

/** A zero byte inside a long name ends it for some readers and not for others. */
function refuseHiddenEnd(meta: string): void {
  if (meta.replace(/\0+$/, '').includes('\0')) throw notTar('a name in it has a zero byte');
}

/** Unzips as much as is allowed and not a piece more: a small archive can claim any size. */
async function gunzip(archive: Buffer, maxBytes: number): Promise<Buffer> {
  const stream = createGunzip();
  stream.end(archive);
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of stream) {
      size += (piece as Buffer).length;
      if (size > maxBytes)
        throw new HostError(
          'tarball_too_large',
          `A pack is at most ${maxBytes} bytes unpacked; this one is more.`,
        );
      pieces.push(piece as Buffer);
    }
  } catch (error) {
    if (isHostError(error)) throw error;
    throw new HostError(
      'tarball_gunzip_failed',
      'Expected a gzipped tar archive, but the bytes could not be unzipped: they are no gzip, cut off or damaged.',
    );
  }
  // Bytes after the end would be part of the archive's hash and of nothing else.
  if (stream.bytesWritten < archive.length)
    throw new HostError('tarball_gunzip_failed', 'The archive goes on after the end of its gzip data.');
  return Buffer.concat(pieces, size);
}

const GZIP = { level: 9, memLevel: 8, windowBits: 15 } as const;
/** Where gzip notes the system it was made on, and the note for none in particular. */
const GZIP_SYSTEM_OFFSET = 9;
const UNKNOWN_SYSTEM = 255;

/** The archive of a pack: the same files give the same bytes, whenever, by whomever and wherever it is made. */
export function writeArchive(files: PackFiles, limits: PackLimits): Buffer {
  const bytes = writeTar(files);
  if (bytes.length > limits.maxUnpackedBytes)
    throw new HostError('tarball_too_large', `A pack is at most ${limits.maxUnpackedBytes} bytes unpacked.`);
  const archive = gzipSync(bytes, GZIP);
  archive[GZIP_SYSTEM_OFFSET] = UNKNOWN_SYSTEM;
  return archive;
}

/** The same without compression: what every tar program opens. */
export function writeTar(files: PackFiles): Buffer {
  const entries = sortedPaths(files).flatMap((path) => entryOf(path, files.get(path) as Buffer));
  return Buffer.concat([...entries, Buffer.alloc(2 * BLOCK_BYTES)]);
}

function entryOf(path: string, bytes: Buffer): readonly Buffer[] {
  const header = new (tar().Header)({
    path,
    mode: 0o644,
    uid: 0,
    gid: 0,
    size: bytes.length,
    mtime: new Date(0),
    type: 'File',
    uname: '',
    gname: '',
  });
  const block = Buffer.alloc(BLOCK_BYTES);
  const isTooLong = header.encode(block);
  const padding = Buffer.alloc((BLOCK_BYTES - (bytes.length % BLOCK_BYTES)) % BLOCK_BYTES);
  return [...(isTooLong ? [longNameOf(path)] : []), block, bytes, padding];
}

/** A name that a header has no room or no letters for goes before it, in a header of its own. */
const longNameOf = (path: string): Buffer =>
  new (tar().Pax)({ path, mtime: new Date(0), uid: 0, gid: 0 }).encode();

type Tar = typeof import('tar');

const require = createRequire(import.meta.url);
let library: Tar | undefined;

/** The tar library, loaded with the first pack: most runs have none, and loading it is not free. */
function tar(): Tar {
  library ??= require('tar') as Tar;
  return library;
}
