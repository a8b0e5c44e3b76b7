import type { Matrix, MatrixRow, MatrixRun } from '@touchstone/protocol';
import type { MatrixQuery } from '@touchstone/sdk';
import { useState } from 'preact/hooks';
import { CELL_OUTCOMES, CellMark } from '../../marks/cell.js';
import { usePages } from '../../queries/use-pages.js';
import { client } from '../../source.js';
import { FirstError } from '../first-error.js';
import { type Column, Grid } from '../grid/grid.js';
import { Empty, Skeleton } from '../states.js';

type MatrixGridProps = {
  readonly query: MatrixQuery;
  /** The page says itself what was not measured alike. */
  readonly isReasonKnown?: boolean;
  readonly onOpen: (taskId: string, runs: readonly MatrixRun[]) => void;
  /** Puts a run where another one is; absent where the order of runs is their age. */
  readonly onMoveRun?: (runId: string, to: string) => void;
};

/** Tasks by runs: one column a run, one cell a task. */
export function MatrixGrid({ query, isReasonKnown = false, onOpen, onMoveRun }: MatrixGridProps) {
  const pages = usePages<MatrixRow, Matrix>(`matrix ${JSON.stringify(query)}`, (part, signal) =>
    client.matrix({ ...query, ...part }, { signal }),
  );
  const [active, setActive] = useState(0);
  if (pages.isFirst) return <Skeleton />;
  if (!pages.latest) return <FirstError of={[pages]} />;
  const { runs, comparable, reason, cut } = pages.latest;
  if (runs.length === 0) return <Empty>No run of this suite has completed yet.</Empty>;
  return (
    <div class="matrix">
      <FirstError of={[pages]} />
      {!comparable && !isReasonKnown && (
        <p class="note">Not all of these runs were measured alike. {reason}</p>
      )}
      {cut && <p class="note">Older runs are left out: together they have too many tasks for one picture.</p>}
      {pages.matched === 0 ? (
        <Empty>No task fits this filter.</Empty>
      ) : (
        <Grid
          label="Matrix"
          name="matrix"
          count={pages.matched}
          columns={columnsOf(runs)}
          {...(onMoveRun && { onMoveColumn: onMoveRun })}
          rowAt={pages.rowAt}
          onSight={pages.onSight}
          active={active}
          onMove={setActive}
          onOpen={(index) => {
            const row = pages.rowAt(index);
            if (row) onOpen(row.taskId, runs);
          }}
          rowProps={({ taskId }) => ({ 'data-task': taskId })}
        />
      )}
    </div>
  );
}

/** A run by what tells it from the others. */
const nameOf = (run: MatrixRun, runs: readonly MatrixRun[]): string => {
  const isOnly = runs.every(({ agent }) => agent.agentId === run.agent.agentId);
  return isOnly ? run.agent.version : `${run.agent.agentId.split('.').at(-1)}@${run.agent.version}`;
};

const columnsOf = (runs: readonly MatrixRun[]): readonly Column<MatrixRow>[] => [
  { id: 'task', name: 'Task', cell: ({ taskId }) => <span class="id">{taskId}</span> },
  ...runs.map(
    (run, at): Column<MatrixRow> => ({
      id: 'run',
      key: run.runId,
      name: `${run.blessed ? '◆ ' : ''}${nameOf(run, runs)}`,
      title: `${run.agent.agentId}@${run.agent.version}, ${run.suite.ref}, ${run.score.toFixed(3)}, ${run.endedAt}`,
      cell: ({ cells }) => <Cell run={run} cell={cells[at] ?? [0, '-']} />,
    }),
  ),
  { id: 'flips', name: 'Flips', isNumber: true, cell: ({ flips }) => (flips > 0 ? flips : '') },
];

const Cell = ({ run, cell }: { readonly run: MatrixRun; readonly cell: MatrixRow['cells'][number] }) => (
  <span data-testid="cell" data-run={run.runId} data-outcome={CELL_OUTCOMES[cell[1]]}>
    <CellMark cell={cell} />
  </span>
);
