import type { TaskFacets, TaskListing } from '@touchstone/protocol';
import type { EvalRunSnapshot, RunProgress, TaskListQuery } from '@touchstone/sdk';
import { percent, whole } from '@touchstone/sdk/view';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Address, navigate, useAddress, withQuery } from '../address.js';
import { type Columns, useColumns } from '../parts/columns/use-columns.js';
import { FirstError } from '../parts/first-error.js';
import { Grid } from '../parts/grid/grid.js';
import { Ignored } from '../parts/ignored.js';
import { RunHeading } from '../parts/run/run-heading.js';
import { Empty, Skeleton } from '../parts/states.js';
import { READING_HEIGHT, readingColumns } from '../parts/task/reading-columns.js';
import { type ColumnFacts, changeOf, outcomeOf, taskColumns } from '../parts/task/task-columns.js';
import { TaskFilters } from '../parts/task/task-filters.js';
import { TaskPanel } from '../parts/task/task-panel.js';
import { readTaskQuery } from '../queries/task-query.js';
import { useBodies } from '../queries/use-bodies.js';
import { EvalRunOf } from '../queries/use-eval-run.js';
import { type LiveState, useBeginning, useLive } from '../queries/use-live.js';
import { usePainted } from '../queries/use-painted.js';
import { useQuery } from '../queries/use-query.js';
import { useTaskPages } from '../queries/use-task-pages.js';
import { GLYPHS, hasScore, verdictOfRun, wordOf } from '../run-words.js';
import { client, IN_FILE } from '../source.js';

const isOver = (status: string): boolean => ['completed', 'failed', 'cancelled'].includes(status);

export const RunPage = ({ runId }: { readonly runId: string }) => (
  <EvalRunOf runId={runId}>{(run, reload) => <EvalRun run={run} reload={reload} />}</EvalRunOf>
);

const isCompared = ({ touchstone }: EvalRunSnapshot, query: URLSearchParams): boolean =>
  query.has('against') || touchstone.baselineRunId !== undefined;

function EvalRun({ run, reload }: { readonly run: EvalRunSnapshot; readonly reload: () => void }) {
  const address = useAddress();
  const { runId } = run;
  const { filter, view, ignored } = readTaskQuery(address.query, isCompared(run, address.query));
  const [round, setRound] = useState(0);
  const readAgain = (): void => setRound((count) => count + 1);
  const onReturn = (): void => {
    reload();
    readAgain();
  };
  const live = useLive(runId, !isOver(run.status), { onEnd: reload, onReturn });
  useBeginning(run.status, live.progress, reload);
  const revision = isOver(run.status) ? -1 : round;
  const tasks = useTaskPages(runId, filter, revision, address.text);
  const { against } = filter;
  const isPainted = usePainted(!tasks.isFirst);
  const hasReport = isPainted && run.status === 'completed';
  const report = useQuery(hasReport ? `report ${runId} ${against}` : undefined, (signal) =>
    client.runs.report(runId as never, { signal, ...(against && { against }) }),
  );
  const { order: _order, ...filters } = filter;
  const facetsKey = `facets ${runId} ${JSON.stringify(filters)} ${revision}`;
  const facets = useQuery(isPainted ? facetsKey : undefined, (signal) =>
    client.runs.facets(runId as never, filters, { signal }),
  );
  useTitle(run, live.progress);
  const isReading = view === 'reading';
  const bodies = useBodies(runId, isReading, tasks.rowAt);
  const hrefOf = useMemo(() => hrefIn(runId), [runId]);
  const known = columnFacts(facets.data, tasks.latest?.items);
  const factColumns = useMemo(() => taskColumns(hrefOf, known), [hrefOf, JSON.stringify(known)]);
  const facts = useColumns('tasks', factColumns);
  const reading = useColumns('reading', readingColumns(hrefOf, bodies.of));
  const columns = isReading ? reading : facts;
  const open = address.query.get('task');
  return (
    <div class={open === null ? 'run' : 'run with-panel'}>
      <RunHeading run={run} report={report.data} facets={facets.data} address={address} reload={reload} />
      <FirstError of={[tasks, report]} />
      {!IN_FILE && (
        <Live state={live.state} progress={live.progress} shown={tasks.total} onShow={readAgain} />
      )}
      <Ignored names={ignored} />
      {!IN_FILE && <Ended run={run} />}
      <TaskFilters
        address={address}
        facets={facets.data}
        outcomes={facets.data?.outcomes ?? knownOutcomes(run, filter)}
        list={tasks.latest}
        columns={columns}
      />
      <div class="run-body">
        <TaskGrid
          hrefOf={hrefOf}
          tasks={tasks}
          isEnded={isOver(run.status)}
          columns={columns}
          {...(isReading && { onSight: bodies.onSight, rowHeight: READING_HEIGHT })}
        />
        {open !== null && (
          <TaskPanel
            runId={runId}
            taskId={open}
            onClose={() => navigate(withQuery(address, { task: undefined }))}
            onMove={(step) => void moveBy(tasks, address, open, step)}
          />
        )}
      </div>
    </div>
  );
}

