import type { Json, JsonObject } from '@touchstone/protocol';
import { type CheckName, fromBody } from '@touchstone/protocol/bodies';
import type { SchemaCheck, Transcript } from '../../ports/index.js';
import { answerText, jsonOf } from '../output.js';

export type CheckParts = {
  readonly schemaCheck: SchemaCheck;
  /** Whether a pattern is found in a text, in time that grows with the text and no faster. */
  readonly matches: (pattern: string, text: string, ignoreCase: boolean) => boolean;
  readonly isRefusal: (text: string) => boolean;
};

type Check = (args: JsonObject, transcript: Transcript, parts: CheckParts) => boolean;

const answerJson = ({ output }: Transcript): Json | undefined =>
  output === undefined ? undefined : jsonOf(fromBody(output));

const listOf = (value: Json | undefined): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((item): item is string => typeof item === 'string');

function includes(args: JsonObject, transcript: Transcript): (words: string) => boolean {
  const fold = (text: string): string => (args.ignoreCase === true ? text.toLowerCase() : text);
  const text = fold(answerText(transcript));
  return (words) => text.includes(fold(words));
}

const callsOf = ({ toolCalls }: Transcript, { tool }: JsonObject): number =>
  toolCalls.filter(({ toolId }) => toolId === tool).length;

const lengthOf = (text: string, unit: Json | undefined): number =>
  unit === 'words' ? (text.match(/\S+/g) ?? []).length : [...text].length;

const within = (count: number, { min, max }: JsonObject, least: number): boolean =>
  count >= (typeof min === 'number' ? min : least) && (typeof max !== 'number' || count <= max);

const hasRefused = (transcript: Transcript, { isRefusal }: CheckParts): boolean =>
  transcript.outcome === 'refused' || isRefusal(answerText(transcript));

const CHECKS: { readonly [name in CheckName]: Check } = {
  json: (_args, transcript) => answerJson(transcript) !== undefined,
  schema({ schema }, transcript, { schemaCheck }) {
    const value = answerJson(transcript);
    return value !== undefined && schemaCheck(schema as JsonObject, value as never).length === 0;
  },
  length: (args, transcript) => within(lengthOf(answerText(transcript), args.unit), args, 0),
  contains: (args, transcript) => listOf(args.text).every(includes(args, transcript)),
  excludes: (args, transcript) => !listOf(args.text).some(includes(args, transcript)),
  regex: ({ pattern, ignoreCase, absent }, transcript, { matches }) =>
    matches(String(pattern), answerText(transcript), ignoreCase === true) !== (absent === true),
  'tool-called': (args, transcript) => within(callsOf(transcript, args), args, 1),
  'tool-not-called': (args, transcript) => callsOf(transcript, args) === 0,
  cites: ({ source }, transcript) => listOf(source).some((one) => answerText(transcript).includes(one)),
  refused: (_args, transcript, parts) => hasRefused(transcript, parts),
  'not-refused': (_args, transcript, parts) => !hasRefused(transcript, parts),
};

/** Whether an answer meets a criterion whose meaning is decidable. */
export const runCheck = (
  name: CheckName,
  args: JsonObject,
  transcript: Transcript,
  parts: CheckParts,
): boolean => CHECKS[name](args, transcript, parts);
