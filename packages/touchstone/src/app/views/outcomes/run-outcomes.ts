import { type EvalPlan, isHostError, type Thresholds } from '@touchstone/protocol';
import type { EndedTask } from '@touchstone/protocol/tasks';
import type { MaybePromise, Run, RunOutcomes } from '../../../ports/index.js';
import { createHeadlineFigures, createOutcomes } from '../../../scorecard/index.js';
import { foldRuns } from '../fold-runs.js';
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
      const fold = await openOutcomes(source, run, run.plan, await readThresholds(store, run));
      for (const task of (await tables.of(run)).tasks) fold.add(task);
      const found = await fold.result();
      if (run.status === 'completed') await store.outcomes.keep(run.owner, run.runId, found);
      return found;
    },
  };
}

/** So many results of runs without figures are read for one answer. A larger run is read when it is the first of them. */
const MOST_RESULTS = 20_000;

/**
 * Adds their figures to runs that ended before figures were kept, and to replays. What is read is kept, so that a later answer
 * goes on with further runs.
 */
export function createFigures(outcomes: OutcomesReader) {
  let left = MOST_RESULTS;
  return async <R extends Run>(run: R): Promise<R> => {
    if (run.figures || !isMeasured(run) || left <= 0) return run;
    left -= run.plan.totalTasks;
    const kept = await outcomes.of(run).catch(ifUnreadable);
    return kept ? { ...run, figures: kept.figures } : run;
  };
}

const isMeasured = (run: Run): run is EvalRun =>
  run.plan.kind === 'eval' && run.status === 'completed' && run.headline !== undefined;

/** A list shows what can be read of a run that is damaged. */
function ifUnreadable(error: unknown): undefined {
  if (!isHostError(error)) throw error;
}

type OutcomesFold = { add(step: EndedTask): void; result(): MaybePromise<RunOutcomes> };

/**
 * Of a run whose tasks have all ended. They are given one after the other. Where there is a baseline, results are read once
 * more, beside those of the baseline.
 */
export async function openOutcomes(
  source: ResultSource,
  run: Run,
  plan: EvalPlan,
  thresholds: Thresholds | undefined,
): Promise<OutcomesFold> {
  const { owner, runId } = run;
  const compared = await baselineOf(source, owner, plan, { run }, {}).catch(ifGone);
  const facts = { runId, plan, ...(thresholds && { thresholds }) };
  const createFold = () => createHeadlineFigures(facts, compared?.baseline);
  const figures = createFold();
  const outcomes = createOutcomes(plan.totalTasks);
  return {
    add(step) {
      outcomes.add(step);
      if (!compared) figures.after(step.result);
    },
    result() {
      const kept = { outcomes: outcomes.result() };
      if (!compared) return { ...kept, figures: figures.result() };
      const folded = foldRuns(source.results, compared.from, { run }, createFold);
      return folded.then(({ fold }) => ({ ...kept, figures: fold.result() }));
    },
  };
}

/** A baseline may be removed while the run is at work; the rest is known all the same. */
function ifGone(error: unknown): undefined {
  if (!isHostError(error) || error.code !== 'not_found') throw error;
}
