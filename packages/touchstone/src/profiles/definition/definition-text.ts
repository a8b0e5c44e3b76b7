import { isObject } from '@touchstone/protocol';
import { type FileTextOptions, isJsonText, readFileText, type TextReading } from '../../suites/index.js';
import type { DefinitionForm } from './profile.js';

/** A definition is a page or two. */
export const MAX_TEXT_LENGTH = 1024 * 1024;

// The YAML reader is slow, and a wide map would keep it busy for minutes. One of these characters stands at every key,
// which bounds their number before anything is read.
const MAX_YAML_LENGTH = 256 * 1024;
const MAX_YAML_MARKS = 10_000;
const YAML_MARK = /[:,?]/g;

/** Reads the text of a definition file, whatever it says, within bounds that suit definitions. */
export function readDefinitionText(text: string, options: FileTextOptions): TextReading {
  if (text.length > MAX_TEXT_LENGTH)
    return refused(
      `Expected no more than ${MAX_TEXT_LENGTH} characters. A dataset belongs into a file of its own.`,
    );
  if (!isJsonText(text, options) && isTooMuchYaml(text))
    return refused(
      `Expected YAML of at most ${MAX_YAML_LENGTH} characters, ${MAX_YAML_MARKS} of them colons and commas. Write it as JSON.`,
    );
  return readFileText(text, options);
}

const isTooMuchYaml = (text: string): boolean =>
  text.length > MAX_YAML_LENGTH || (text.match(YAML_MARK)?.length ?? 0) > MAX_YAML_MARKS;

const refused = (message: string): TextReading => ({
  problem: 'syntax',
  locate: (issues = []) => [{ pointer: '', message }, ...issues],
});

const MARKS_OF_A = ['metadata', 'capabilities', 'config', 'dependencies', 'evaluation'];
const MARKS_OF_B = ['kind', 'metadata', 'definitions', 'workflow'];

/** Tells a definition from a suite by its members alone, so that a definition with slips in it is still one. */
export function looksLikeDefinition(value: unknown): DefinitionForm | undefined {
  if (!isObject(value) || Object.hasOwn(value, 'suiteId') || Object.hasOwn(value, 'tasks')) return undefined;
  const has = (names: readonly string[]) => names.filter((name) => Object.hasOwn(value, name)).length;
  const { apiVersion } = value;
  if (typeof apiVersion === 'string' && apiVersion.startsWith('coreason.ai/')) return 'B';
  if (has(MARKS_OF_B) >= 3) return 'B';
  return has(MARKS_OF_A) >= 2 ? 'A' : undefined;
}
