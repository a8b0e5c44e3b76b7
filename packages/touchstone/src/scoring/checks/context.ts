import { type Json, type JsonObject, readPointer } from '@touchstone/protocol';
import { fromBody } from '@touchstone/protocol/bodies';
import type { SchemaFit, Transcript } from '../../ports/index.js';
import { jsonOf, textOf, unfenced } from '../output.js';
import type { PatternSearch } from '../rubric/pattern.js';

/** What checks need beside the answer. */
export type CheckParts = {
  readonly schemaCheck: SchemaFit;
  /** Looks for a pattern in a text, in time that grows with the text and no faster. */
  readonly search: PatternSearch;
  readonly isRefusal: (text: string) => boolean;
};

/** What became of a check. */
export type CheckResult = {
  readonly met: boolean;
  /** How far, from 0 to 1, for checks that have degrees. */
  readonly degree?: number;
  /** What was looked for and what was found. Content. */
  readonly reason?: string;
  /** Where JSON differs, by a place in the expectation. */
  readonly differsAt?: string;
  /** It could not be told, so it is not met under `not` either. */
  readonly unknown?: true;
};

/** One check at work: its arguments, what the agent did, and the part of the answer that it is about. */
export type CheckContext = {
  readonly args: JsonObject;
  readonly transcript: Transcript;
  readonly parts: CheckParts;
  /** The answer, or the part of it at `at`; undefined when the agent gave none. */
  readonly value: Json | undefined;
};

export type Check = (context: CheckContext) => CheckResult;

/** The text of what a check is about. */
export const textIn = ({ value }: Pick<CheckContext, 'value'>): string =>
  value === undefined ? '' : textOf(value);

/** What a check is about as JSON. */
export const jsonIn = ({ value }: Pick<CheckContext, 'value'>): Json | undefined =>
  value === undefined ? undefined : jsonOf(value);

/** The part of the answer that a check is about, or why there is none. */
export function partOf(
  { at, fenced }: JsonObject,
  { output }: Transcript,
): { value: Json | undefined } | CheckResult {
  const whole = output === undefined ? undefined : fromBody(output);
  const open = whole !== undefined && fenced === true ? unfenced(whole) : whole;
  if (typeof at !== 'string' || at === '')
    return { value: at === '' && open !== undefined ? (jsonOf(open) ?? open) : open };
  const json = open === undefined ? undefined : jsonOf(open);
  const value = json === undefined ? undefined : readPointer(json, at);
  return value === undefined ? unknown(`nothing at ${at}`) : { value };
}

export const unknown = (reason: string): CheckResult => ({ met: false, reason, unknown: true });

/** One text or a list of them. */
export const textsOf = (value: Json | undefined): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((item): item is string => typeof item === 'string');

/** How a text is compared, by the foldings that were asked for. */
export function foldOf({ ignoreCase, trim }: JsonObject): (text: string) => string {
  return (text) => {
    const trimmed = trim === true ? text.trim() : text;
    return ignoreCase === true ? trimmed.toLowerCase() : trimmed;
  };
}

/** So much of a text is quoted in a reason. */
const QUOTED = 120;

/** A value in a reason, cut when it is long. */
export function quoted(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > QUOTED ? `${text.slice(0, QUOTED)}…` : text;
}

/** `wanted "friday" or "monday", any case`. */
export function wanted(texts: readonly Json[], { ignoreCase }: JsonObject, joint = 'and'): string {
  return `wanted ${texts.map(quoted).join(` ${joint} `)}${ignoreCase === true ? ', any case' : ''}`;
}

/** Between two bounds, either of which may be missing. */
export const isWithin = (count: number, { min, max }: JsonObject, least = 0): boolean =>
  count >= (typeof min === 'number' ? min : least) && (typeof max !== 'number' || count <= max);

/** `at least 2 and at most 5`. */
export function boundsOf({ min, max }: JsonObject, least?: number): string {
  const low = typeof min === 'number' ? min : least;
  const words = [
    ...(low === undefined ? [] : [`at least ${low}`]),
    ...(typeof max === 'number' ? [`at most ${max}`] : []),
  ];
  return words.join(' and ');
}
