import { useQuery } from '../queries/use-query.js';
import { client } from '../source.js';
import { Panel } from './panel.js';
import { TaskContent } from './task-view.js';

type TaskPanelProps = { readonly runId: string; readonly taskId: string; readonly onClose: () => void };

export function TaskPanel({ runId, taskId, onClose }: TaskPanelProps) {
  const { data, error, reload } = useQuery(`task ${runId} ${taskId}`, (signal) =>
    client.task(runId as never, taskId, { signal }),
  );
  return (
    <Panel runId={runId} taskId={taskId} error={error} onRetry={reload} onClose={onClose}>
      {data && <TaskContent key={taskId} task={data} />}
    </Panel>
  );
}
