import { createHash } from 'node:crypto';
import {
  asId,
  canonicalJson,
  type Digest,
  defined,
  type JudgeIdentity,
  type ModelName,
} from '@touchstone/protocol';
import type {
  AccessRefusal,
  AskModel,
  CriterionVerdict,
  Judge,
  JudgedCriterion,
  JudgeQuestion,
  Spend,
  Usage,
} from '../../ports/index.js';
import { readVerdicts } from './judge-answer.js';
import { ANSWER_SCHEMA, DATA_PROMPT_DIGEST, PROMPT_DIGEST, SYSTEM, userMessage } from './judge-prompt.js';

/** More criteria than this are asked in several calls: models lose count of long lists. */
const MOST_PER_CALL = 20;
/** An answer that cannot be read is asked for once more. */
const ROUNDS = 2;

/** `withData`: the judge is shown more than question and answer, which is another form of the question. */
export function judgeIdentity(
  provider: ModelName,
  model: ModelName,
  votes: number,
  withData = false,
): JudgeIdentity {
  const named = { provider, model, votes, promptDigest: withData ? DATA_PROMPT_DIGEST : PROMPT_DIGEST };
  const digest = asId<Digest>(`sha256:${createHash('sha256').update(canonicalJson(named)).digest('hex')}`);
  return { ...named, digest };
}

/** A judge that is a model. An answer that is not in the requested form does not count. */
export function createModelJudge(identity: JudgeIdentity, ask: AskModel, close: () => void): Judge {
  return {
    identity,
    close,
    async judge(question, signal, spend = async () => undefined) {
      const usage: Usage[] = [];
      const votes: (readonly CriterionVerdict[])[] = [];
      for (let vote = 0; vote < identity.votes; vote += 1) {
        const cast = await castVote({ ask, usage, signal, spend }, question, identity.votes, vote);
        if ('kind' in cast) return { ...cast, usage };
        votes.push(cast);
      }
      const verdicts = question.criteria.map((_, at) =>
        majority(votes.map((vote) => vote[at] as CriterionVerdict)),
      );
      return { kind: 'judged', verdicts, usage };
    },
  };
}

type JudgeFailure = { readonly kind: 'unreadable' | 'unreachable'; readonly reason: string } | AccessRefusal;
type JudgeContext = {
  readonly ask: AskModel;
  readonly usage: Usage[];
  readonly signal: AbortSignal;
  readonly spend: Spend;
};

async function castVote(
  context: JudgeContext,
  question: JudgeQuestion,
  votes: number,
  vote: number,
): Promise<readonly CriterionVerdict[] | JudgeFailure> {
  const order = orderOf(question.criteria.length, votes, `${question.seed}/${vote}`);
  const verdicts: CriterionVerdict[] = [];
  for (let from = 0; from < order.length; from += MOST_PER_CALL) {
    const places = order.slice(from, from + MOST_PER_CALL);
    const criteria = places.map((place) => question.criteria[place] as JudgedCriterion);
    const answer = await askFor(context, question, criteria, vote);
    if ('kind' in answer) return answer;
    places.forEach((place, index) => {
      verdicts[place] = answer[index] as CriterionVerdict;
    });
  }
  return verdicts;
}

async function askFor(
  { ask, usage, signal, spend }: JudgeContext,
  question: JudgeQuestion,
  criteria: readonly JudgedCriterion[],
  vote: number,
): Promise<readonly CriterionVerdict[] | JudgeFailure> {
  const user = userMessage(question, criteria);
  for (let round = 0; round < ROUNDS; round += 1) {
    const reply = await ask(
      { system: SYSTEM, user, schema: ANSWER_SCHEMA, round: vote * ROUNDS + round },
      signal,
    );
    if (reply.kind === 'denied') return reply;
    if (reply.kind !== 'reply') return { kind: 'unreachable', reason: reply.reason };
    await spend([reply.usage]);
    usage.push(reply.usage);
    const verdicts = readVerdicts(reply.text, criteria);
    if (verdicts) return verdicts;
  }
  return {
    kind: 'unreadable',
    reason: `The judge gave no verdict in the form it was asked for, in ${ROUNDS} answers.`,
  };
}

/** The places of the criteria in the order in which one vote sees them. A single vote sees them as they were written. */
export function orderOf(count: number, votes: number, seed: string): readonly number[] {
  const places = Array.from({ length: count }, (_, index) => index);
  if (votes === 1) return places;
  const draw = createDraw(seed);
  for (let last = count - 1; last > 0; last -= 1) {
    const chosen = draw(last + 1);
    [places[last], places[chosen]] = [places[chosen] as number, places[last] as number];
  }
  return places;
}

/** Whole numbers below a bound, from a seed. Hashing is slow and plainly fair, and a rubric has few criteria. */
function createDraw(seed: string): (below: number) => number {
  let drawn = 0;
  return (below) => {
    const digest = createHash('sha256').update(`${seed}#${drawn++}`).digest();
    return Math.floor((digest.readUIntBE(0, 6) / 2 ** 48) * below);
  };
}

/** The verdict of the votes on one criterion: the majority, with one of its reasons. A tie is not met. */
export function majority(votes: readonly CriterionVerdict[]): CriterionVerdict {
  const [only] = votes;
  if (votes.length === 1 && only) return only;
  const yes = votes.filter(({ met }) => met).length;
  const met = yes * 2 > votes.length;
  const scores = votes.flatMap(({ score }) => (score === undefined ? [] : [score]));
  const reason = votes.find((vote) => vote.met === met)?.reason;
  const score = scores.reduce((sum, one) => sum + one, 0) / scores.length;
  return defined({
    met,
    agreement: Math.max(yes, votes.length - yes) / votes.length,
    score: scores.length > 0 ? score : undefined,
    reason,
  });
}
