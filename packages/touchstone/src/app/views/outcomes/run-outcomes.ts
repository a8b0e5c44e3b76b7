import { type EvalPlan, isHostError, type Thresholds } from '@touchstone/protocol';
import type { EndedTask } from '@touchstone/protocol/tasks';
import type { Run, RunOutcomes } from '../../../ports/index.js';
import { buildFigures, encodeOutcomes } from '../../../scorecard/index.js';
import { baselineOf } from '../report.js';
import { type ResultSource, readThresholds } from '../run-measurement.js';
import type { EvalRun, TaskTables } from '../tasks/task-table.js';

/** What is kept beside completed runs: written when a run ends, and made from its log where it is missing. */
export type OutcomesReader = { of(run: EvalRun): Promise<RunOutcomes> };

export function createOutcomesReader(source: ResultSource, tables: TaskTables): OutcomesReader {
  const { store } = source;
  return {
    async of(run) {
      const kept = await store.outcomes.get(run.owner, run.runId);
      if (kept) return kept;
      const { tasks } = await tables.of(run);
      const found = await outcomesOf(source, run, run.plan, tasks, await readThresholds(store, run));
      if (run.status === 'completed') await store.outcomes.keep(run.owner, run.runId, found);
      return found;
    },
  };
}

/** Of a run whose tasks have all ended. */
export async function outcomesOf(
  source: ResultSource,
  { owner, runId }: Run,
  plan: EvalPlan,
  ended: readonly EndedTask[],
  thresholds: Thresholds | undefined,
): Promise<RunOutcomes> {
  const results = ended.map(({ result }) => result);
  const baseline = await baselineOf(source, owner, plan, results, {}).catch(ifGone);
  const figures = buildFigures({ runId, plan, ...(thresholds && { thresholds }) }, results, baseline);
  return { outcomes: encodeOutcomes(ended, plan.totalTasks), figures };
}

/** A baseline may be removed while the run is at work; the rest is known all the same. */
function ifGone(error: unknown): undefined {
  if (!isHostError(error) || error.code !== 'not_found') throw error;
}