function useTitle(run: EvalRunSnapshot, progress: RunProgress | undefined): void {
  const { agent, headline } = run.touchstone;
  const verdict = verdictOfRun(run);
  const name = `${agent.agentId}@${agent.version} · Touchstone`;
  useEffect(() => {
    const mark = verdict === 'fail' ? '✕' : verdict && GLYPHS[verdict];
    const isScored = headline && hasScore({ all: headline.taskCount, unscored: headline.unscored });
    if (isScored && mark) document.title = `${mark} ${headline.aggregateScore.toFixed(2)} ${name}`;
    else if (progress && !isOver(run.status))
      document.title = `${percent(progress.done / Math.max(1, progress.total))} · ${name}`;
    else document.title = name;
  }, [verdict, name, progress?.done]);
}

/** Said once, to those who watched the run. */
function Ended({ run }: { readonly run: EvalRunSnapshot }) {
  const wasWatched = useRef(!isOver(run.status));
  if (!wasWatched.current) return null;
  const verdict = wordOf(verdictOfRun(run), run.status);
  return (
    <p role="status" class="muted">
      {isOver(run.status) && `The run has ended: ${verdict}.`}
    </p>
  );
}

type LiveProps = {
  readonly state: LiveState;
  readonly progress: RunProgress | undefined;
  readonly shown: number;
  readonly onShow: () => void;
};

/** How far a run is. Rows never move under the cursor: new ones come when the reader asks for them. */
function Live({ state, progress, shown, onShow }: LiveProps) {
  const fresh = (progress?.done ?? 0) - shown;
  useEffect(() => {
    // The first rows of a run that has just begun disturb nobody.
    if (shown === 0 && fresh > 0) onShow();
  }, [shown, fresh]);
  return (
    <div class="live" data-testid="live" data-state={state}>
      {state !== 'ended' && progress && (
        <>
          <progress class="how-far" aria-label="Progress" max={progress.total} value={progress.done} />
          <span>
            {whole(progress.done)} of {whole(progress.total)} · {whole(progress.failed)} failed so far
          </span>
        </>
      )}
      {state === 'lost' && <span role="status">Not connected. Trying again.</span>}
      {state !== 'ended' && fresh > 0 && shown > 0 && (
        <button type="button" data-testid="new-results" onClick={onShow}>
          {whole(fresh)} new · show
        </button>
      )}
    </div>
  );
}

/** The snapshot knows them of all tasks; what filters leave is counted by the host. */
function knownOutcomes(
  { status, touchstone: { headline } }: EvalRunSnapshot,
  { outcome: _, order: __, ...filters }: TaskListQuery,
): TaskFacets['outcomes'] | undefined {
  if (status !== 'completed' || !headline || Object.keys(filters).length > 0) return undefined;
  const { taskCount, passedCount, unscored } = headline;
  return { passed: passedCount, unscored, failed: taskCount - passedCount - unscored };
}

