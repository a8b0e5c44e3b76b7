import { judgeName, modelName, type RunView, whole } from '@touchstone/sdk/view';
import { displayWidth, type Ink, type Look, padEnd, printable, truncate, wrap, wrapWhole } from './text.js';

// What every page of the terminal is made of: rows with a label, notes, lines with a mark, and groups of them.

/** Groups of lines with an empty line between them. */
export const blocks = (groups: readonly (readonly string[])[]): string =>
  groups
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');

/** The same look in a width that can be read: a line of 200 columns is not. */
export const readable = <T extends Look>(look: T, least = 0, most = 100): T => ({
  ...look,
  width: Math.max(least, Math.min(look.width, most)),
});

type Paint = (text: string) => string;
const spaces = (count: number): string => ' '.repeat(count);

/** A label and what it says; one without a text is left out. */
export type Row = readonly [label: string, text: string | undefined];
type RowOptions = {
  readonly indent?: number;
  /** Columns of the labels; by default as many as the widest takes. */
  readonly label?: number;
  /** Texts go on in the next line rather than being cut. */
  readonly wraps?: boolean;
};

/** `label  text`, the texts under each other. */
export function rowLines(rows: readonly Row[], { ink, width }: Look, options: RowOptions = {}): string[] {
  const shown = rows.flatMap(([name, text]) =>
    text === undefined ? [] : [[name, printable(text)] as const],
  );
  const {
    indent = 2,
    label = 2 + Math.max(0, ...shown.map(([name]) => displayWidth(name))),
    wraps,
  } = options;
  const room = Math.max(20, width - indent - label);
  return shown.flatMap(([name, text]) =>
    (wraps ? wrap(text, room) : [truncate(text, room)]).map(
      (line, at) => `${spaces(indent)}${ink.dim(padEnd(at === 0 ? name : '', label))}${line}`,
    ),
  );
}

type RunModels = Pick<RunView, 'model' | 'judge' | 'safetyJudge' | 'simulatedUser'>;

/** Which models had a part in a run. */
export const modelRows = ({ model, judge, safetyJudge, simulatedUser }: RunModels): readonly Row[] => [
  ['model', model && modelName(model)],
  ['user', simulatedUser && modelName(simulatedUser)],
  ['judge', judge && judgeName(judge)],
  ['judge', safetyJudge && `${judgeName(safetyJudge)}, for safety`],
];

/** Sentences, each on as many lines as it takes. */
export const noteLines = (
  notes: readonly (string | undefined)[],
  { width }: Look,
  paint: Paint = String,
  indent = 2,
): string[] =>
  notes.flatMap((note) =>
    note === undefined
      ? []
      : wrap(printable(note), width - indent).map((line) => `${spaces(indent)}${paint(line)}`),
  );

/** `✗ text`, with its further lines under the text. */
export const markedLines = (mark: string, text: string, { width }: Look): string[] =>
  wrap(printable(text), width - 4).map((line, at) => `  ${at === 0 ? mark : ' '} ${line}`);

/** `… and 12 more`, where there are more. */
export const restLines = (more: number, { ink }: Look, words = '', indent = 2): string[] =>
  more > 0 ? [`${spaces(indent)}${ink.dim(`… and ${whole(more)} more${words}`)}`] : [];

/** What to type, and what it does. */
export type NextCommand = { readonly command: string; readonly does: string };

/** A command is never cut, so that it can be typed as it is shown. */
export function commandLines(commands: readonly NextCommand[], { ink, width }: Look): string[] {
  const column = Math.max(0, ...commands.map(({ command }) => displayWidth(command)));
  return commands.flatMap(({ command, does }) =>
    displayWidth(does) + column + 4 <= width
      ? [`  ${ink.cyan(padEnd(command, column))}  ${ink.dim(does)}`]
      : [`  ${ink.cyan(command)}`, `    ${ink.dim(does)}`],
  );
}

/** For what has gone up or down. */
export const trendMark = (change: number, ink: Ink): string =>
  change < 0 ? ink.red('↓') : change > 0 ? ink.green('↑') : ink.yellow('≠');

/** Lines about one task stand under its name. */
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

/** A text of several lines as its author laid it out: each line stays one, and keeps its indentation. */
export function printedLines(label: string, text: string, look: Look): string[] {
  const rest = text.length - MOST;
  const lines = text
    .slice(0, MOST)
    .replace(/\s+$/, '')
    .split(/\r?\n/)
    .flatMap((line) => layLine(line, look));
  return lay(label, rest > 0 ? [...lines, moreWords(rest)] : lines, look);
}

function layLine(line: string, look: Look): readonly string[] {
  const words = line.trimStart();
  const indent = spaces(Math.min(line.length - words.length, Math.floor(room(look) / 3)));
  const lay = look.uncut ? wrapWhole : wrap;
  return lay(printable(words), room(look) - indent.length).map((part) => indent + part);
}

const lay = (label: string, lines: readonly string[], { ink }: Look): string[] =>
  lines.map((line, at) => `${INDENT}${ink.dim(padEnd(at === 0 ? label : '', LABEL - 1))} ${line}`);
