import { createHash } from 'node:crypto';
import {
  asId,
  canonicalJson,
  type Digest,
  defined,
  type JudgeIdentity,
  type JudgeReference,
  type ModelName,
  type PortableJudge,
  type Version,
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
import {
  answerSchema,
  DATA_PROMPT_DIGEST,
  PROMPT_DIGEST,
  STANDARD_USER,
  SYSTEM,
  userMessage,
} from './judge-prompt.js';

/** More criteria than this are asked in several calls: models lose count of long lists. */
const MOST_PER_CALL = 20;
/** An answer that cannot be read is asked for once more. */
const ROUNDS = 2;

/** `withData`: the judge is shown more than question and answer, which is another form of the question. */
type JudgeForm = Pick<PortableJudge, 'question' | 'answer' | 'aggregation'>;

/** What the judge of a configuration asks. */
const STANDARD: JudgeForm = {
  question: { system: SYSTEM, user: STANDARD_USER },
  answer: { form: 'verdicts/1' },
  aggregation: 'majority',
};

/** The standard question as an artifact: the same bytes, for any model of a class. */
export const STANDARD_JUDGE: PortableJudge = {
  judgeId: 'core.touchstone.judges.standard',
  version: asId<Version>('1.0.0'),
  description: 'What a judge of a configuration is asked.',
  model: { class: 'general' },
  parameters: { temperature: 0 },
  votes: 1,
  ...STANDARD,
};

/** Its digest stands for the question, its form and its votes; who is asked is what a host adds. */
export const portableIdentity = (
  provider: ModelName,
  model: ModelName,
  { judgeId, version, votes }: PortableJudge,
  digest: Digest,
): JudgeIdentity => ({
  ...withDigest({ provider, model, votes, promptDigest: digest }),
  portable: asId<JudgeReference>(`${judgeId}@${version}`),
});

const withDigest = (named: Omit<JudgeIdentity, 'digest'>): JudgeIdentity => ({
  ...named,
  digest: asId<Digest>(`sha256:${createHash('sha256').update(canonicalJson(named)).digest('hex')}`),
});

export function judgeIdentity(
  provider: ModelName,
  model: ModelName,
  votes: number,
  withData = false,
): JudgeIdentity {
  const promptDigest = withData ? DATA_PROMPT_DIGEST : PROMPT_DIGEST;
  return withDigest({ provider, model, votes, promptDigest });
}

/** A judge that is a model. An answer that is not in the requested form does not count. */
export function createModelJudge(
  identity: JudgeIdentity,
  ask: AskModel,
  close: () => void,
  form: JudgeForm = STANDARD,
): Judge {
  return {
    identity,
    close,
    async judge(question, signal, spend = async () => undefined) {
      const usage: Usage[] = [];
      const votes: (readonly CriterionVerdict[])[] = [];
      for (let vote = 0; vote < identity.votes; vote += 1) {
        const cast = await castVote({ ask, usage, signal, spend, form }, question, identity.votes, vote);
        if ('kind' in cast) return { ...cast, usage };
        votes.push(cast);
      }
      const verdicts = question.criteria.map((_, at) =>
        verdictOf(
          votes.map((vote) => vote[at] as CriterionVerdict),
          form.aggregation,
        ),
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
  readonly form: JudgeForm;
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
  { ask, usage, signal, spend, form }: JudgeContext,
  question: JudgeQuestion,
  criteria: readonly JudgedCriterion[],
  vote: number,
): Promise<readonly CriterionVerdict[] | JudgeFailure> {
  const { system, user: parts } = form.question;
  const hasReason = form.answer.reason ?? true;
  const user = userMessage(question, criteria, parts);
  const schema = answerSchema(hasReason);
  for (let round = 0; round < ROUNDS; round += 1) {
    const reply = await ask({ system, user, schema, round: vote * ROUNDS + round }, signal);
    if (reply.kind === 'denied') return reply;
    if (reply.kind !== 'reply') return { kind: 'unreachable', reason: reply.reason };
    await spend([reply.usage]);
    usage.push(reply.usage);
    const verdicts = readVerdicts(reply.text, criteria, hasReason);
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

/** The verdict of the votes on one criterion: that of the majority, or met only when all say so, with one of its reasons. A tie is not met. */
export function verdictOf(
  votes: readonly CriterionVerdict[],
  aggregation: PortableJudge['aggregation'] = 'majority',
): CriterionVerdict {
  const [only] = votes;
  if (votes.length === 1 && only) return only;
  const yes = votes.filter(({ met }) => met).length;
  const met = aggregation === 'unanimous' ? yes === votes.length : yes * 2 > votes.length;
  const scores = votes.flatMap(({ score }) => (score === undefined ? [] : [score]));
  const reason = votes.find((vote) => vote.met === met)?.reason;
  const score = scores.reduce((sum, one) => sum + one, 0) / scores.length;
  return defined({
    met,
    agreement: (met ? yes : votes.length - yes) / votes.length,
    score: scores.length > 0 ? score : undefined,
    reason,
  });
}
