import type { Owner } from '@touchstone/protocol';
import type { Run, RunFilter, Store } from '../../../ports/index.js';
import type { EvalRun } from '../tasks/task-table.js';

export type CompletedRunsQuery = Pick<RunFilter, 'suiteId' | 'agentId' | 'createdBefore'> & {
  /** Only runs of this version of the suite. */
  readonly version?: string | undefined;
  readonly limit: number;
};

const PAGE = 200;

/** A replay repeats another run and says nothing new. */
export const isMeasurement = (run: Run): run is EvalRun =>
  run.plan.kind === 'eval' && run.plan.fork?.mode !== 'replay';

/** Completed evaluations, newest first. */
export async function completedRuns(
  store: Pick<Store, 'runs'>,
  owner: Owner,
  { version, limit, ...filter }: CompletedRunsQuery,
): Promise<readonly EvalRun[]> {
  const runs: EvalRun[] = [];
  const wanted = { ...filter, kind: 'eval', status: 'completed', limit: Math.min(PAGE, limit) } as const;
  for (let cursor: string | undefined; runs.length < limit; ) {
    const page = await store.runs.list(owner, { ...wanted, ...(cursor !== undefined && { cursor }) });
    for (const run of page.items)
      if (isMeasurement(run) && (version === undefined || run.plan.suite.version === version)) runs.push(run);
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  return runs.slice(0, limit);
}
