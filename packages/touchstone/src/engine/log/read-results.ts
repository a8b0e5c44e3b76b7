import type { Run, StepResult, Store } from '../../ports/index.js';

const PAGE = 1_000;

/** The results of all steps in the log, in log order. */
export async function readResults({ log }: Store, { owner, runId }: Run): Promise<readonly StepResult[]> {
  const results: StepResult[] = [];
  for (let page = await log.results(owner, runId, 0, PAGE); page.length > 0; ) {
    results.push(...page);
    page = await log.results(owner, runId, results.length, PAGE);
  }
  return results;
}
