import type { ErrorCode } from 'yaml';
import type { Fault } from './json-scan.js';

/** Thrown while a document is being turned into a value. */
export class YamlFault extends Error {
  constructor(readonly fault: Fault) {
    super(fault.message);
  }
}

const MESSAGES: { readonly [Code in ErrorCode]?: string } = {
  BAD_ALIAS: 'Expected a name after & or *.',
  BAD_COLLECTION_TYPE: 'Expected a tag that fits the value, or none.',
  BAD_DIRECTIVE: 'Expected no directive of this kind. Remove the line.',
  BAD_DQ_ESCAPE: 'Expected one of the escapes YAML knows after the backslash.',
  BAD_INDENT: 'Expected another indentation here, or a closing bracket or brace before this.',
  BAD_SCALAR_START: 'Expected quotes: a plain text cannot begin with this character.',
  BLOCK_AS_IMPLICIT_KEY: 'Expected one key on this line. Quote the text if the colon belongs to it.',
  BLOCK_IN_FLOW: 'Expected flow style inside brackets or braces.',
  DUPLICATE_KEY: 'This key is already used in the same mapping.',
  KEY_OVER_1024_CHARS: 'Expected a key of at most 1024 characters.',
  MISSING_CHAR: 'Expected a character that is missing here, such as a closing quote, a colon or a space.',
  MULTILINE_IMPLICIT_KEY: 'Expected the key on one line.',
  MULTIPLE_DOCS: 'Expected one document in the file. Put the second one into a file of its own.',
  NON_STRING_KEY: 'Expected a text as the key.',
  RESOURCE_EXHAUSTION: 'Nested too deep. Flatten the value.',
  TAB_AS_INDENT: 'Expected spaces: YAML does not indent by tabs.',
  TAG_RESOLVE_FAILED: 'Expected no tag, or one of the core schema that fits the value.',
};

/** What was expected where the library found this. Its own sentence is never shown, because it can quote the text. */
export const yamlMessage = (code: ErrorCode): string => MESSAGES[code] ?? 'Expected valid YAML here.';
