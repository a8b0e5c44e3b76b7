import type { EvalReport, Owner, RunId } from '@touchstone/protocol';
import { type ReportOptions, type ReportParts, readReport } from './report.js';

/** Reports are small, and folding the results of a large run takes a second. */
const KEPT = 32;

/**
 * The reports of completed runs. A completed run changes no more, so what was folded once is kept while the same question is
 * asked, no correction or label has been added, and the runs are still here.
 */
export function createReports(
  parts: ReportParts,
): (owner: Owner, runId: RunId, options?: ReportOptions) => Promise<EvalReport> {
  const kept = new Map<string, Promise<EvalReport>>();
  return async (owner, runId, options = {}) => {
    const key = await keyOf(parts, owner, runId, options);
    if (key === undefined) return readReport(parts, owner, runId, options);
    const report = kept.get(key) ?? readReport(parts, owner, runId, options);
    kept.delete(key);
    kept.set(key, report);
    report.catch(() => kept.delete(key));
    for (const oldest of kept.keys()) if (kept.size > KEPT) kept.delete(oldest);
    return report;
  };
}

/** Undefined when the report cannot be kept: the run has not completed, or something came from a file. */
async function keyOf(
  { store, overridesOf, labelsOf }: ReportParts,
  owner: Owner,
  runId: RunId,
  options: ReportOptions,
): Promise<string | undefined> {
  const run = await store.runs.get(owner, runId);
  if (run?.status !== 'completed' || run.plan.kind !== 'eval') return undefined;
  const against = options.against ?? run.plan.baselineRunId;
  const before = against === undefined ? undefined : await store.runs.get(owner, against);
  if (against !== undefined && before?.status !== 'completed') return undefined;
  return JSON.stringify([
    owner,
    runId,
    options,
    await overridesOf(owner, runId),
    ...((await labelsOf?.(owner, runId)) ?? []),
  ]);
}
