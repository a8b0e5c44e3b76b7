import type { Issue } from '@touchstone/protocol';
import type { Fault } from '../../suites/index.js';
import {
  keysIfSound,
  readJson,
  readYaml,
  type SuiteFormat,
  soundnessIssues,
  suiteFileFormat,
  withPositions,
} from '../../suites/index.js';

export type TextOptions = {
  /** Names the file in errors, and the format by its extension when `format` is absent. */
  readonly file?: string;
  readonly format?: SuiteFormat;
};

/** A text after reading, whatever it says. */
export type DefinitionText = {
  /** Not to be used when there are issues. */
  readonly value: unknown;
  /** What keeps the text from being one plain JSON value, each with its place. */
  readonly issues: readonly Issue[];
  /** The same issues, each with its line and column, in the order of the text. */
  placed(issues: readonly Issue[]): readonly Issue[];
};

/** A definition is a page or two. */
export const MAX_TEXT_LENGTH = 1024 * 1024;

// The YAML reader is slow, and it compares each key of a map with all before it: a wide map would keep it busy for
// minutes. One of these characters stands at every key, which bounds their number before anything is read.
const MAX_YAML_LENGTH = 256 * 1024;
const MAX_YAML_MARKS = 10_000;
const YAML_MARK = /[:,?]/g;

export function readDefinitionText(text: string, options: TextOptions): DefinitionText {
  if (text.length > MAX_TEXT_LENGTH)
    return refused(
      `Expected no more than ${MAX_TEXT_LENGTH} characters. A dataset belongs into a file of its own.`,
    );
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const isJson = formatOf(body, options) === 'json';
  if (!isJson && isTooMuchYaml(body))
    return refused(
      `Expected YAML of at most ${MAX_YAML_LENGTH} characters, ${MAX_YAML_MARKS} of them colons and commas. Write it as JSON.`,
    );
  const source = isJson ? readJson(body) : readYaml(body);
  const placed = (issues: readonly Issue[], faults: readonly Fault[] = []) =>
    withPositions(body, source, faults, issues);
  const { value, faults } = source;
  if (faults.length > 0) return { value, issues: placed([], faults), placed };
  const keys = keysIfSound(value);
  if (keys === undefined) return { value, issues: placed(soundnessIssues(value)), placed };
  return { value, issues: placed([], source.repeatedKeys(keys)), placed };
}

const isTooMuchYaml = (text: string): boolean =>
  text.length > MAX_YAML_LENGTH || (text.match(YAML_MARK)?.length ?? 0) > MAX_YAML_MARKS;

const refused = (message: string): DefinitionText => ({
  value: undefined,
  issues: [{ pointer: '', message }],
  placed: (issues) => issues,
});

/** Without a word about it, text that begins like a JSON object is JSON and any other is YAML. */
function formatOf(text: string, { format, file }: TextOptions): SuiteFormat {
  const named = format ?? (file === undefined ? undefined : suiteFileFormat(file));
  return named ?? (/^\s*\{/.test(text) ? 'json' : 'yaml');
}
