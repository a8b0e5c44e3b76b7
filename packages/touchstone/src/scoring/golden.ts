import { canonicalJson, type Json, jsonEqual } from '@touchstone/protocol';
import { type Body, fromBody, type GoldenMatch } from '@touchstone/protocol/bodies';

/** The text of an output: a string as it is, anything else its canonical JSON. Nothing is trimmed or folded. */
const textOf = (value: Json): string => (typeof value === 'string' ? value : canonicalJson(value));

function contains(output: Json, value: Json): boolean {
  if (Array.isArray(output) && output.some((element) => jsonEqual(element, value))) return true;
  return textOf(output).includes(textOf(value));
}

function jsonMatches(output: Json, value: Json): boolean {
  if (jsonEqual(output, value)) return true;
  return typeof output === 'string' && parsedEquals(output, value);
}

function parsedEquals(text: string, value: Json): boolean {
  try {
    return jsonEqual(JSON.parse(text) as Json, value);
  } catch {
    return false;
  }
}

const strategies: { readonly [S in GoldenMatch['strategy']]: (output: Json, value: Json) => boolean } = {
  exact: (output, value) => textOf(output) === textOf(value),
  contains,
  'json-match': jsonMatches,
};

/** 1 when the output meets the expectation, 0 when it does not. A golden is a golden. */
export const scoreGolden = (match: GoldenMatch, output: Body): 0 | 1 =>
  strategies[match.strategy](fromBody(output), fromBody(match.value)) ? 1 : 0;
