import { plural } from '@touchstone/sdk/view';
import { alignTexts, nearMiss, sharedPrefix } from './difference.js';
import { INDENT } from './layout.js';
import { displayWidth, type Ink, type Look, printable, wrapWhole } from './text.js';

export type Edit<T> = { readonly kind: 'same' | 'gone' | 'new'; readonly item: T };

/**
 * The fewest items to take out of one sequence and to put in to get the other, in order: what both share is a longest
 * common subsequence. Takes time and memory in proportion to the product of the lengths, so callers bound those.
 */
export function diffSequences<T>(before: readonly T[], after: readonly T[]): readonly Edit<T>[] {
  const head = sharedPrefix(before, after);
  const tail = sharedPrefix(before.slice(head).reverse(), after.slice(head).reverse());
  const mark = (kind: Edit<T>['kind'], items: readonly T[]): Edit<T>[] =>
    items.map((item) => ({ kind, item }));
  return [
    ...mark('same', after.slice(0, head)),
    ...walk(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...mark('same', after.slice(after.length - tail)),
  ];
}

function walk<T>(before: readonly T[], after: readonly T[]): readonly Edit<T>[] {
  const lengths = commonLengths(before, after);
  const at = (i: number, j: number): number => lengths[i * (after.length + 1) + j] ?? 0;
  const edits: Edit<T>[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      edits.push({ kind: 'same', item: after[j++] as T });
      i += 1;
    } else if (j >= after.length || (i < before.length && at(i + 1, j) >= at(i, j + 1))) {
      edits.push({ kind: 'gone', item: before[i++] as T });
    } else edits.push({ kind: 'new', item: after[j++] as T });
  }
  return edits;
}

/** Row by row from the end: how much the rests of both sequences, from here on, have in common. */
function commonLengths<T>(before: readonly T[], after: readonly T[]): Uint32Array {
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i -= 1)
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const below = lengths[(i + 1) * width + j] ?? 0;
      const right = lengths[i * width + j + 1] ?? 0;
      const both = (lengths[(i + 1) * width + j + 1] ?? 0) + 1;
      lengths[i * width + j] = before[i] === after[j] ? both : Math.max(below, right);
    }
  return lengths;
}

/** A stretch of items that are the same, or what was taken out together with what was put in instead. */
type Hunk<T> =
  | { readonly kind: 'same'; readonly items: readonly T[] }
  | { readonly kind: 'changed'; readonly gone: readonly T[]; readonly added: readonly T[] };

export function hunksOf<T>(edits: readonly Edit<T>[]): readonly Hunk<T>[] {
  const hunks: { same: T[]; gone: T[]; added: T[] }[] = [];
  for (const { kind, item } of edits) {
    const last = hunks.at(-1);
    const fits = last && (kind === 'same') === last.same.length > 0;
    const hunk = fits ? last : { same: [], gone: [], added: [] };
    if (!fits) hunks.push(hunk);
    hunk[kind === 'new' ? 'added' : kind].push(item);
  }
  return hunks.map(({ same, gone, added }) =>
    same.length > 0 ? { kind: 'same', items: same } : { kind: 'changed', gone, added },
  );
}

/** What of a text is looked at, from shortly before the first difference on. */
export const MOST_LINES = 200;
const MOST_CHARS = 4_000;
const CONTEXT = 2;

type DiffLook = Look & {
  /** Lines of the screen that one difference may take. */
  readonly rows: number;
};

/** How one text became another: words within one line, lines otherwise. An answer may be megabytes long. */
export function renderTextDiff(before: string, after: string, look: DiffLook): string[] {
  const { ink } = look;
  if (before === after) return [`${INDENT}${ink.dim('the answers are the same')}`];
  const words = wordLines(before, after, look);
  const { lines, left } = words ? { lines: words, left: 0 } : lineLines(before, after, look);
  const shown = lines.slice(0, look.rows);
  const more = left + lines.length - shown.length;
  const hint = before.length + after.length <= MOST_CHARS ? nearMiss(before, after) : undefined;
  return [
    ...shown,
    ...(more > 0 ? [ink.dim(`… ${plural(more, 'more line')}`)] : []),
    ...(hint === undefined ? [] : [ink.dim(hint)]),
  ].map((line) => `${INDENT}${line}`);
}

const roomOf = ({ width }: Look): number => Math.max(20, width - INDENT.length - 2);

type Word = { readonly text: string; readonly paint?: (text: string) => string };

/** Undefined for texts that words cannot tell: long ones, of several lines, or with next to nothing in common. */
function wordLines(before: string, after: string, look: DiffLook): string[] | undefined {
  if (before.length > MOST_CHARS || after.length > MOST_CHARS) return undefined;
  if (/\n/.test(before + after)) return undefined;
  const edits = diffSequences(wordsOf(before), wordsOf(after));
  if (sharedLength(edits) < Math.max(before.length, after.length) / 3) return undefined;
  return layWords(
    hunksOf(edits).flatMap((hunk) => hunkWords(hunk, look.ink)),
    roomOf(look),
  );
}

