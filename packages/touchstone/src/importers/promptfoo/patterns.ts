/** White space of JavaScript, in the words of RE2, whose own `\s` knows ASCII only. */
const SPACE = String.raw`\s\v\x{feff}\p{Z}`;

/** One character of very many: any, all but some, none of a kind. With `*` or `+` behind it, how many units it has does not matter. */
const WIDE = /(?:\\[SWD]|\.|\[\^(?:\\[\s\S]|[^\]\\])*\])(?![*+]|\{[01],\})/;
const LITERAL = /\\[^SWD]|\[(?!\^)(?:\\[\s\S]|[^\]\\])*\]/g;
const BEYOND_BMP = /[\u{10000}-\u{10ffff}]/u;

/**
 * Whether a pattern may find something else where a character has two UTF-16 units, as emoji have: there it is read unit by
 * unit, here character by character.
 */
export const countsUnits = (pattern: string): boolean =>
  BEYOND_BMP.test(pattern) || WIDE.test(pattern.replaceAll(LITERAL, 'x'));

/** A pattern of JavaScript that finds the same in RE2; undefined when it has no such form. */
export function asRe2(pattern: string): string | undefined {
  let inClass = false;
  let isExact = true;
  const translated = pattern.replace(/\\[\s\S]|[[\]]/g, (piece) => {
    if (piece === '[') inClass = true;
    if (piece === ']') inClass = false;
    if (piece === '\\s') return inClass ? SPACE : `[${SPACE}]`;
    if (piece !== '\\S') return piece;
    isExact &&= !inClass;
    return `[^${SPACE}]`;
  });
  return isExact ? translated : undefined;
}
