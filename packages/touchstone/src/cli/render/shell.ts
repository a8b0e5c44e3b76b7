import { printable } from './text.js';

/** A name is one word when it is typed again, and no more than a word: another host may have chosen it. */
export function shellWord(text: string): string {
  const shown = printable(text);
  return /^[\w@%+=:,./~-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", `'\\''`)}'`;
}

/** Words to type, each value in them as one word. */
export const shell = (words: TemplateStringsArray, ...values: readonly (string | number)[]): string =>
  String.raw({ raw: words }, ...values.map((value) => shellWord(String(value))));
