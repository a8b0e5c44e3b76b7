import { createRequire } from 'node:module';
import { inflateRawSync } from 'node:zlib';
import { unreadable } from '../documents.js';
import type { SourceFile } from '../imported.js';

// Only who imports an archive loads what reads archives.
const require = createRequire(import.meta.url);

const STORED = 0;
const DEFLATED = 8;
const ZSTANDARD = 93;

/** Takes a file out of an archive as a source of its own: an item of the report names both. */
export type Archive = { readonly names: readonly string[]; open(name: string): SourceFile };

/** Opens an `.eval` file: a zip whose files are deflated, or Zstandard in one frame or several. */
export async function openArchive(source: SourceFile): Promise<Archive> {
  const parts = await partsOf(source);
  return {
    names: [...parts.keys()],
    open(name) {
      const part = parts.get(name);
      if (!part) throw unreadable(source.file, `Expected ${name} in the archive.`);
      return {
        file: `${source.file}/${name}`,
        path: `${source.path}/${name}`,
        bytes: contentOf(part, name, source),
      };
    },
  };
}

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
      `Expected a zip archive, as Inspect writes .eval files: ${(error as Error).message}.`,
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
    const { decompress } = require('fzstd') as typeof import('fzstd');
    return Buffer.from(decompress(bytes));
  } catch {
    return Buffer.alloc(0);
  }
}
