import { isEvalRun, type RunSnapshot } from '@touchstone/sdk';
import { useState } from 'preact/hooks';
import { useQuery } from '../../queries/use-query.js';
import { client, hasContent, IN_FILE, tagsOf } from '../../source.js';
import { ErrorBox } from '../error-box.js';
import { Skeleton } from '../states.js';
import type { JudgeFacts } from './criteria.js';
import { Adjusted, Override } from './override.js';
import { Remarks } from './remarks.js';
import { TaskContent } from './task-view.js';
import { Timeline } from './timeline.js';

type TaskDetailProps = { readonly runId: string; readonly taskId: string };

/** Everything about one task of a run: content, criteria, time line, remarks and correction. */
export function TaskDetail({ runId, taskId }: TaskDetailProps) {
  const task = useQuery(`task ${runId} ${taskId}`, (signal) =>
    client.task(runId as never, taskId, { signal }),
  );
  const beside = useQuery(`beside ${runId} ${taskId}`, (signal) => readBeside(runId, taskId, signal));
  const run = useQuery(`run ${runId}`, (signal) => client.runs.get(runId as never, { signal }));
  const [isCorrected, setCorrected] = useState(false);
  if (task.error !== undefined) return <ErrorBox error={task.error} onRetry={task.reload} />;
  if (!task.data) return <Skeleton rows={4} />;
  const { listing, remarks = [] } = beside.data ?? {};
  return (
    <TaskContent
      task={task.data}
      judge={run.data && judgeOf(run.data)}
      tags={tagsOf(runId, taskId)}
      heading={listing && <Adjusted listing={listing} isNew={isCorrected} />}
      timeline={(repeat) => hasContent() && <Timeline runId={runId} taskId={taskId} repeat={repeat} />}
    >
      {beside.error !== undefined && <ErrorBox error={beside.error} onRetry={beside.reload} />}
      {listing && !IN_FILE && (
        <div class="override">
          <Override
            runId={runId}
            listing={listing}
            onChange={() => {
              setCorrected(true);
              beside.reload();
            }}
          />
        </div>
      )}
      {(remarks.length > 0 || !IN_FILE) && (
        <Remarks runId={runId} taskId={taskId} remarks={remarks} onChange={beside.reload} />
      )}
    </TaskContent>
  );
}

function judgeOf(run: RunSnapshot): JudgeFacts | undefined {
  if (!isEvalRun(run) || !run.touchstone.judge) return undefined;
  const { provider, model, votes } = run.touchstone.judge;
  return { name: `${provider}/${model}`, votes };
}

/** What people said about the task, and the event that a correction names. */
async function readBeside(runId: string, taskId: string, signal: AbortSignal) {
  const [{ items }, remarks] = await Promise.all([
    client.runs.tasks(runId as never, { around: taskId, limit: 1 }, { signal }),
    client.runs.annotations(runId as never, { taskId, signal }),
  ]);
  const listing = items.find((item) => item.taskId === taskId);
  return { remarks, ...(listing && { listing }) };
}
