/** A line without its line break, which may be LF or CRLF. */
export type ByteLine = {
  readonly line: number;
  /** Undefined when it is longer than anybody wants to hold. */
  readonly bytes?: Buffer;
};

const LF = 0x0a;
const CR = 0x0d;

/**
 * Lines as they come, those of one chunk together. What is held is one chunk and the beginning of one line, however
 * long the file: a line beyond the limit is passed over, not collected.
 */
export async function* byteLines(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<readonly ByteLine[]> {
  const open = new OpenLine(maxBytes);
  let line = 1;
  for await (const chunk of chunks) {
    const bytes = asBuffer(chunk);
    const lines: ByteLine[] = [];
    let from = 0;
    for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, from)) {
      lines.push(open.end(bytes.subarray(from, at), line));
      line += 1;
      from = at + 1;
    }
    open.add(bytes.subarray(from));
    yield lines;
  }
  if (!open.isEmpty) yield [open.end(Buffer.alloc(0), line)];
}

export const asBuffer = (chunk: Uint8Array): Buffer =>
  Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);

/** The beginning of a line whose end has not come yet. */
class OpenLine {
  private parts: Buffer[] = [];
  private length = 0;

  constructor(private readonly maxBytes: number) {}

  get isEmpty(): boolean {
    return this.length === 0;
  }

  add(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.length += bytes.length;
    if (this.length > this.maxBytes) this.parts = [];
    // A copy: a chunk may be the source's own memory, which it fills again.
    else this.parts.push(Buffer.from(bytes));
  }

  end(last: Buffer, line: number): ByteLine {
    const length = this.length + last.length;
    const whole = this.parts.length === 0 ? last : Buffer.concat([...this.parts, last]);
    this.parts = [];
    this.length = 0;
    return length > this.maxBytes ? { line } : { line, bytes: withoutReturn(whole) };
  }
}

const withoutReturn = (bytes: Buffer): Buffer => (bytes.at(-1) === CR ? bytes.subarray(0, -1) : bytes);
