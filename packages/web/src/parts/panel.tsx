import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { ErrorBox, Skeleton } from './states.js';

type PanelProps = {
  /** The run that the task is of; absent when it is shown as the suite has it. */
  readonly runId?: string;
  readonly taskId: string;
  readonly error: unknown;
  readonly onRetry: () => void;
  readonly onClose: () => void;
  /** Absent while it is on its way. */
  readonly children?: ComponentChildren;
};

/** One task beside a list of tasks. Escape closes it, and the list has the focus again. */
export function Panel({ runId, taskId, error, onRetry, onClose, children }: PanelProps) {
  useEffect(() => {
    const close = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      onClose();
      document.querySelector<HTMLElement>('[role=grid]')?.focus();
    };
    addEventListener('keydown', close);
    return () => removeEventListener('keydown', close);
  }, [onClose]);
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
        <button type="button" class="quiet" title="Esc" onClick={onClose}>
          Close
        </button>
      </div>
      {error !== undefined && <ErrorBox error={error} onRetry={onRetry} />}
      {children ?? (error === undefined && <Skeleton rows={4} />)}
    </aside>
  );
}
