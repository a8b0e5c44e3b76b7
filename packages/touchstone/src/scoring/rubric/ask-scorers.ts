import { defined, isObject, type Json, type JsonObject, redactDeep } from '@touchstone/protocol';
import { fromBody, type Task, toBody } from '@touchstone/protocol/bodies';
import type { Scorer, ScoringResult, Transcript } from '../../ports/index.js';
import type { CheckResult } from '../checks/context.js';
import { turned } from '../checks/run-check.js';
import { callsOf } from './ask-judge.js';
import { type CriterionDecision, decisionOf, type RubricCriterion } from './criteria.js';
import type { GroupDecision, RubricContext } from './rubric-context.js';

/** Decides the checks `scorer`, one after the other. One that cannot be decided leaves the task without a score. */
export async function askScorers(
  criteria: readonly RubricCriterion[],
  context: RubricContext,
): Promise<GroupDecision> {
  const decisions: CriterionDecision[] = [];
  for (const one of criteria) {
    const result = await decide(one, context);
    if ('unscored' in result) return result;
    decisions.push(decisionOf(one, result));
  }
  return { decisions };
}

async function decide(
  { parsed }: RubricCriterion,
  { parts: { scorers, redact }, task, transcript, signal }: RubricContext,
): Promise<CheckResult | { readonly unscored: ScoringResult }> {
  const args = parsed.kind === 'check' ? parsed.args : {};
  const scorer = scorers?.get(String(args.name));
  if (!scorer) throw new Error('A check names a scorer, and there is none of this name.');
  const document = redactDeep(documentOf(args, task, transcript), redact);
  const answer = await scorer.ask(toBody(document), signal);
  if (answer.kind === 'failed') return unscored('scorer_failed', scorer, answer.reason);
  const given = readGiven(fromBody(answer.value));
  return given ? turned(args, resultOf(args, given)) : unscored('scorer_unreadable', scorer, EXPECTED);
}

/** What a scorer sees: no weights, and nothing that others have decided. */
function documentOf({ config }: JsonObject, { input }: Task, transcript: Transcript): JsonObject {
  const { output, outcome, latencyMs, usage = [] } = transcript;
  return {
    protocol: 'touchstone.scorer/1',
    input: fromBody(input),
    ...(output !== undefined && { output: fromBody(output) }),
    outcome,
    toolCalls: callsOf(transcript, 'toolId'),
    ...(latencyMs !== undefined && { latencyMs }),
    usage: usage as unknown as Json,
    ...(config !== undefined && { config }),
  };
}

const EXPECTED = 'expected true, false, a number from 0 to 1, or an object {score, met?, reason?}';
type ScorerVerdict = { readonly score: number; readonly met?: boolean; readonly reason?: string };

/** What a scorer gave back; undefined when it is no score. */
function readGiven(given: Json): ScorerVerdict | undefined {
  if (typeof given === 'boolean') return { score: given ? 1 : 0, met: given };
  const { score, met, reason, ...rest } = isObject(given) ? given : ({ score: given } as JsonObject);
  if (typeof score !== 'number' || !(score >= 0 && score <= 1) || Object.keys(rest).length > 0)
    return undefined;
  if (met !== undefined && typeof met !== 'boolean') return undefined;
  if (reason !== undefined && typeof reason !== 'string') return undefined;
  return defined({ score, met, reason });
}

const USUAL_MIN = 0.5;

function resultOf({ min = USUAL_MIN }: JsonObject, { score, reason, ...given }: ScorerVerdict): CheckResult {
  const met = given.met ?? score >= Number(min);
  const missed = reason ?? `score ${Number(score.toFixed(4))}; wanted at least ${min}`;
  return { met, degree: score, ...((!met || reason !== undefined) && { reason: missed }) };
}

const unscored = (reason: 'scorer_failed' | 'scorer_unreadable', { pin }: Scorer, why: string) => ({
  unscored: {
    score: { kind: 'unscored', reason, findings: [] } as const,
    bodies: { reason: `Scorer ${pin.name}: ${why}` },
  },
});