/** Each with the white space behind it, so that nothing is lost between them. */
export const wordsOf = (text: string): readonly string[] => text.match(/\S+\s*|\s+/g) ?? [];

const sharedLength = (edits: readonly Edit<string>[]): number =>
  edits.reduce((sum, { kind, item }) => sum + (kind === 'same' ? item.length : 0), 0);

function hunkWords(hunk: Hunk<string>, ink: Ink): readonly Word[] {
  if (hunk.kind === 'same') return splitWords(hunk.items.join(''));
  return [
    ...splitWords(bracketed(hunk.gone, '[-', '-]'), ink.red),
    ...splitWords(bracketed(hunk.added, '{+', '+}'), ink.green),
  ];
}

/** Colour alone is not enough: some readers cannot see it. */
const bracketed = (items: readonly string[], open: string, close: string): string =>
  items.length === 0 ? '' : `${open}${items.join('').trim()}${close}`;

const splitWords = (text: string, paint?: Word['paint']): readonly Word[] =>
  text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => ({ text: printable(word), ...(paint && { paint }) }));

function layWords(words: readonly Word[], room: number): string[] {
  const lines: string[] = [];
  let used = Number.POSITIVE_INFINITY;
  for (const { text, paint = String } of words)
    for (const piece of wrapWhole(text, room)) {
      const width = displayWidth(piece);
      if (used + 1 + width <= room) {
        lines.push(`${lines.pop() ?? ''} ${paint(piece)}`);
        used += 1 + width;
      } else {
        lines.push(paint(piece));
        used = width;
      }
    }
  return lines;
}

/** Lines that differ, between a few that do not; and how many lie beyond what was looked at. */
function lineLines(
  before: string,
  after: string,
  look: DiffLook,
): { readonly lines: string[]; readonly left: number } {
  const [one, other] = [before.split('\n'), after.split('\n')];
  // A line that says a single one is left out would take as much room as that one.
  const lead = Math.max(0, sharedPrefix(one, other) - CONTEXT);
  const start = lead === 1 ? 0 : lead;
  const cut = (lines: readonly string[]): readonly string[] => lines.slice(start, start + MOST_LINES);
  const hunks = hunksOf(diffSequences(cut(one), cut(other)));
  const lines = [
    ...(start > 0 ? [look.ink.dim(`… ${plural(start, 'line')} as before`)] : []),
    ...hunks.flatMap((hunk, at) => hunkLines(hunk, at === 0, at === hunks.length - 1, look)),
  ];
  return { lines, left: Math.max(0, one.length - start - MOST_LINES, other.length - start - MOST_LINES) };
}

function hunkLines(hunk: Hunk<string>, isFirst: boolean, isLast: boolean, look: DiffLook): string[] {
  const { ink } = look;
  if (hunk.kind === 'same') return contextLines(hunk.items, isFirst, isLast, look);
  const [gone, added] = isLongPair(hunk)
    ? alignedPair(hunk.gone[0] ?? '', hunk.added[0] ?? '', look)
    : [hunk.gone, hunk.added];
  return [
    ...gone.flatMap((line) => markedLines('-', line, ink.red, look)),
    ...added.flatMap((line) => markedLines('+', line, ink.green, look)),
  ];
}

/** One very long line for another: only the neighbourhood of the difference is worth showing. */
const isLongPair = ({ gone, added }: Extract<Hunk<string>, { kind: 'changed' }>): boolean =>
  gone.length === 1 &&
  added.length === 1 &&
  Math.max(gone[0]?.length ?? 0, added[0]?.length ?? 0) > MOST_CHARS;

function alignedPair(one: string, other: string, look: DiffLook): readonly [string[], string[]] {
  const sides = alignTexts(one, other, roomOf(look));
  return [[sides.expected], [sides.got]];
}

function contextLines(lines: readonly string[], isFirst: boolean, isLast: boolean, look: DiffLook): string[] {
  const lead = isFirst ? 0 : CONTEXT;
  const trail = isLast ? 0 : CONTEXT;
  const plain = (line: string): string[] => markedLines(' ', line, look.ink.dim, look);
  const hidden = lines.length - lead - trail;
  if (hidden <= 1) return lines.flatMap(plain);
  return [
    ...lines.slice(0, lead).flatMap(plain),
    look.ink.dim(`… ${plural(hidden, 'line')} as before`),
    ...lines.slice(lines.length - trail).flatMap(plain),
  ];
}

function markedLines(mark: string, line: string, paint: (text: string) => string, look: DiffLook): string[] {
  const rest = line.length - MOST_CHARS;
  const text = printable(line.slice(0, MOST_CHARS)) + (rest > 0 ? '…' : '');
  return wrapWhole(text, roomOf(look)).map((part, at) => paint(`${at === 0 ? mark : ' '} ${part}`));
}
