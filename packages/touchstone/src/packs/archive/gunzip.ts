import { createGunzip } from 'node:zlib';
import { HostError, isHostError } from '@touchstone/protocol';

/** Unzips as much as is allowed and not a piece more: a small archive can claim any size. */
export async function gunzip(archive: Buffer, maxBytes: number): Promise<Buffer> {
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
