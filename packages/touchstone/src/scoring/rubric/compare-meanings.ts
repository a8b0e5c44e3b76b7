import { redactDeep } from '@touchstone/protocol';
import { type CheckResult, partOf, textIn, textsOf } from '../checks/context.js';
import { turned } from '../checks/run-check.js';
import { nearestMeaning } from '../contract/similarity.js';
import { type CriterionDecision, decisionOf, type RubricCriterion } from './criteria.js';
import type { GroupDecision, RubricContext } from './rubric-context.js';

/** Decides the checks `similar`, one after the other: by the cosine of the nearest text. */
export async function compareMeanings(
  criteria: readonly RubricCriterion[],
  context: RubricContext,
): Promise<GroupDecision> {
  const decisions: CriterionDecision[] = [];
  for (const one of criteria) {
    const result = await compare(one, context);
    if (typeof result === 'string') return { unscored: unreachable(result) };
    decisions.push(decisionOf(one, result));
  }
  return { decisions };
}

async function compare(
  { parsed }: RubricCriterion,
  { parts: { embedder, redact }, transcript, signal, spend }: RubricContext,
): Promise<CheckResult | string> {
  if (!embedder || parsed.kind !== 'check') throw new Error('A check needs an embedder, and there is none.');
  const { args } = parsed;
  const part = partOf(args, transcript);
  if (!('value' in part)) return part;
  const texts = redactDeep([textIn(part), ...textsOf(args.text)], redact);
  const nearest = await nearestMeaning(texts, embedder, signal, spend);
  if ('kind' in nearest) return nearest.reason;
  const met = nearest.degree >= Number(args.min) - ROUNDING;
  const reason = `similarity ${Number(nearest.degree.toFixed(4))}; wanted at least ${args.min}`;
  return turned(args, met ? { met, degree: nearest.degree } : { met, degree: nearest.degree, reason });
}

/** A cosine of two equal vectors may fall short of 1 by rounding. */
const ROUNDING = 1e-9;

const unreachable = (reason: string) => ({
  score: { kind: 'unscored', reason: 'embedder_unreachable', findings: [] } as const,
  bodies: { reason },
});
