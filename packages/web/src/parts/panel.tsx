import type { ComponentChildren } from 'preact';
import { ErrorBox } from './error-box.js';
import { useKeys } from './keys.js';
import { Skeleton } from './states.js';
import { Neighbours } from './task/neighbours.js';

type PanelProps = {
  /** The run that the task is of; absent when it is shown as the suite has it. */
  readonly runId?: string;
  readonly taskId: string;
  readonly error: unknown;
  readonly onRetry: () => void;
  readonly onClose: () => void;
  /** Goes to the task before or after this one; absent where there is no list to move in. */
  readonly onMove?: (step: 1 | -1) => void;
  /** Absent while it is on its way. */
  readonly children?: ComponentChildren;
};

/** One task beside a list of tasks. Escape closes it, and the list has the focus again. */
export function Panel({ runId, taskId, error, onRetry, onClose, onMove, children }: PanelProps) {
  useKeys('everywhere', {
    Escape: () => {
      onClose();
      document.querySelector<HTMLElement>('[role=grid]')?.focus();
    },
  });
  return (
    <aside class="panel" aria-label={`Task ${taskId}`}>
      <div class="panel-head">
        <h2>
          {runId === undefined ? (
            <span class="id">{taskId}</span>
          ) : (
            <a href={`/runs/${encodeURIComponent(runId)}/tasks/${encodeURIComponent(taskId)}`}>{taskId}</a>
          )}
        </h2>
        <span class="panel-tools">
          {onMove && <Neighbours onMove={onMove} />}
          <button type="button" class="quiet" title="Esc" onClick={onClose}>
            Close
          </button>
        </span>
      </div>
      {error !== undefined && <ErrorBox error={error} onRetry={onRetry} />}
      {children ?? (error === undefined && <Skeleton rows={4} />)}
    </aside>
  );
}
