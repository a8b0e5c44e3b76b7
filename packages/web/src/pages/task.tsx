import { useEffect } from 'preact/hooks';
import { navigate, useAddress } from '../address.js';
import { Neighbours } from '../parts/task/neighbours.js';
import { TaskDetail } from '../parts/task/task-detail.js';
import { readTaskQuery } from '../queries/task-query.js';
import { useQuery } from '../queries/use-query.js';
import { client } from '../source.js';

export function TaskPage({ runId, taskId }: { readonly runId: string; readonly taskId: string }) {
  const { query } = useAddress();
  const search = query.size === 0 ? '' : `?${query}`;
  const { filter } = readTaskQuery(query);
  const around = useQuery(`around ${runId} ${taskId} ${search}`, (signal) =>
    readAround(runId, taskId, filter, signal),
  );
  const run = useQuery(`run ${runId}`, (signal) => client.runs.get(runId as never, { signal }));
  const { suite, agent } = run.data?.touchstone ?? {};
  useEffect(() => {
    document.title = `${taskId} · Touchstone`;
  }, [taskId]);
  const { before, after, place, matched } = around.data ?? {};
  const move = (step: 1 | -1): void => {
    const next = step < 0 ? before : after;
    if (next === undefined) return;
    const path = `/runs/${encodeURIComponent(runId)}/tasks/${encodeURIComponent(next)}`;
    navigate(`${path}${search}`, { replace: true });
  };
  return (
    <article class="task-page">
      <p class="crumbs">
        <a href="/runs">Runs</a> / {suite && `${suite.ref} / `}
        <a href={`/runs/${encodeURIComponent(runId)}${search}`}>
          {agent ? `${agent.agentId}@${agent.version}` : runId}
        </a>
      </p>
      <div class="panel-head">
        <h1 class="task-name">{taskId}</h1>
        {place !== undefined && (
          <span class="panel-tools muted">
            {place + 1} of {matched}
            <Neighbours onMove={move} isFirst={before === undefined} isLast={after === undefined} />
          </span>
        )}
      </div>
      <TaskDetail key={taskId} runId={runId} taskId={taskId} />
    </article>
  );
}

type Filter = ReturnType<typeof readTaskQuery>['filter'];

/** The tasks before and after one, as the filters of the address leave and sort them. */
async function readAround(runId: string, taskId: string, filter: Filter, signal: AbortSignal) {
  const here = await client.runs.tasks(runId as never, { ...filter, around: taskId, limit: 1 }, { signal });
  if (here.items[0]?.taskId !== taskId) return {};
  const { offset: place, matched } = here;
  const part = { offset: Math.max(0, place - 1), limit: 3 };
  const { items } = await client.runs.tasks(runId as never, { ...filter, ...part }, { signal });
  const at = items.findIndex((item) => item.taskId === taskId);
  return { place, matched, before: items[at - 1]?.taskId, after: items[at + 1]?.taskId };
}
