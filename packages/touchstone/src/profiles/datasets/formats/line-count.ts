const LF = 0x0a;
const CR = 0x0d;

/** Where the text of a line ends, and where the next line begins. */
type LineEnd = { readonly end: number; readonly next: number };

/** Finds lines by offset in a file that passes by, forgetting what lies behind the last record. */
export type LineCount = {
  add(bytes: Uint8Array): void;
  /** The line of the next record, given where the one before it ended. Empty lines between them are passed. */
  nextRecord(offset: number): number;
  /** The line of an offset that no record has passed yet. */
  lineAt(offset: number): number;
};

export function createLineCount(): LineCount {
  let ends: LineEnd[] = [];
  let first = 0;
  let passed = 0;
  let length = 0;
  let before = 0;

  const endsUpTo = (offset: number): number => {
    let at = first;
    while (at < ends.length && (ends[at] as LineEnd).next <= offset) at += 1;
    return at - first;
  };
  const pass = (count: number): void => {
    first += count;
    passed += count;
  };
  return {
    add(bytes) {
      ends = ends.slice(first);
      first = 0;
      for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) {
        const previous = at === 0 ? before : bytes[at - 1];
        ends.push({ end: length + at - (previous === CR ? 1 : 0), next: length + at + 1 });
      }
      length += bytes.length;
      before = bytes.at(-1) ?? before;
    },
    nextRecord(offset) {
      pass(endsUpTo(offset));
      for (let start = offset; ends[first]?.end === start; pass(1)) start = (ends[first] as LineEnd).next;
      return passed + 1;
    },
    lineAt: (offset) => passed + endsUpTo(offset) + 1,
  };
}
