import { canonicalJson, type Json, parseJson, type Redact, redactDeep } from '@touchstone/protocol';
import { fromBody } from '@touchstone/protocol/bodies';
import type { Transcript } from '../ports/index.js';

/** The text of an output: a string as it is, anything else its canonical JSON. Nothing is trimmed or folded. */
export const textOf = (value: Json): string => (typeof value === 'string' ? value : canonicalJson(value));

/** The text of an answer; empty when there is none. */
export const answerText = ({ output }: Pick<Transcript, 'output'>): string =>
  output === undefined ? '' : textOf(fromBody(output));

/** The output as JSON: as it is, or the value of its text. A code fence around it is not JSON. */
export const jsonOf = (output: Json): Json | undefined =>
  typeof output === 'string' ? parseJson(output) : output;

const FENCE = '```';

/** The text inside the one code fence around an answer; any other answer as it is. */
export function unfenced(output: Json): Json {
  const text = typeof output === 'string' ? output.trim() : '';
  const opening = text.indexOf('\n');
  const isFenced = opening >= FENCE.length && text.startsWith(FENCE) && text.endsWith(FENCE);
  return isFenced ? text.slice(opening + 1, -FENCE.length) : output;
}

/** Fine enough for any weight a person writes, coarse enough that ten thousand of them still add up exactly. */
const UNITS = 1e11;

/**
 * The share of the weight that is met, `share` of it where a criterion counts by degree; 0 without any weight. Weights are added as whole numbers: 0.4 + 0.3 + 0.1 of 1 would
 * otherwise fall short of 0.8, and miss a threshold that was met.
 */
export function weightedShare(
  criteria: readonly { readonly weight: number; readonly met: boolean; readonly share?: number }[],
): number {
  const units = criteria.map(({ weight }) => Math.round(weight * UNITS));
  const weights = units.some((unit) => unit > 0) ? units : criteria.map(({ weight }) => weight);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const met = weights.reduce((sum, weight, at) => sum + weight * earned(criteria[at]), 0);
  return total === 0 ? 0 : Math.min(1, met / total);
}

/** All of the weight or nothing, unless a criterion counts by degree. */
const earned = (one: { readonly met: boolean; readonly share?: number } | undefined): number =>
  one?.share ?? (one?.met ? 1 : 0);

const MAX_REASON = 2_000;

/** Redacted before it is cut: half a secret would no longer be recognised. */
export const shortReason = (reason: string, redact: Redact): string =>
  redactDeep(reason, redact).slice(0, MAX_REASON);
