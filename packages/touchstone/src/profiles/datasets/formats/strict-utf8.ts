import { isUtf8 } from 'node:buffer';
import { validationError } from '@touchstone/protocol';

const BOM = Buffer.from('\uFEFF');
const LF = 0x0a;

export const NOT_UTF8 = 'Expected UTF-8. Save the file in that encoding.';

export const asBuffer = (chunk: Uint8Array): Buffer =>
  Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);

/** The same bytes without a byte order mark, cut between characters, and known to be UTF-8. */
export async function* strictUtf8(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  let line = 1;
  let isFirst = true;
  for await (const chunk of bytes) {
    let held: Buffer = rest.length === 0 ? asBuffer(chunk) : Buffer.concat([rest, chunk]);
    if (isFirst && held.length < BOM.length) {
      rest = Buffer.from(held);
      continue;
    }
    if (isFirst && held.subarray(0, BOM.length).equals(BOM)) held = held.subarray(BOM.length);
    isFirst = false;
    const whole = held.subarray(0, held.length - unfinished(held));
    line += linesIn(whole, line);
    rest = Buffer.from(held.subarray(whole.length));
    yield whole;
  }
  linesIn(rest, line);
  if (rest.length > 0) yield rest;
}

/** Counts line breaks, and refuses the first line that is not UTF-8. */
function linesIn(bytes: Buffer, line: number): number {
  const isSound = isUtf8(bytes);
  let count = 0;
  let from = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, from)) {
    if (!isSound && !isUtf8(bytes.subarray(from, at))) throw notUtf8(line + count);
    count += 1;
    from = at + 1;
  }
  if (!isSound) throw notUtf8(line + count);
  return count;
}

const notUtf8 = (line: number): Error =>
  validationError([{ pointer: '', message: NOT_UTF8, line }], { code: 'invalid_rows' });

/** How many bytes at the end begin a character that they do not finish. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if ((byte & 0xc0) !== 0x80) return lengthOf(byte) > back ? back : 0;
  }
  return 0;
}

function lengthOf(first: number): number {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}
