import { createRequire } from 'node:module';
import { inflateRawSync } from 'node:zlib';
import { unreadable } from '../documents.js';
import type { SourceFile } from '../imported.js';

// Only who imports an archive loads what reads archives.
const require = createRequire(import.meta.url);

const STORED = 0;
const DEFLATED = 8;
const ZSTANDARD = 93;

/** Of one file: longer ones are no text that a program could hold. */
const MAX_FILE = 256 * 2 ** 20;
/** Of all files together: what an importer holds in memory. A few kilobytes can claim to be terabytes. */
const MAX_ARCHIVE = 2 ** 30;

/** Takes a file out of an archive as a source of its own: an item of the report names both. */
export type Archive = { readonly names: readonly string[]; open(name: string): SourceFile };

/** Opens an `.eval` file: a zip whose files are deflated, or Zstandard in one frame or several. */
export async function openArchive(source: SourceFile): Promise<Archive> {
  const parts = await partsOf(source);
  let unpackedBytes = 0;
  return {
    names: [...parts.keys()],
    open(name) {
      const part = parts.get(name);
      if (!part) throw unreadable(source.file, `Expected ${name} in the archive.`);
      unpackedBytes += part.size;
      if (part.size > MAX_FILE || unpackedBytes > MAX_ARCHIVE)
        throw unreadable(`${source.file}/${name}`, TOO_LARGE);
      return {
        file: `${source.file}/${name}`,
        path: `${source.path}/${name}`,
        bytes: contentOf(part, name, source),
      };
    },
  };
}

const TOO_LARGE =
  'The archive is too large: unpacked, a file may have 256 MiB and all of them 1 GiB. Write a log with fewer samples.';

type Part = { readonly bytes: Buffer; readonly method: number; readonly size: number };

async function partsOf({ file, bytes }: SourceFile): Promise<ReadonlyMap<string, Part>> {
  const { fromBufferPromise } = require('yauzl') as typeof import('yauzl');
  const parts = new Map<string, Part>();
  try {
    const zip = await fromBufferPromise(bytes, { lazyEntries: true, autoClose: false });
    for await (const entry of zip.eachEntry()) {
      const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
      parts.set(entry.fileName, {
        bytes: bytes.subarray(fileDataStart, fileDataStart + entry.compressedSize),
        method: entry.compressionMethod,
        size: entry.uncompressedSize,
      });
    }
    return parts;
  } catch (error) {
    throw unreadable(
      file,
      `Expected a zip archive, as Inspect writes .eval files: ${(error as Error).message.replace(/\.$/, '')}.`,
    );
  }
}

function contentOf({ bytes, method, size }: Part, name: string, { file }: SourceFile): Buffer {
  const content = unpacked(bytes, method, size);
  if (content?.length === size) return content;
  const why = content ? 'it is damaged' : `method ${method} is not known`;
  throw unreadable(`${file}/${name}`, `The file cannot be unpacked: ${why}.`);
}

/** Node 20 has no Zstandard. */
function unpacked(bytes: Buffer, method: number, size: number): Buffer | undefined {
  try {
    if (method === STORED) return bytes;
    if (method === DEFLATED) return inflateRawSync(bytes, { maxOutputLength: Math.max(1, size) });
    if (method !== ZSTANDARD) return undefined;
    return unpackedFrames(bytes, size);
  } catch {
    return Buffer.alloc(0);
  }
}

/** Frame headers may claim any length, so what comes out is counted. */
function unpackedFrames(bytes: Buffer, size: number): Buffer {
  const { Decompress } = require('fzstd') as typeof import('fzstd');
  const chunks: Uint8Array[] = [];
  let length = 0;
  const stream = new Decompress((chunk) => {
    length += chunk.length;
    if (length > size) throw new RangeError('More comes out than the archive says.');
    chunks.push(chunk.slice());
  });
  stream.push(bytes, true);
  return Buffer.concat(chunks);
}
