import type { Issue } from '@touchstone/protocol';
import { type SuiteFormat, suiteFileFormat } from '../suite-files.js';
import { parseJson } from './json.js';
import { keysIfSound, soundnessIssues } from './soundness.js';
import type { TextIssue, TextSource } from './text-source.js';
import { parseYaml } from './yaml.js';

/** A text after reading, whatever it says. */
export type TextReading = {
  /** Absent after a syntax error, and safe to use only when there is no problem or merely a repeated key. */
  readonly value?: unknown;
  /** What keeps the text from being one plain JSON value. */
  readonly problem?: 'syntax' | 'unsound' | 'repeated-key';
  /** These issues and those of the text itself, each with its line and column, in the order of the text. */
  locate(issues?: readonly Issue[]): readonly Issue[];
};

/** How to read the text of a file. */
export type FileTextOptions = {
  /** JSON or YAML; decided by the name of the file when absent. */
  readonly format?: SuiteFormat;
  /** Names the file in errors, and the format by its extension when `format` is absent. */
  readonly file?: string;
  /** The text was written for a reader of YAML that applies merge keys, `<<`. They are refused otherwise. */
  readonly mergeKeys?: boolean;
};

export const readJsonText = (text: string): TextReading => inspect(text, parseJson(text));

/** The text of a file, with or without a byte order mark. */
export function readFileText(text: string, options: FileTextOptions): TextReading {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text;
  return isJsonText(body, options) ? readJsonText(body) : inspect(body, parseYaml(body, options.mergeKeys));
}

/** When nothing names the format, text that begins like a JSON object is JSON and any other is YAML. */
export function isJsonText(text: string, { format, file }: FileTextOptions): boolean {
  const named = format ?? (file === undefined ? undefined : suiteFileFormat(file));
  return named === undefined ? /^\s*\{/.test(text) : named === 'json';
}

function inspect(text: string, source: TextSource): TextReading {
  const { value, issues } = source;
  if (issues.length > 0) return reading(text, source, 'syntax', issues);
  const keys = keysIfSound(value);
  if (keys === undefined) return reading(text, source, 'unsound', [], soundnessIssues(value));
  const repeated = source.repeatedKeys(keys);
  if (repeated.length > 0) return reading(text, source, 'repeated-key', repeated);
  return { value, locate: (found = []) => withPositions(text, source, [], found) };
}

const reading = (
  text: string,
  source: TextSource,
  problem: NonNullable<TextReading['problem']>,
  own: readonly TextIssue[],
  unsound: readonly Issue[] = [],
): TextReading => ({
  value: source.value,
  problem,
  locate: (found = []) => withPositions(text, source, own, [...unsound, ...found]),
});

function withPositions(
  text: string,
  source: TextSource,
  own: readonly TextIssue[],
  issues: readonly Issue[],
): readonly Issue[] {
  const offsetOf = issues.length > 0 ? source.locate(issues.map(({ pointer }) => pointer)) : () => 0;
  const located = issues.map(({ pointer, message }) => ({ pointer, message, offset: offsetOf(pointer) }));
  // What concerns the whole file comes last: it may be a word about how much more is wrong.
  const ofParts = located.filter(({ pointer }) => pointer !== '');
  const ofWhole = located.filter(({ pointer }) => pointer === '');
  const positionOf = createPositions(text);
  return [...[...own, ...ofParts].sort((a, b) => a.offset - b.offset), ...ofWhole].map(
    ({ pointer, message, offset }) => ({ pointer, message, ...positionOf(offset) }),
  );
}

/** Lines and columns count from 1, columns in UTF-16 units as editors count them. Fast for offsets in rising order. */
function createPositions(text: string): (offset: number) => Pick<Issue, 'line' | 'column'> {
  let line = 1;
  let start = 0;
  return (offset) => {
    if (offset < start) [line, start] = [1, 0];
    for (let end = text.indexOf('\n', start); end !== -1 && end < offset; end = text.indexOf('\n', start)) {
      line += 1;
      start = end + 1;
    }
    return { line, column: offset - start + 1 };
  };
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The text of a file, without its byte order mark; undefined when the bytes are not UTF-8. */
export function utf8(bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The value that a file of JSON holds; undefined when it holds none, or more than one because of a repeated member. */
export function jsonOf(bytes: Buffer): { readonly value: unknown } | undefined {
  const text = utf8(bytes);
  if (text === undefined) return undefined;
  const { value, problem } = readJsonText(text);
  return problem === undefined ? { value } : undefined;
}
