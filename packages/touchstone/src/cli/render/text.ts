import { printable } from '@touchstone/sdk/view';
import picocolors from 'picocolors';

export { printable };

export type Ink = Pick<
  ReturnType<typeof picocolors.createColors>,
  'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'inverse'
>;

export const createInk = (coloured: boolean): Ink => picocolors.createColors(coloured);

/** What `Ink` writes. No other sequence may act on a terminal. */
const COLOURS = new RegExp(`(${'\u001b'}\\[(?:1|2|7|22|27|31|32|33|36|39)m)`);

/** Changes a coloured text, and leaves its colours alone. */
export const betweenColours = (text: string, change: (part: string) => string): string =>
  text
    .split(COLOURS)
    .map((part, at) => (at % 2 === 1 ? part : change(part)))
    .join('');

/** How a rendered value may look: columns to fill, and whether colour is understood. */
export type Look = {
  readonly ink: Ink;
  readonly width: number;
  /** Content is shown whole, on as many lines as it takes. */
  readonly uncut?: boolean;
};

const PLAIN =
  /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2190-\u21ff\u2200-\u22ff\u2500-\u25fc\u26a0\u2713\u2717]*$/;

/**
 * Whether each character fills one column and never joins with a neighbour: ASCII, Latin letters, and the marks and lines of our
 * own tables. Such a text needs no segmenter.
 */
export const isPlain = (text: string): boolean => PLAIN.test(text);

/** Code units of the longest grapheme worth showing whole. */
const MAX_GRAPHEME = 12;

// Both take up to ten milliseconds to build, and most texts never need them.
let segmenter: Intl.Segmenter | undefined;
let wide: RegExp | undefined;

export function splitGraphemes(text: string): string[] {
  if (isPlain(text)) return text.split('');
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), (part) => part.segment);
}

function widthOf(grapheme: string): number {
  if (isPlain(grapheme)) return 1;
  wide ??=
    /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6])/u;
  return wide.test(grapheme) ? 2 : 1;
}

/** Columns the text takes on a terminal. The text must hold no escape sequences. */
export const displayWidth = (text: string): number =>
  isPlain(text)
    ? text.length
    : splitGraphemes(text).reduce((width, grapheme) => width + widthOf(grapheme), 0);

/** The text in at most `width` columns of one line, its end replaced by an ellipsis when something had to go. */
export function truncate(text: string, width: number): string {
  // No grapheme is narrower than a column, so what lies beyond this cannot be shown; an answer may be megabytes long.
  const most = width * MAX_GRAPHEME;
  const shown = printable(text.slice(0, most));
  if (text.length <= most && displayWidth(shown) <= width) return shown;
  let kept = '';
  let used = 1;
  for (const grapheme of splitGraphemes(shown.slice(0, most))) {
    used += widthOf(grapheme);
    if (used > width) break;
    kept += grapheme;
  }
  return `${kept}…`;
}

/** The same for an id, of which both ends tell something: what goes is in the middle. */
export function truncateMiddle(text: string, width: number): string {
  const shown = printable(text);
  if (displayWidth(shown) <= width) return shown;
  const parts = splitGraphemes(shown);
  const end = Math.floor((width - 1) / 2);
  const tail = parts.slice(parts.length - end).join('');
  // A wide character may leave a column free.
  return `${truncate(shown, width - displayWidth(tail))}${tail}`;
}

/** The words of a text on as many lines as they take; a word too long for a line is cut. */
export const wrap = (text: string, width: number): string[] =>
  layWords(text, width, (word) => [truncate(word, width)]);

/** The same with nothing left out: a word too long for a line goes on in the next one. */
export const wrapWhole = (text: string, width: number): string[] =>
  width === Number.POSITIVE_INFINITY
    ? [printable(text)]
    : layWords(text, width, (word) => broken(word, width));

function layWords(text: string, width: number, fit: (word: string) => readonly string[]): string[] {
  const lines: string[] = [];
  for (const word of printable(text).split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`;
    if (lines.length > 0 && displayWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(...fit(word));
  }
  return lines;
}

function broken(word: string, width: number): readonly string[] {
  const pieces = [''];
  let used = 0;
  for (const grapheme of splitGraphemes(word)) {
    used += widthOf(grapheme);
    if (used > width && pieces.at(-1) !== '') {
      pieces.push('');
      used = widthOf(grapheme);
    }
    pieces[pieces.length - 1] += grapheme;
  }
  return pieces;
}

const padding = (shown: string, width: number): string =>
  ' '.repeat(Math.max(0, width - displayWidth(shown)));

export function padEnd(text: string, width: number): string {
  const shown = printable(text);
  return shown + padding(shown, width);
}

export function padStart(text: string, width: number): string {
  const shown = printable(text);
  return padding(shown, width) + shown;
}
