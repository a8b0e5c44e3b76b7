import { useEffect, useRef } from 'preact/hooks';
import { useQuery } from '../queries/use-query.js';
import { client } from '../source.js';
import { ErrorBox, Skeleton } from './states.js';
import { TaskContent } from './task-view.js';

type PanelProps = { readonly runId: string; readonly taskId: string; readonly onClose: () => void };

/** One task beside the list of tasks. */
export function TaskPanel({ runId, taskId, onClose }: PanelProps) {
  const panel = useRef<HTMLElement>(null);
  const { data, error, reload } = useQuery(`task ${runId} ${taskId}`, (signal) =>
    client.task(runId as never, taskId, { signal }),
  );
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
    <aside class="panel" aria-label={`Task ${taskId}`} ref={panel}>
      <div class="panel-head">
        <h2>
          <a href={`/runs/${encodeURIComponent(runId)}/tasks/${encodeURIComponent(taskId)}`}>{taskId}</a>
        </h2>
        <button type="button" class="quiet" title="Esc" onClick={onClose}>
          Close
        </button>
      </div>
      {error !== undefined && <ErrorBox error={error} onRetry={reload} />}
      {data ? <TaskContent key={taskId} task={data} /> : error === undefined && <Skeleton rows={4} />}
    </aside>
  );
}
