import type { Json } from '@touchstone/protocol';

/**
 * What acts on a screen or hides in a text: control characters, directions, everything that Unicode lets a reader ignore
 * (zero-width and tag characters, selectors, fillers), and halves of characters.
 */
const HIDDEN = /[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb\ufffe\uffff]/gu;

/** Texts without it hold nothing hidden but line breaks, and most texts have none of it. */
const UNUSUAL = /[^\n\x20-\x7e]/;

/** They choose how an emoji is drawn. Anywhere else, and in a row, they can carry a text that is not seen. */
const PRESENTATION = /[\ufe0e\ufe0f]/;
const BEFORE_PRESENTATION = /\p{Emoji}$/u;

/** `\n`, `\u202e`, `\udb40\udc41`: as JSON would write it, so that a document stays the same document. */
function escapeHidden(char: string, at: number, text: string): string {
  if (PRESENTATION.test(char) && BEFORE_PRESENTATION.test(text.slice(Math.max(0, at - 2), at))) return char;
  const short = JSON.stringify(char).slice(1, -1);
  if (short !== char) return short;
  return char
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** Makes visible what a text holds of such characters, apart from those that the reader of the text can deal with. */
export const printableExcept =
  (kept: string) =>
  (text: string): string =>
    !UNUSUAL.test(text) && (kept.includes('\n') || !text.includes('\n'))
      ? text
      : text.replace(HIDDEN, (char, at, whole) =>
          kept.includes(char) ? char : escapeHidden(char, at, whole),
        );

/** A text on one line. An agent's answer, or a host's, must not move the cursor, recolour the screen or reorder what is read. */
export const printable = printableExcept('');

/** The same for a text that is laid out already. */
export const printableLines = printableExcept('\n\t');

/** The same for a page, which has no escapes: what acts or hides is shown by its number, as `⟨U+202E⟩`. */
export const markHidden = (text: string): string =>
  UNUSUAL.test(text)
    ? text.replace(HIDDEN, (char) => ('\n\t'.includes(char) ? char : `⟨U+${codeOf(char)}⟩`))
    : text;

const codeOf = (char: string): string =>
  (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');

/** A value on one line, as JSON. */
export const quote = (value: Json): string => printable(JSON.stringify(value));