/** Of all tasks that the filters leave; of those in sight, until that is known. */
function columnFacts(facets: TaskFacets | undefined, rows: readonly TaskListing[] = []): ColumnFacts {
  if (!facets)
    return {
      isCompared: rows.some(({ before }) => before !== undefined),
      hasCost: rows.some(({ costUsd }) => costUsd !== undefined),
      hasVotes: rows.some(({ criteria }) => criteria !== undefined),
    };
  const { histograms, criteria } = facets;
  return {
    isCompared: histograms.change.counts.length > 0,
    hasCost: histograms.costUsd.counts.length > 0,
    hasVotes: criteria.length > 0,
  };
}

type Tasks = ReturnType<typeof useTaskPages>;

/** Shows the task before or after the one that is shown, in the order of the list. */
async function moveBy(tasks: Tasks, address: Address, taskId: string, step: 1 | -1): Promise<void> {
  const place = await tasks.find(taskId, AbortSignal.timeout(30_000));
  const next = place + step;
  if (place < 0 || next < 0 || next >= tasks.matched) return;
  const row = tasks.rowAt(next) ?? (await tasks.readAt(next));
  if (row) navigate(withQuery(address, { task: row.taskId }), { replace: true });
}

const hrefIn =
  (runId: string) =>
  ({ taskId }: TaskListing): string =>
    `/runs/${encodeURIComponent(runId)}/tasks/${encodeURIComponent(taskId)}`;

type TaskGridProps = {
  readonly hrefOf: (row: TaskListing) => string;
  readonly tasks: Tasks;
  readonly isEnded: boolean;
  readonly columns: Columns<TaskListing>;
  /** Contents are read for the rows in sight. */
  readonly onSight?: (from: number, to: number) => void;
  readonly rowHeight?: number;
};

function TaskGrid({ hrefOf, tasks, isEnded, columns, onSight, rowHeight }: TaskGridProps) {
  const address = useAddress();
  const open = address.query.get('task');
  const [active, setActive] = useState(0);
  const { isFirst, find } = tasks;
  useEffect(() => {
    if (open === null || isFirst || tasks.rowAt(active)?.taskId === open) return undefined;
    const giveUp = new AbortController();
    find(open, giveUp.signal).then(
      (index) => index >= 0 && !giveUp.signal.aborted && setActive(index),
      () => undefined,
    );
    return () => giveUp.abort();
  }, [open, isFirst]);
  const move = (index: number): void => {
    setActive(index);
    const row = tasks.rowAt(index);
    if (open !== null && row) navigate(withQuery(address, { task: row.taskId }), { replace: true });
  };
  const openRow = (index: number, inPage: boolean): void => {
    const row = tasks.rowAt(index);
    if (row)
      navigate(inPage ? hrefOf(row) : withQuery(address, { task: row.taskId }), {
        replace: open !== null && !inPage,
      });
  };
  if (tasks.isFirst) return <Skeleton />;
  if (!tasks.latest) return null;
  if (tasks.matched === 0)
    return tasks.total === 0 ? (
      <Empty>{isEnded ? 'The run ended before any of its tasks.' : 'No task has ended yet.'}</Empty>
    ) : (
      <Empty>
        No task fits these filters. <a href={address.path}>Show all tasks</a>
      </Empty>
    );
  return (
    <Grid
      label="Tasks"
      name={rowHeight === undefined ? 'tasks' : 'reading'}
      count={tasks.matched}
      columns={columns.shown}
      onMoveColumn={columns.move}
      {...(rowHeight !== undefined && { rowHeight })}
      rowAt={tasks.rowAt}
      onSight={(from, to) => {
        tasks.onSight(from, to);
        onSight?.(from, to);
      }}
      active={active}
      onMove={move}
      onOpen={openRow}
      rowProps={(row) => ({
        'data-task': row.taskId,
        'data-outcome': outcomeOf(row),
        'data-change': changeOf(row),
      })}
      order={address.query.get('order') ?? 'suite'}
      onOrder={(order) => navigate(withQuery(address, { order }))}
    />
  );
}
