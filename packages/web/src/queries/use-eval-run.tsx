import { type EvalRunSnapshot, isEvalRun } from '@touchstone/sdk';
import type { ComponentChildren } from 'preact';
import { runKey } from '../first-answers.js';
import { ErrorBox } from '../parts/error-box.js';
import { Empty, Skeleton } from '../parts/states.js';
import { client } from '../source.js';
import { useQuery } from './use-query.js';

type EvalRunProps = {
  readonly runId: string;
  readonly children: (run: EvalRunSnapshot, reload: () => void) => ComponentChildren;
};

/** An eval run, once it is there; until then, and when there is none, what can be said instead. */
export function EvalRunOf({ runId, children }: EvalRunProps) {
  const {
    data: run,
    error,
    isLoading,
    reload,
  } = useQuery(runKey(runId), (signal) => client.runs.get(runId as never, { signal }));
  if (error !== undefined && !run)
    return (
      <>
        <h1>Run</h1>
        <ErrorBox error={error} onRetry={reload} />
      </>
    );
  if (isLoading || !run) return <Skeleton />;
  if (isEvalRun(run)) return <>{children(run, reload)}</>;
  return (
    <>
      <h1>{run.workflowId}</h1>
      <Empty>
        This run is not an evaluation. It is {run.status}.{' '}
        {run.touchstone?.kind === 'deployment' && (
          <a href={`/approvals/${encodeURIComponent(run.runId)}`}>See what it moves</a>
        )}
      </Empty>
    </>
  );
}
