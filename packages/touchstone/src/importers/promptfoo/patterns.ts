/** White space of JavaScript, in the words of RE2, whose own `\s` knows ASCII only. */
const SPACE = String.raw`\s\v\x{feff}\p{Z}`;

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
