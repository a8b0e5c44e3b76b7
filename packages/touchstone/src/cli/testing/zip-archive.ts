import { deflateRawSync } from 'node:zlib';

/** A file of an archive: its packed bytes, how they are packed, and how long they are unpacked. */
export type ZipEntry = {
  readonly name: string;
  readonly bytes: Buffer;
  readonly method: number;
  readonly size: number;
};

const STORED = 0;
const DEFLATED = 8;
const ZSTANDARD = 93;

export const deflated = (name: string, value: unknown): ZipEntry => {
  const text = Buffer.from(JSON.stringify(value));
  return { name, bytes: deflateRawSync(text), method: DEFLATED, size: text.length };
};

export const stored = (name: string, value: unknown): ZipEntry => {
  const text = Buffer.from(JSON.stringify(value));
  return { name, bytes: text, method: STORED, size: text.length };
};

/** What zstd made of the two halves of a sample, one frame each. Node 20 cannot make them. */
const FRAMES = [
  'KLUv/QRohQIAUgURE5DPAWesMDduNlm05xCBmnT3CgGrKU3v4LTNLhevac2uB+eRDuxJWEXmxCrTxrWZuXi1EraDIM5OlOngrmuT',
  'fS6O2m8CABNKpq9MlQEpXZH1KLUv/QRopQMAEokaEZB9AsQOIthAkIbtVTdOd68QvfPxKiumcpsfen/y45uWaj8fD1dW8/l43G5d',
  '+ENPvb/A8SoDcARtUXULcBVIlaNVCzR4fnymLdO6PnymKuOIsfrxTdbbnsK4zecrVriej8/aZl0/JDQetwIAIE69ZhM18yKc',
].join('');

export const framedSample = (name: string): ZipEntry => ({
  name,
  bytes: Buffer.from(FRAMES, 'base64'),
  method: ZSTANDARD,
  size: 308,
});

/** The zip of some files, written as plainly as the format allows. */
export function zipOf(files: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const name = Buffer.from(file.name);
    const local = Buffer.concat([header(0x04034b50, file, name, 30), name, file.bytes]);
    locals.push(local);
    const entry = header(0x02014b50, file, name, 46);
    entry.writeUInt32LE(offset, 42);
    entries.push(Buffer.concat([entry, name]));
    offset += local.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

/** The record before a file, or the one of the directory, which has two more bytes at its beginning. */
function header(signature: number, { method, bytes, size }: ZipEntry, name: Buffer, length: 30 | 46): Buffer {
  const record = Buffer.alloc(length);
  const shift = length === 46 ? 2 : 0;
  record.writeUInt32LE(signature, 0);
  record.writeUInt16LE(20, 4 + shift);
  record.writeUInt16LE(method, 8 + shift);
  record.writeUInt32LE(bytes.length, 18 + shift);
  record.writeUInt32LE(size, 22 + shift);
  record.writeUInt16LE(name.length, 26 + shift);
  return record;
}
