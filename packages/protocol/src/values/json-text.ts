const COLON = 0x3a;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/** Where the string that begins at `opening` ends; the end of the text when it is not closed. */
export function closingQuote(text: string, opening: number): number {
  for (let at = text.indexOf('"', opening + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}

/**
 * How many members the objects in a JSON text have: strings followed by a colon. `JSON.parse` keeps the last of two equal
 * members and says nothing, but text and value then differ in their count. Jumping from quote to quote leaves the search
 * to the platform, which matters for a long text.
 */
export function membersInText(text: string): number {
  let members = 0;
  for (let open = text.indexOf('"'); open !== -1; ) {
    let after = closingQuote(text, open) + 1;
    while (text.charCodeAt(after) <= SPACE) after += 1;
    if (text.charCodeAt(after) === COLON) members += 1;
    open = text.indexOf('"', after);
  }
  return members;
}
