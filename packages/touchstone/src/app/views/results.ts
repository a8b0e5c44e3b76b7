import { isTerminal, type TaskResult } from '@touchstone/protocol';
import { resultPages, walkInOrder } from '../../engine/index.js';
import type { Run, RunLog, StepResult } from '../../ports/index.js';
import { createTotalsCheck } from '../../scorecard/index.js';
import { damagedError } from '../../store/index.js';
import { checkTotals } from './totals.js';

/** What the log of an eval run holds of its tasks, without bodies. */
export type Results = {
  /** In log order, from the `offset`-th on. */
  page(run: Run, offset: number, limit: number): Promise<readonly StepResult[]>;
  /** Those of the tasks that did not pass, in the same way. */
  failures(run: Run, offset: number, limit: number): Promise<readonly StepResult[]>;
  /** All of them, in the order of the suite: a pause may have left gaps in the log that were filled later. */
  all(run: Run): Promise<readonly TaskResult[]>;
  /**
   * One after the other, in the order of the suite, without holding them all. False when the log has them in another order;
   * what has been taken by then says nothing.
   */
  walk(run: Run, take: (result: TaskResult) => void): Promise<boolean>;
  /** Two runs in the same way, task by task. False also when they do not have the same tasks at the same places. */
  walkBoth(before: Run, after: Run, take: TakePair): Promise<boolean>;
};

type TakePair = (before: TaskResult, after: TaskResult) => void;

const PAGE = 1_000;
/** The rows of a longer run are read again. */
const MOST_KEPT = 10_000;

/**
 * Reads results from the log. The rows of one finished run are kept, because a client that shows a run asks for its report and for
 * its results one after the other, and what has ended never changes.
 */
export function createResults(log: Pick<RunLog, 'results' | 'failures'>): Results {
  let kept: { readonly runId: string; readonly rows: readonly StepResult[] } | undefined;
  const keptOf = (run: Run) => (kept?.runId === run.runId ? kept.rows : undefined);

  async function rowsOf(run: Run): Promise<readonly StepResult[]> {
    const known = keptOf(run);
    if (known) return known;
    const rows: StepResult[] = [];
    for await (const page of resultPages(log, run, PAGE)) rows.push(...page);
    checkTotals(
      run,
      rows.map(({ result }) => result),
    );
    if (isTerminal(run.status) && rows.length <= MOST_KEPT) kept = { runId: run.runId, rows };
    return rows;
  }

  const countOf = (run: Run): number => run.headline?.taskCount ?? Number.POSITIVE_INFINITY;

  /** Of a short run all rows, which are kept; of a long one as many as are walked at once. */
  async function* pagesOf(run: Run): AsyncGenerator<readonly StepResult[]> {
    if (keptOf(run) || countOf(run) <= MOST_KEPT) return yield inSuiteOrder(await rowsOf(run));
    const totals = run.headline && createTotalsCheck(run.headline);
    for await (const page of resultPages(log, run)) {
      for (const { result } of page) totals?.add(result);
      yield page;
    }
    if (totals && !totals.result()) throw damagedError('headline');
  }

  return {
    // What fits one page is read as a whole, so that its totals are checked.
    page: async (run, offset, limit) =>
      keptOf(run) || countOf(run) <= PAGE
        ? (await rowsOf(run)).slice(offset, offset + limit)
        : log.results(run.owner, run.runId, offset, limit),
    failures: async (run, offset, limit) =>
      keptOf(run)
        ?.filter(({ result }) => !result.passed)
        .slice(offset, offset + limit) ?? log.failures(run.owner, run.runId, offset, limit),
    all: async (run) => inSuiteOrder(await rowsOf(run)).map(({ result }) => result),
    walk: (run, take) => walkInOrder(pagesOf(run), ({ result }) => take(result)),
    walkBoth: (before, after, take) => walkInStep(pagesOf(before), pagesOf(after), take),
  };
}

async function walkInStep(
  before: AsyncGenerator<readonly StepResult[]>,
  after: AsyncGenerator<readonly StepResult[]>,
  take: TakePair,
): Promise<boolean> {
  for (let last = -1; ; ) {
    const [{ value: earlier, done: isOver }, { value: later, done }] = [
      await before.next(),
      await after.next(),
    ];
    if (isOver || done) return isOver === done;
    if (earlier.length !== later.length) return false;
    for (const [at, { ordinal, result }] of later.entries()) {
      const then = earlier[at];
      if (ordinal <= last || then?.ordinal !== ordinal || then.result.taskId !== result.taskId) return false;
      last = ordinal;
      take(then.result, result);
    }
  }
}

const inSuiteOrder = (rows: readonly StepResult[]): readonly StepResult[] =>
  rows.every(({ ordinal }, at) => at === 0 || (rows[at - 1]?.ordinal ?? 0) < ordinal)
    ? rows
    : [...rows].sort((a, b) => a.ordinal - b.ordinal);
