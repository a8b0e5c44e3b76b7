import { printable, printableLines } from '@touchstone/sdk/view';
import type { Io, Out } from './io.js';
import { betweenColours } from './render/text.js';

/** A stream as the process has it: it takes every byte as it comes. */
export type RawOut = Omit<Out, 'rewriteLine' | 'clearScreen' | 'writeCommand'> & {
  /** A job of GitHub Actions reads along, and obeys what looks like one of its commands. */
  readonly isJobLog?: boolean;
};

/** In a job of GitHub Actions. */
export const isJob = ({ GITHUB_ACTIONS }: Io['env']): boolean => GITHUB_ACTIONS === 'true';

const ERASE_REST = '\u001b[K';
const CLEAR_SCREEN = '\u001b[2J\u001b[3J\u001b[H';

/**
 * The one way to a screen. Hosts, agents, judges, suites and files of others have a part in almost every text that is
 * shown: what could act on the terminal, or hide there, is made visible here, whoever has written it.
 */
export const createOut = (raw: RawOut): Out => ({
  write: (text) =>
    raw.write(raw.isJobLog ? withoutCommands(printableLines(text)) : screenText(text, raw.isTTY)),
  writeCommand: (command) => raw.write(`${printable(command)}\n`),
  // Erasing to the end after the text rather than before it is what keeps the line from flickering.
  rewriteLine: (text) => raw.write(`\r${printable(text)}${ERASE_REST}`),
  clearScreen: () => raw.write(CLEAR_SCREEN),
  get isTTY() {
    return raw.isTTY;
  },
  get columns() {
    return raw.columns;
  },
  ...(raw.closed && { closed: raw.closed }),
});

/** `::name::` at the beginning of a line, behind any white space, and `##[name]` anywhere. JSON stays the same document. */
const COMMAND = /^([^\S\n]*):(?=:)|##(?=\[)/gm;
const withoutCommands = (text: string): string =>
  text.replaceAll(COMMAND, (_found, space?: string) =>
    space === undefined ? '#\\u0023' : `${space}\\u003a`,
  );

/** Only a terminal is sent colours. */
const screenText = (text: string, isTTY: boolean): string =>
  isTTY ? betweenColours(text, printableLines) : printableLines(text);
