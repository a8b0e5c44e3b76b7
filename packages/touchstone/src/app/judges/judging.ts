import { HOST_OWNER, type JudgeIdentity } from '@touchstone/protocol';
import type { Task } from '@touchstone/protocol/bodies';
import { foreignSchemas } from '../../agents/index.js';
import type { Checker, PriceOf, ScoringResult, Transcript, Usage } from '../../ports/index.js';
import { createScoring } from '../../scoring/index.js';
import { decideJudge, type JudgeRequest } from '../runs/rejudge.js';
import type { Judges } from './judges.js';

/** Scores answers that no run has recorded, just as a run would: to hold a judge against what people said. */
export type Judging = {
  /** Absent when none was asked for: checks need no judge. */
  readonly judge?: JudgeIdentity;
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
  readonly check: Checker;
  readonly priceOf: PriceOf;
};

export async function openJudging(
  { judges, check, priceOf }: JudgingParts,
  wish: JudgeRequest | undefined,
): Promise<Judging> {
  const identity = wish && decideJudge(judges.choose, wish);
  const judge = identity && (await judges.open(HOST_OWNER, identity, {}));
  const scoring = createScoring({
    modes: ['rubric'],
    check,
    schemas: foreignSchemas,
    tierOf: async () => undefined,
    ...(judge && { judge }),
  });
  return {
    ...(identity && { judge: identity }),
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

function priced(call: Usage, priceOf: PriceOf): Usage {
  const costUsd = call.costUsd ?? priceOf(call);
  return { ...call, ...(costUsd !== undefined && { costUsd }) };
}
