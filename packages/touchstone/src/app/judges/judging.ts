import type { JudgeIdentity, Owner } from '@touchstone/protocol';
import type { Task } from '@touchstone/protocol/bodies';
import { foreignSchemas } from '../../agents/index.js';
import type { Checker, Clock, PriceOf, ScoringResult, Transcript, Usage } from '../../ports/index.js';
import { createScoring } from '../../scoring/index.js';
import { decided, decideJudge, isJudgeName, type JudgeRequest } from '../runs/rejudge.js';
import type { Judges } from './judges.js';

/** Scores answers that no run has recorded, just as a run would: to hold a judge against what people said. */
export type Judging = {
  /** Absent when none was asked for: checks need no judge. */
  readonly judge?: JudgeIdentity;
  /** When it was opened, in milliseconds since 1970. */
  readonly at: number;
  /** Each call in `usage` has its price when it is known. */
  score(
    task: Task,
    transcript: Transcript,
    signal: AbortSignal,
  ): Promise<ScoringResult & { readonly usage: readonly Usage[] }>;
  close(): void;
};

type JudgingParts = {
  readonly judges: Judges;
  readonly clock: Pick<Clock, 'now'>;
  readonly check: Checker;
  readonly priceOf: PriceOf;
};

export async function openJudging(
  { judges, clock, check, priceOf }: JudgingParts,
  wish: JudgeRequest | undefined,
  owner: Owner,
): Promise<Judging> {
  const identity = wish && (await judgeFor(judges, owner, wish));
  const judge = identity && (await judges.open(owner, identity, {}));
  const scoring = createScoring({
    modes: ['rubric'],
    check,
    schemas: foreignSchemas,
    tierOf: async () => undefined,
    ...(judge && { judge }),
  });
  return {
    ...(identity && { judge: identity }),
    at: clock.now(),
    async score(task, transcript, signal) {
      const usage: Usage[] = [];
      const scored = await scoring.score(task, transcript, signal, async (calls) => {
        for (const call of calls) usage.push(priced(call, priceOf));
      });
      return { ...scored, usage };
    },
    close: () => scoring.close(),
  };
}

/** One that the caller names, or the configured one; each may be portable. */
async function judgeFor(judges: Judges, owner: Owner, wish: JudgeRequest): Promise<JudgeIdentity> {
  const reference = wish.model === undefined && wish.votes === undefined ? judges.configured : wish.model;
  return reference !== undefined && isJudgeName(reference)
    ? decided(await judges.choosePortable(owner, reference))
    : decideJudge(judges.choose, wish);
}

function priced(call: Usage, priceOf: PriceOf): Usage {
  const costUsd = call.costUsd ?? priceOf(call);
  return { ...call, ...(costUsd !== undefined && { costUsd }) };
}
