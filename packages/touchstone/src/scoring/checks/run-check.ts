import type { JsonObject } from '@touchstone/protocol';
import type { CheckName, PlainCheckName } from '@touchstone/protocol/bodies';
import type { Transcript } from '../../ports/index.js';
import { weightedShare } from '../output.js';
import { type Check, type CheckParts, type CheckResult, partOf } from './context.js';
import { containsJson, format, json, jsonSubset, schema } from './documents.js';
import { cost, latency, tokens, turns } from './figures.js';
import { distance, overlap } from './nearness.js';
import { number } from './numbers.js';
import {
  cites,
  contains,
  endsWith,
  equals,
  excludes,
  length,
  notRefused,
  refused,
  regex,
  startsWith,
} from './texts.js';
import { toolCalled, toolNoRepeat, toolNotCalled, toolSequence, toolValid } from './tools.js';

const PLAIN: { readonly [name in PlainCheckName]: Check } = {
  contains,
  excludes,
  equals,
  'starts-with': startsWith,
  'ends-with': endsWith,
  regex,
  length,
  number,
  distance,
  overlap,
  cites,
  refused,
  'not-refused': notRefused,
  format,
  json,
  schema,
  'contains-json': containsJson,
  'json-subset': jsonSubset,
  latency,
  cost,
  tokens,
  'tool-called': toolCalled,
  'tool-not-called': toolNotCalled,
  'tool-sequence': toolSequence,
  'tool-no-repeat': toolNoRepeat,
  'tool-valid': toolValid,
  turns,
};

/** The checks that the host decides by itself: without a judge, an embedder or a program. */
export type DecidableCheckName = PlainCheckName | 'any' | 'all';

export const isDecidableCheck = (name: CheckName): name is DecidableCheckName =>
  name === 'any' || name === 'all' || Object.hasOwn(PLAIN, name);

/** Whether an invocation meets a criterion whose meaning is decidable. */
export function runCheck(
  name: DecidableCheckName,
  args: JsonObject,
  transcript: Transcript,
  parts: CheckParts,
): CheckResult {
  if (name === 'any' || name === 'all') {
    const results = partsOf(args).map((part) => runPart(part, transcript, parts));
    return turned(args, name === 'any' ? anyOf(results) : allOf(results, args));
  }
  const part = partOf(args, transcript);
  if (!('value' in part)) return part;
  return turned(args, PLAIN[name]({ args, transcript, parts, value: part.value }));
}

/** `not` turns the verdict round, except where it could not be told. */
export function turned({ not }: JsonObject, result: CheckResult): CheckResult {
  if (not !== true || result.unknown) return result;
  const { reason: _reason, differsAt: _differsAt, ...rest } = result;
  return result.met ? { ...rest, met: false, reason: 'it was to be otherwise' } : { ...rest, met: true };
}

/** How much of its weight a check with degrees earns when it counts by degree; undefined when it counts whole. */
export function shareOf({ graded, not }: JsonObject, { degree, unknown }: CheckResult): number | undefined {
  if (graded !== true) return undefined;
  if (unknown || degree === undefined) return 0;
  return not === true ? 1 - degree : degree;
}

type Part = { readonly name: PlainCheckName; readonly args: JsonObject; readonly weight: number };
type PartResult = Part & { readonly result: CheckResult };

const partsOf = ({ of }: JsonObject): readonly Part[] =>
  (of as readonly JsonObject[]).map(({ weight = 1, ...rest }) => {
    const [[name, args] = ['contains', {}]] = Object.entries(rest);
    return { name: name as PlainCheckName, args: args as JsonObject, weight: Number(weight) };
  });

const runPart = (part: Part, transcript: Transcript, parts: CheckParts): PartResult => ({
  ...part,
  result: runCheck(part.name, part.args, transcript, parts),
});

function anyOf(results: readonly PartResult[]): CheckResult {
  const met = results.some(({ result }) => result.met);
  if (met) return { met };
  const isUnknown = results.some(({ result: { unknown } }) => unknown);
  return { met, reason: unmetParts(results), ...(isUnknown && { unknown: true }) };
}

function allOf(results: readonly PartResult[], { min = 1, not }: JsonObject): CheckResult {
  const shareIf = (isMet: (result: CheckResult) => boolean): number =>
    weightedShare(results.map(({ weight, result }) => ({ weight, met: isMet(result) })));
  const degree = shareIf(({ met }) => met);
  if (degree >= Number(min)) return { met: true, degree };
  const unmet = { met: false, degree, reason: unmetParts(results) };
  // What could not be told must not make `not` come true.
  const couldBeMet = shareIf(({ met, unknown }) => met || unknown === true) >= Number(min);
  return not === true && couldBeMet ? { ...unmet, unknown: true } : unmet;
}

const unmetParts = (results: readonly PartResult[]): string =>
  results
    .filter(({ result }) => !result.met)
    .map(({ name, result: { reason } }) => (reason === undefined ? name : `${name}: ${reason}`))
    .join('; ');
