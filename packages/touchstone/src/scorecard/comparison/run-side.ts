import type { TaskResult } from '@touchstone/protocol';
import { addKnown, createLatencies, createMean, nearestRanks } from '../fold/aggregate.js';
import type { Fold } from '../fold/fold.js';

/** What a comparison tells of each of its runs by itself. */
export type RunSide = {
  readonly score: number;
  readonly tasks: number;
  readonly costUsd: number | undefined;
  readonly latency: { readonly p50Ms: number; readonly p95Ms: number } | undefined;
};

export function createRunSide(): Fold<TaskResult, RunSide> {
  const scores = createMean();
  const latencies = createLatencies();
  let unpriced = false;
  let costUsd: number | undefined;
  return {
    add(result) {
      scores.add(result.score);
      latencies.add(result);
      if (result.unpriced) unpriced = true;
      costUsd = addKnown(costUsd, result.costUsd);
    },
    result: () => ({
      score: scores.result(),
      tasks: scores.count,
      // A run with a call of unknown price does not know what it cost, and half a cost would look like a saving.
      costUsd: unpriced ? undefined : costUsd,
      latency: percentilesOf(latencies.result()),
    }),
  };
}

function percentilesOf(known: Float64Array): RunSide['latency'] {
  const [p50Ms = 0, p95Ms = 0] = nearestRanks(known, [50, 95]);
  return known.length > 0 ? { p50Ms, p95Ms } : undefined;
}
