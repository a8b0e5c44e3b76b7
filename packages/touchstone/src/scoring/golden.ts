import { type Json, jsonEqual } from '@touchstone/protocol';
import { type Body, fromBody, type GoldenMatch } from '@touchstone/protocol/bodies';
import type { CheckWork, ScoringResult } from '../ports/index.js';
import { crossCost, readingCost, sizeOf } from './cost.js';
import { jsonOf, textOf } from './output.js';

function contains(output: Json, value: Json): boolean {
  if (Array.isArray(output) && output.some((element) => jsonEqual(element, value))) return true;
  return textOf(output).includes(textOf(value));
}

function jsonMatches(output: Json, value: Json): boolean {
  if (jsonEqual(output, value)) return true;
  const parsed = jsonOf(output);
  return parsed !== undefined && jsonEqual(parsed, value);
}

const strategies: { readonly [S in GoldenMatch['strategy']]: (output: Json, value: Json) => boolean } = {
  exact: (output, value) => textOf(output) === textOf(value),
  contains,
  'json-match': jsonMatches,
};

/** 1 when the output meets the expectation, 0 when it does not. */
export const scoreGolden = (match: GoldenMatch, output: Body): 0 | 1 =>
  strategies[match.strategy](fromBody(output), fromBody(match.value)) ? 1 : 0;

export type GoldenQuestion = { readonly match: GoldenMatch; readonly output: Body };

export const GOLDEN: CheckWork<GoldenQuestion, 0 | 1> = {
  name: 'golden',
  run: ({ match, output }) => scoreGolden(match, output),
};

export function goldenCost({ match, output }: GoldenQuestion): number {
  const [answer, value] = [sizeOf(output), sizeOf(match.value)];
  return readingCost(answer + value) + (match.strategy === 'contains' ? crossCost(answer, value) : 0);
}

export const goldenResult = (value: 0 | 1): ScoringResult => ({
  score: { kind: 'scored', value, findings: [] },
});
