import { whole } from '@touchstone/sdk/view';
import { type Look, padEnd, truncate, wrap, wrapWhole } from './text.js';

export const INDENT = '      ';
export const LABEL = 10;

/** Characters of one value that a screen is filled with; a longer one is for a program to read. */
const MOST = 20_000;

/** Columns that a text has beside its label. */
export const room = ({ width }: Look): number => Math.max(20, width - INDENT.length - LABEL);

/** `label     text`, cut at the end of the line; uncut on as many lines as it takes. */
export function labelled(label: string, text: string, look: Look): string[] {
  if (!look.uncut) return lay(label, [truncate(text, room(look))], look);
  const rest = text.length - MOST;
  const lines = wrapWhole(text.slice(0, MOST), room(look));
  return lay(label, rest > 0 ? [...lines, moreWords(rest)] : lines, look);
}

const moreWords = (rest: number): string =>
  `… and ${whole(rest)} more characters: add --json --bodies to get them all`;

/** The words of a text that must not be cut short, whatever the look. */
export const wrapped = (label: string, text: string, look: Look): string[] =>
  lay(label, look.uncut ? wrapWhole(text, room(look)) : wrap(text, room(look)), look);

const lay = (label: string, lines: readonly string[], { ink }: Look): string[] =>
  lines.map((line, at) => `${INDENT}${ink.dim(padEnd(at === 0 ? label : '', LABEL - 1))} ${line}`);
