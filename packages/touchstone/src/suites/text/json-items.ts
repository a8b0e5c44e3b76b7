import { closeSync, openSync, readSync } from 'node:fs';

/** Thrown for a file that cannot be read piece by piece: it may be wrong, or merely be laid out in another way. */
export class NotPlain extends Error {
  override readonly name = 'NotPlain';
}

/** A piece of a file: what stands before its items, or some of the items, as the text between their brackets. */
export type JsonPiece = { readonly kind: 'head' | 'items'; readonly text: string };

/** Told of every byte of the file, in order. */
type Observe = (bytes: Buffer) => void;

const BLOCK_BYTES = 256 * 1024;
const MOST_ITEMS = 256;
/** A piece also ends here. A single item may be longer. */
const PIECE_BYTES = 1024 * 1024;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/**
 * The pieces of a file that holds a JSON object whose last member is a list of objects, in memory that does not grow with the list.
 * Only brackets, quotes and commas around items are looked at: whether a piece is JSON is for its reader to find out. Throws
 * NotPlain for any other layout.
 */
export function* jsonPieces(path: string, member: string, observe: Observe): Generator<JsonPiece> {
  const file = openSync(path, 'r');
  try {
    const bytes = new Bytes(file, observe);
    yield { kind: 'head', text: readHead(bytes, member) };
    for (let isLast = false; !isLast; ) {
      const piece = readItems(bytes);
      isLast = piece.isLast;
      if (piece.text !== '') yield { kind: 'items', text: piece.text };
    }
    readEnd(bytes);
  } finally {
    closeSync(file);
  }
}

/** The part of a file that is being looked at. What lies before `start` has been dealt with. */
class Bytes {
  /** The bytes that have been read; a part of `room`, which is used again and again. */
  buffer: Buffer = Buffer.alloc(0);
  start = 0;
  private room = Buffer.allocUnsafe(2 * BLOCK_BYTES);

  constructor(
    private readonly file: number,
    private readonly observe: Observe,
  ) {}

  /** Reads on; false at the end of the file. What lies before `start` is lost, everything else moves to the front. */
  more(): boolean {
    const left = this.buffer.length - this.start;
    const room =
      left + BLOCK_BYTES <= this.room.length ? this.room : Buffer.allocUnsafe(2 * left + BLOCK_BYTES);
    this.buffer.copy(room, 0, this.start);
    const read = readSync(this.file, room, left, BLOCK_BYTES, null);
    this.room = room;
    this.buffer = room.subarray(0, left + read);
    this.start = 0;
    if (read > 0) this.observe(room.subarray(left, left + read));
    return read > 0;
  }

  /** Reads on until there is a byte at a place, and says where that place is then. */
  need(at: number): number {
    const moved = at - this.start;
    do if (!this.more()) throw new NotPlain();
    while (moved >= this.buffer.length);
    return moved;
  }

  /** The place of the first byte from here on that is no white space. */
  skipSpace(from: number): number {
    for (let at = from; ; at += 1) {
      if (at >= this.buffer.length) at = this.need(at);
      if (!isSpace(this.buffer[at])) return at;
    }
  }

  /** The text up to a place, which is dealt with then. */
  take(end: number): string {
    const text = this.buffer.toString('utf8', this.start, end);
    this.start = end;
    return text;
  }
}

/** Up to the bracket that opens the list, without the name of the member. */
function readHead(bytes: Bytes, member: string): string {
  let at = bytes.skipSpace(bytes.start);
  if (bytes.buffer[at] !== OPEN_OBJECT) throw new NotPlain();
  at += 1;
  for (;;) {
    at = bytes.skipSpace(at);
    if (bytes.buffer[at] === COMMA) at = bytes.skipSpace(at + 1);
    const [name, end] = readName(bytes, at);
    const value = bytes.skipSpace(end);
    if (name === member) {
      if (bytes.buffer[value] !== OPEN_LIST) throw new NotPlain();
      const text = bytes.buffer.toString('utf8', bytes.start, end);
      bytes.start = value + 1;
      return text.slice(0, text.lastIndexOf(JSON.stringify(member)));
    }
    at = endOfValue(bytes, value);
  }
}

/** The name of a member, and the place behind its colon. */
function readName(bytes: Bytes, from: number): readonly [name: string, end: number] {
  if (bytes.buffer[from] !== QUOTE) throw new NotPlain();
  const end = endOfString(bytes, from);
  // Nothing is dealt with before the head is, so places stay where they are.
  const name = bytes.buffer.toString('utf8', from + 1, end - 1);
  const colon = bytes.skipSpace(end);
  if (bytes.buffer[colon] !== COLON) throw new NotPlain();
  return [name, colon + 1];
}

/** Some items, as many as make a piece. `isLast` when the list has ended with them. */
function readItems(bytes: Bytes): { readonly text: string; readonly isLast: boolean } {
  bytes.start = bytes.skipSpace(bytes.start);
  let at = bytes.start;
  if (bytes.buffer[at] === CLOSE_LIST) return { text: bytes.take(at), isLast: true };
  for (let count = 1; ; count += 1) {
    if (bytes.buffer[at] !== OPEN_OBJECT) throw new NotPlain();
    const end = endOfValue(bytes, at);
    at = bytes.skipSpace(end);
    const isLast = bytes.buffer[at] === CLOSE_LIST;
    if (!isLast && bytes.buffer[at] !== COMMA) throw new NotPlain();
    if (isLast || count === MOST_ITEMS || at - bytes.start > PIECE_BYTES) {
      const text = bytes.take(at);
      // The comma between two pieces is in neither; another item has to follow it.
      if (!isLast) bytes.start += 1;
      if (!isLast && bytes.buffer[bytes.skipSpace(bytes.start)] !== OPEN_OBJECT) throw new NotPlain();
      return { text, isLast };
    }
    at = bytes.skipSpace(at + 1);
  }
}

/** Behind the list there are the two brackets, and no other member. */
function readEnd(bytes: Bytes): void {
  const close = bytes.skipSpace(bytes.start + 1);
  if (bytes.buffer[close] !== CLOSE_OBJECT) throw new NotPlain();
  for (let at = close + 1; ; at += 1) {
    if (at >= bytes.buffer.length) {
      const moved = at - bytes.start;
      if (!bytes.more()) return;
      at = moved;
    }
    if (!isSpace(bytes.buffer[at])) throw new NotPlain();
  }
}

function endOfString(bytes: Bytes, from: number): number {
  for (let at = from + 1; ; at += 1) {
    if (at >= bytes.buffer.length) at = bytes.need(at);
    const byte = bytes.buffer[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at += 1;
  }
}

// One loop with everything in it: it looks at every byte of a long file.
function endOfValue(bytes: Bytes, from: number): number {
  let { buffer } = bytes;
  let depth = 0;
  let isText = false;
  for (let at = from; ; at += 1) {
    if (at >= buffer.length) {
      at = bytes.need(at);
      buffer = bytes.buffer;
    }
    const byte = buffer[at];
    if (isText) {
      if (byte === QUOTE) isText = false;
      else {
        if (byte === BACKSLASH) at += 1;
        continue;
      }
    } else if (byte === QUOTE) isText = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (depth > 0 || byte !== COMMA) continue;
    else return at;
    if (depth === 0 && !isText) return at + 1;
  }
}
