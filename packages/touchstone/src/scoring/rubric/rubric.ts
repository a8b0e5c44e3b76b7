import { createHash } from 'node:crypto';
import {
  asId,
  type CriterionId,
  type CriterionResult,
  defined,
  type Redact,
  redactDeep,
} from '@touchstone/protocol';
import {
  type Criterion,
  fromBody,
  type ParsedCriterion,
  parseCriterion,
  type Task,
} from '@touchstone/protocol/bodies';
import type {
  CriterionVerdict,
  Judge,
  JudgeAnswer,
  ScoringResult,
  Spend,
  Transcript,
} from '../../ports/index.js';
import { shortReason, weightedShare } from '../output.js';
import { unscoredByJudge } from '../unscored.js';
import { type AnswerCheck, type CheckParts, decideChecks } from './checks.js';

export type RubricParts = CheckParts & {
  /** Asked about prose. Tasks that need one are refused at create where there is none. */
  readonly judge?: Judge;
  /** Secrets of this host are not for the judge to read. */
  readonly redact?: Redact;
};

export type RubricScorer = (
  task: Task,
  transcript: Transcript,
  signal: AbortSignal,
  spend: Spend,
) => Promise<ScoringResult>;

/** Scores a rubric task: decidable criteria by their checks, prose by the judge, all in one weighted sum. */
export const createRubricScorer =
  (parts: RubricParts): RubricScorer =>
  async (task, transcript, signal, spend) => {
    const criteria = criteriaOf(task);
    const prose = criteria.filter(({ parsed }) => parsed.kind === 'prose');
    const checks = criteria.filter(({ parsed }) => parsed.kind !== 'prose');
    // Before the judge is asked, which costs: without the checks there is no score.
    const met = await decideChecks(checks.map(checkOf), transcript, parts, signal);
    const judged = await askJudge(parts, task, transcript, prose, signal, spend);
    if (judged && judged.kind !== 'judged') return unscored(judged);
    const verdicts = new Map([
      ...prose.map((one, at) => [one, judged?.verdicts[at] as CriterionVerdict] as const),
      ...checks.map((one, at) => [one, { met: met[at] === true }] as const),
    ]);
    const decided = criteria.map((one) => verdicts.get(one) as CriterionVerdict);
    const results = criteria.map((one, at) => resultOf(one, decided[at] as CriterionVerdict));
    return {
      score: { kind: 'scored', value: weightedShare(results), findings: [] },
      criteria: results,
      bodies: { criteria: decided.map((verdict) => shortened(verdict, parts.redact)) },
      ...(judged && parts.judge && { judge: parts.judge.identity.digest }),
    };
  };

const shortened = ({ reason, ...verdict }: CriterionVerdict, redact: Redact): CriterionVerdict =>
  reason === undefined ? verdict : { ...verdict, reason: shortReason(reason, redact) };

type RubricCriterion = {
  readonly id: CriterionId;
  readonly weight: number;
  readonly parsed: ParsedCriterion;
};

const criteriaOf = ({ expected }: Task): readonly RubricCriterion[] =>
  (expected.kind === 'rubric' ? expected.rubric : []).map(readCriterion);

function readCriterion({ criterion, weight }: Criterion): RubricCriterion {
  const text = String(fromBody(criterion));
  return { id: criterionId(text), weight, parsed: parseCriterion(text) };
}

/** An id that reveals nothing of the sentence; the same sentence has the same id in every task. */
const criterionId = (text: string): CriterionId =>
  asId<CriterionId>(`c-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`);

async function askJudge(
  { judge, redact }: RubricParts,
  task: Task,
  transcript: Transcript,
  prose: readonly RubricCriterion[],
  signal: AbortSignal,
  spend: Spend,
): Promise<JudgeAnswer | undefined> {
  if (prose.length === 0) return undefined;
  if (!judge) throw new Error('A criterion needs a judge, and there is none.');
  if (transcript.output === undefined)
    return { kind: 'judged', verdicts: prose.map(() => ({ met: false })), usage: [] };
  const criteria = prose.map(({ parsed }) => ({ sentence: parsed.kind === 'prose' ? parsed.sentence : '' }));
  const question = { input: task.input, output: transcript.output, criteria, seed: transcript.seed };
  return judge.judge(redactDeep(question, redact), signal, spend);
}

function checkOf({ parsed }: RubricCriterion): AnswerCheck {
  if (parsed.kind === 'check') return parsed;
  throw new Error('A criterion that is no check came to be decided without a judge.');
}

const unscored = (judged: Exclude<JudgeAnswer, { kind: 'judged' }>): ScoringResult => ({
  score: unscoredByJudge(judged),
  bodies: { reason: judged.reason },
});

const resultOf = ({ id, weight }: RubricCriterion, { met, agreement }: CriterionVerdict): CriterionResult =>
  defined({ id, met, weight, agreement });
