import { gzipSync } from 'node:zlib';
import { HostError } from '@touchstone/protocol';
import { type PackFiles, sortedPaths } from './file-table.js';
import type { PackLimits } from './limits.js';
import { tar } from './tar-library.js';

const BLOCK_BYTES = 512;
const GZIP = { level: 9, memLevel: 8, windowBits: 15 } as const;
/** Where gzip notes the system it was made on, and the note for none in particular. */
const GZIP_SYSTEM_OFFSET = 9;
const UNKNOWN_SYSTEM = 255;

/** The archive of a pack: the same files give the same bytes, whenever, by whomever and wherever it is made. */
export function writeArchive(files: PackFiles, limits: PackLimits): Buffer {
  const entries = sortedPaths(files).flatMap((path) => entryOf(path, files.get(path) as Buffer));
  const bytes = Buffer.concat([...entries, Buffer.alloc(2 * BLOCK_BYTES)]);
  if (bytes.length > limits.maxUnpackedBytes)
    throw new HostError('tarball_too_large', `A pack is at most ${limits.maxUnpackedBytes} bytes unpacked.`);
  const archive = gzipSync(bytes, GZIP);
  archive[GZIP_SYSTEM_OFFSET] = UNKNOWN_SYSTEM;
  return archive;
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
