import { createHash } from 'node:crypto';
import { asId, canonicalJson, type Digest, type JudgeIdentity, type ModelName } from '@touchstone/protocol';
import type {
  AskModel,
  CriterionVerdict,
  Judge,
  JudgedCriterion,
  JudgeQuestion,
  Spend,
  Usage,
} from '../../ports/index.js';
import { readVerdicts } from './judge-answer.js';
import { ANSWER_SCHEMA, PROMPT_DIGEST, SYSTEM, userMessage } from './judge-prompt.js';
import { majority, orderOf } from './votes.js';

/** More criteria than this are asked in several calls: a model that has to keep count of many loses some. */
const MOST_PER_CALL = 20;
/** An answer that cannot be read is asked for once more. */
const ROUNDS = 2;

export function judgeIdentity(provider: ModelName, model: ModelName, votes: number): JudgeIdentity {
  const named = { provider, model, votes, promptDigest: PROMPT_DIGEST };
  const digest = asId<Digest>(`sha256:${createHash('sha256').update(canonicalJson(named)).digest('hex')}`);
  return { ...named, digest };
}

/** A judge that is a model. It is asked; what it cannot say in the form it was given, it has not said. */
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

type Trouble = { readonly kind: 'unreadable' | 'unreachable'; readonly reason: string };
type Asking = {
  readonly ask: AskModel;
  readonly usage: Usage[];
  readonly signal: AbortSignal;
  readonly spend: Spend;
};

async function castVote(
  asking: Asking,
  question: JudgeQuestion,
  votes: number,
  vote: number,
): Promise<readonly CriterionVerdict[] | Trouble> {
  const order = orderOf(question.criteria.length, votes, `${question.seed}/${vote}`);
  const verdicts: CriterionVerdict[] = [];
  for (let from = 0; from < order.length; from += MOST_PER_CALL) {
    const places = order.slice(from, from + MOST_PER_CALL);
    const criteria = places.map((place) => question.criteria[place] as JudgedCriterion);
    const answer = await askFor(asking, question, criteria, vote);
    if ('kind' in answer) return answer;
    places.forEach((place, index) => {
      verdicts[place] = answer[index] as CriterionVerdict;
    });
  }
  return verdicts;
}

async function askFor(
  { ask, usage, signal, spend }: Asking,
  question: JudgeQuestion,
  criteria: readonly JudgedCriterion[],
  vote: number,
): Promise<readonly CriterionVerdict[] | Trouble> {
  const user = userMessage(question, criteria);
  for (let round = 0; round < ROUNDS; round += 1) {
    const reply = await ask(
      { system: SYSTEM, user, schema: ANSWER_SCHEMA, round: vote * ROUNDS + round },
      signal,
    );
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
