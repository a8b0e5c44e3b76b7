import type { EvalRunSnapshot } from '@touchstone/sdk';
import { useState } from 'preact/hooks';
import { Action } from '../action.js';
import { CompareDialog } from './compare-dialog.js';
import type { RunHandle } from './run-actions-context.js';
import { RunMenu } from './run-menu.js';

export const RunActions = ({ run, reload }: RunHandle) => (
  <div class="run-actions">
    <CompareButton run={run} />
    <ReviewFailures run={run} />
    <RunMenu run={run} reload={reload} />
  </div>
);

/** Leads to the comparison with other runs of the same suite. */
function CompareButton({ run }: { readonly run: EvalRunSnapshot }) {
  const [isOpen, setOpen] = useState(false);
  const reason = run.status === 'completed' ? undefined : `The run is ${run.status}.`;
  return (
    <>
      <Action name="Compare…" denied={reason} onClick={() => setOpen(true)} />
      {isOpen && <CompareDialog run={run} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Tasks that failed; those that could not be scored have a source of their own. */
const failuresOf = ({ touchstone: { headline } }: EvalRunSnapshot): number =>
  headline ? headline.taskCount - headline.passedCount - (headline.unscored ?? 0) : 0;

const ReviewFailures = ({ run }: { readonly run: EvalRunSnapshot }) => {
  const { runId, touchstone } = run;
  if (failuresOf(run) > 0)
    return (
      <a class="button" href={`/review?source=failures&runId=${encodeURIComponent(runId)}`}>
        Review failures
      </a>
    );
  const reason = touchstone.headline ? 'No task of this run failed.' : 'The run has no result yet.';
  return <Action name="Review failures" denied={reason} onClick={() => undefined} />;
};
