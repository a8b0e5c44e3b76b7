import { type Json, type JsonObject, redactDeep } from '@touchstone/protocol';
import { fromBody, toBody } from '@touchstone/protocol/bodies';
import type { CriterionVerdict, JudgeAnswer, JudgedCriterion, Transcript } from '../../ports/index.js';
import { turned } from '../checks/run-check.js';
import { unscoredByJudge } from '../unscored.js';
import { type CriterionDecision, decisionOf, type RubricCriterion } from './criteria.js';
import type { GroupDecision, RubricContext } from './rubric-context.js';

/** Puts prose, and the checks that ask a judge, to the judge in one question. */
export async function askJudge(
  criteria: readonly RubricCriterion[],
  { parts: { judge, redact }, task, transcript, signal, spend }: RubricContext,
): Promise<GroupDecision> {
  if (!judge) throw new Error('A criterion needs a judge, and there is none.');
  const { output, seed } = transcript;
  if (output === undefined)
    return { decisions: criteria.map(() => ({ met: false })), judge: judge.identity.digest };
  const question = {
    input: task.input,
    output,
    criteria: criteria.map((one) => toJudged(one, transcript)),
    seed,
  };
  const judged = await judge.judge(redactDeep(question, redact), signal, spend);
  if (judged.kind !== 'judged') return { unscored: unscored(judged) };
  const decisions = criteria.map((one, at) => decide(one, judged.verdicts[at] as CriterionVerdict));
  return { decisions, judge: judge.identity.digest };
}

function toJudged({ parsed }: RubricCriterion, transcript: Transcript): JudgedCriterion {
  if (parsed.kind !== 'check') return { sentence: parsed.kind === 'prose' ? parsed.sentence : '' };
  const { args, sentence } = parsed;
  const data = dataOf(args, transcript);
  return {
    sentence,
    ...(args.min !== undefined && { graded: true as const }),
    ...(Object.keys(data).length > 0 && { data }),
  };
}

/** What the judge sees of one criterion beside question and answer. */
function dataOf({ sees, reference }: JsonObject, transcript: Transcript): JudgedCriterion['data'] & object {
  const wanted = (sees ?? []) as readonly string[];
  return {
    ...(reference !== undefined && { reference: toBody(reference) }),
    ...(wanted.includes('calls') && { calls: toBody(callsOf(transcript, 'tool')) }),
    ...(wanted.includes('memory') && { memory: toBody((transcript.memory ?? []) as unknown as Json) }),
  };
}

/** The calls as JSON. `name` is the member that holds the tool's id. */
export const callsOf = ({ toolCalls }: Transcript, name: 'tool' | 'toolId'): Json =>
  toolCalls.map(({ toolId, inputs, status, outcome }) => ({
    [name]: toolId,
    inputs: fromBody(inputs),
    status,
    ...(outcome !== undefined && { outcome: fromBody(outcome) }),
  }));

/** With `min` the degree decides, and the judge's yes or no does not. */
function decide(one: RubricCriterion, verdict: CriterionVerdict): CriterionDecision {
  if (one.parsed.kind !== 'check') return verdict;
  const { args } = one.parsed;
  const { score: degree, agreement, reason } = verdict;
  const met = typeof args.min === 'number' ? (degree ?? 0) >= args.min : verdict.met;
  const result = turned(args, { met, ...(degree !== undefined && { degree }) });
  const decision = decisionOf(one, { ...result, ...(reason !== undefined && { reason }) });
  return agreement === undefined ? decision : { ...decision, agreement };
}

const unscored = (judged: Exclude<JudgeAnswer, { kind: 'judged' }>) => ({
  score: unscoredByJudge(judged),
  bodies: { reason: judged.reason },
});
