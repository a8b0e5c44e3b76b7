import { isTerminal, type TaskResult } from '@touchstone/protocol';
import type { Run, RunLog, StepResult } from '../../ports/index.js';
import { checkTotals } from './totals.js';

/** What the log of an eval run holds of its tasks, without bodies. */
export type Results = {
  /** In log order, from the `offset`-th on. */
  page(run: Run, offset: number, limit: number): Promise<readonly StepResult[]>;
  /** All of them, in the order of the suite: a pause may have left gaps in the log that were filled later. */
  all(run: Run): Promise<readonly TaskResult[]>;
};

const PAGE = 1_000;

/**
 * Reads results from the log. The rows of one finished run are kept, because a client that shows a run asks for its report and for
 * its results one after the other, and what has ended never changes.
 */
export function createResults(log: Pick<RunLog, 'results'>): Results {
  let kept: { readonly runId: string; readonly rows: readonly StepResult[] } | undefined;

  async function rowsOf(run: Run): Promise<readonly StepResult[]> {
    if (kept?.runId === run.runId) return kept.rows;
    const rows: StepResult[] = [];
    for (let isLast = false; !isLast; ) {
      const page = await log.results(run.owner, run.runId, rows.length, PAGE);
      rows.push(...page);
      isLast = page.length < PAGE;
    }
    checkTotals(
      run,
      rows.map(({ result }) => result),
    );
    if (isTerminal(run.status)) kept = { runId: run.runId, rows };
    return rows;
  }

  return {
    // What fits one page is read as a whole, so that its totals are checked.
    page: async (run, offset, limit) =>
      kept?.runId === run.runId || (run.headline?.taskCount ?? Number.POSITIVE_INFINITY) <= PAGE
        ? (await rowsOf(run)).slice(offset, offset + limit)
        : log.results(run.owner, run.runId, offset, limit),
    all: async (run) => inSuiteOrder(await rowsOf(run)).map(({ result }) => result),
  };
}

const inSuiteOrder = (rows: readonly StepResult[]): readonly StepResult[] =>
  rows.every(({ ordinal }, at) => at === 0 || (rows[at - 1]?.ordinal ?? 0) < ordinal)
    ? rows
    : [...rows].sort((a, b) => a.ordinal - b.ordinal);
