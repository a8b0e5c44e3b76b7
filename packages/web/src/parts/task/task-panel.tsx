import { TaskDetail } from '../../lazy-parts.js';
import { Panel } from '../panel.js';

type TaskPanelProps = {
  readonly runId: string;
  readonly taskId: string;
  readonly onClose: () => void;
  /** Goes to the task before or after this one in the list. */
  readonly onMove: (step: 1 | -1) => void;
};

export const TaskPanel = ({ runId, taskId, onClose, onMove }: TaskPanelProps) => (
  <Panel runId={runId} taskId={taskId} error={undefined} onRetry={onClose} onClose={onClose} onMove={onMove}>
    <TaskDetail key={taskId} runId={runId} taskId={taskId} />
  </Panel>
);
