import { isObject, parseJson, type UnknownObject, withoutFence } from '@touchstone/protocol';
import type { CriterionVerdict, JudgedCriterion } from '../../ports/index.js';

/** The verdicts in the order of the criteria; undefined when the answer is not exactly what was asked for. */
export function readVerdicts(
  text: string,
  criteria: readonly JudgedCriterion[],
  hasReason = true,
): readonly CriterionVerdict[] | undefined {
  const answer = parseJson(withoutFence(text));
  if (!isObject(answer) || !hasOnly(answer, ['verdicts']) || !Array.isArray(answer.verdicts))
    return undefined;
  if (answer.verdicts.length !== criteria.length) return undefined;
  const verdicts = new Map<number, CriterionVerdict>();
  for (const entry of answer.verdicts) {
    const read = readVerdict(entry, criteria, hasReason);
    if (!read || verdicts.has(read.number)) return undefined;
    verdicts.set(read.number, read.verdict);
  }
  return criteria.map((_, index) => verdicts.get(index + 1) as CriterionVerdict);
}

function readVerdict(
  entry: unknown,
  criteria: readonly JudgedCriterion[],
  hasReason: boolean,
): { readonly number: number; readonly verdict: CriterionVerdict } | undefined {
  if (!isObject(entry) || !hasOnly(entry, ['criterion', 'reason', 'met', 'score'])) return undefined;
  const { criterion: number, reason, met, score } = entry;
  const wanted = typeof number === 'number' ? criteria[number - 1] : undefined;
  if (!wanted || typeof number !== 'number' || typeof met !== 'boolean') return undefined;
  if (hasReason ? typeof reason !== 'string' : reason !== undefined) return undefined;
  const kept = { met, ...(typeof reason === 'string' && { reason }) };
  const isDegree = typeof score === 'number' && score >= 0 && score <= 1;
  if (wanted.graded) return isDegree ? { number, verdict: { ...kept, score } } : undefined;
  // The schema of the answer offers a score for every criterion. Where none was asked for, the yes or no alone counts.
  return isDegree || score === undefined || score === null ? { number, verdict: kept } : undefined;
}

const hasOnly = (value: UnknownObject, members: readonly string[]): boolean =>
  Object.keys(value).every((member) => members.includes(member));
