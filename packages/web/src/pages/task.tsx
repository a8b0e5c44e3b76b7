import { useEffect } from 'preact/hooks';
import { ErrorBox, Skeleton } from '../parts/states.js';
import { TaskContent } from '../parts/task-view.js';
import { useQuery } from '../queries/use-query.js';
import { client } from '../source.js';

export function TaskPage({ runId, taskId }: { readonly runId: string; readonly taskId: string }) {
  const { data, error, reload } = useQuery(`task ${runId} ${taskId}`, (signal) =>
    client.task(runId as never, taskId, { signal }),
  );
  useEffect(() => {
    document.title = `${taskId} · Touchstone`;
  }, [taskId]);
  return (
    <article class="task-page">
      <p class="crumbs">
        <a href="/runs">Runs</a> / <a href={`/runs/${encodeURIComponent(runId)}`}>{runId}</a>
      </p>
      <h1>{taskId}</h1>
      {error !== undefined && <ErrorBox error={error} onRetry={reload} />}
      {data ? <TaskContent task={data} /> : error === undefined && <Skeleton rows={4} />}
    </article>
  );
}
