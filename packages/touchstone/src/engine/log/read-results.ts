import type { Run, RunLog, StepResult, Store } from '../../ports/index.js';

const PAGE = 1_000;
/** Short pages are gone again before the JavaScript engine makes more room for what is new. */
const WALKED = 250;

/** The results of all steps in the log, in log order. */
export async function readResults({ log }: Store, run: Run): Promise<readonly StepResult[]> {
  const results: StepResult[] = [];
  for await (const page of resultPages(log, run, PAGE)) results.push(...page);
  return results;
}

/** The same, so many at a time. */
export async function* resultPages(
  log: Pick<RunLog, 'results'>,
  { owner, runId }: Run,
  size = WALKED,
): AsyncGenerator<readonly StepResult[]> {
  for (let [offset, isLast] = [0, false]; !isLast; ) {
    const page = await log.results(owner, runId, offset, size);
    yield page;
    offset += page.length;
    isLast = page.length < size;
  }
}

/**
 * Gives the steps of all pages, one after the other. The log is in suite order unless the run was paused with a gap: then
 * the answer is false, and what has been taken says nothing.
 */
export async function walkInOrder(
  pages: AsyncIterable<readonly StepResult[]>,
  take: (step: StepResult) => void,
): Promise<boolean> {
  let last = -1;
  for await (const page of pages)
    for (const step of page) {
      if (step.ordinal <= last) return false;
      last = step.ordinal;
      take(step);
    }
  return true;
}
