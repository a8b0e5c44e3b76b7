import { isTerminal, type TaskResult } from '@touchstone/protocol';
import type { Run, RunLog, StepResult } from '../../ports/index.js';
import { checkTotals } from './totals.js';

/** A result with the place of its task in the suite. */
export type PlacedResult = Pick<StepResult, 'ordinal' | 'result'>;

/** What the log of an eval run holds of its tasks, without bodies. */
export type Results = {
  /** In log order, from the `offset`-th on. */
  page(run: Run, offset: number, limit: number): Promise<readonly PlacedResult[]>;
  /** All of them, in the order of the suite: a pause may have left gaps in the log that were filled later. */
  all(run: Run): Promise<readonly TaskResult[]>;
};

/** Results in log order and, apart from them, their places: an object that holds both takes as much room as a short result. */
type Columns = { readonly results: TaskResult[]; readonly ordinals: number[] };

const PAGE = 1_000;

/**
 * Reads results from the log. Those of one finished run are kept, because a client that shows a run asks for its report and for
 * its results one after the other, and what has ended never changes.
 */
export function createResults(log: Pick<RunLog, 'results'>): Results {
  let kept: { readonly runId: string; readonly columns: Columns } | undefined;

  async function columnsOf(run: Run): Promise<Columns> {
    if (kept?.runId === run.runId) return kept.columns;
    const columns = await readColumns(log, run);
    checkTotals(run, columns.results);
    if (isTerminal(run.status)) kept = { runId: run.runId, columns };
    return columns;
  }

  return {
    // What fits one page is read as a whole, so that its totals are checked.
    page: async (run, offset, limit) =>
      kept?.runId === run.runId || (run.headline?.taskCount ?? Number.POSITIVE_INFINITY) <= PAGE
        ? placedResults(await columnsOf(run), offset, offset + limit)
        : log.results(run.owner, run.runId, offset, limit),
    all: async (run) => inSuiteOrder(await columnsOf(run)),
  };
}

async function readColumns(log: Pick<RunLog, 'results'>, { owner, runId }: Run): Promise<Columns> {
  const columns: Columns = { results: [], ordinals: [] };
  for (let isLast = false; !isLast; ) {
    const page = await log.results(owner, runId, columns.results.length, PAGE);
    for (const { ordinal, result } of page) {
      columns.results.push(result);
      columns.ordinals.push(ordinal);
    }
    isLast = page.length < PAGE;
  }
  return columns;
}

const placedResults = (
  { results, ordinals }: Columns,
  from: number,
  to = results.length,
): readonly PlacedResult[] =>
  results.slice(from, to).map((result, at) => ({ ordinal: ordinals[from + at] as number, result }));

function inSuiteOrder(columns: Columns): readonly TaskResult[] {
  const { results, ordinals } = columns;
  if (ordinals.every((ordinal, at) => at === 0 || (ordinals[at - 1] ?? 0) < ordinal)) return results;
  const placed = [...placedResults(columns, 0)].sort((a, b) => a.ordinal - b.ordinal);
  return placed.map(({ result }) => result);
}
