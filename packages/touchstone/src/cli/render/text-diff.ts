import {
  diffSequences,
  type Edit,
  type Hunk,
  hunksOf,
  plural,
  sharedPrefix,
  wordsOf,
} from '@touchstone/sdk/view';
import { alignTexts, nearMiss } from './difference.js';
import { INDENT } from './layout.js';
import { displayWidth, type Ink, type Look, printable, wrapWhole } from './text.js';

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
