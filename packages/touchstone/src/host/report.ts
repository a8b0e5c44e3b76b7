import {
  type EvalPlan,
  type EvalReport,
  HOST_OWNER,
  HostError,
  isTerminal,
  type Owner,
  type RunId,
  type TaskResult,
} from '@touchstone/contract';
import type { Run, StepResult, Store } from '@touchstone/contract/ports';
import { buildReport } from '../scorecard/index.js';

/** The report of a completed eval run, folded anew from its committed results with every call. Reads no body. */
export async function readReport(store: Store, owner: Owner, runId: RunId): Promise<EvalReport> {
  const run = await store.runs.get(owner, runId);
  if (!run) throw new HostError('not_found', 'There is no such run.');
  const plan = checkReportable(run);
  const { digest, suiteId, version } = plan.suite;
  const head =
    (await store.suites.byDigest(owner, digest)) ?? (await store.suites.byDigest(HOST_OWNER, digest));
  if (!head) throw new Error(`Suite ${suiteId}@${version}, to which run ${runId} is pinned, is gone.`);
  const facts = { runId, plan, ...(head.thresholds && { thresholds: head.thresholds }) };
  return buildReport(facts, await readResults(store, run));
}

function checkReportable({ plan, status }: Run): EvalPlan {
  if (plan.kind !== 'eval')
    throw new HostError('not_found', 'This run is not an eval run, so it has no report.');
  const details = { runStatus: status };
  if (!isTerminal(status)) {
    const message = `The run is ${status}; its report exists when it has completed.`;
    throw new HostError('run_state_conflict', message, details);
  }
  if (status !== 'completed')
    throw new HostError('not_found', `The run ended as ${status}, so it has no report.`, details);
  return plan;
}

const PAGE = 1_000;

/** The log is in suite order unless the run was paused with a gap; the report always is. */
async function readResults(store: Store, { owner, runId }: Run): Promise<readonly TaskResult[]> {
  const rows: StepResult[] = [];
  for (let page = await store.log.results(owner, runId, 0, PAGE); page.length > 0; ) {
    for (const row of page) rows.push(row);
    page = await store.log.results(owner, runId, rows.length, PAGE);
  }
  return rows.sort((a, b) => a.ordinal - b.ordinal).map((row) => row.result);
}
