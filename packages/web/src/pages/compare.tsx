import type { EvalReport, TaskFacets, TaskListing } from '@touchstone/protocol';
import type { TaskListQuery } from '@touchstone/sdk';
import { changeCertainty, deltaWords, regressionWords, score, whole } from '@touchstone/sdk/view';
import { useEffect, useState } from 'preact/hooks';
import { type Address, navigate, useAddress, withQuery } from '../address.js';
import { ChangeMark } from '../marks/change.js';
import { ComparedTask } from '../parts/compared-task.js';
import { Glyph } from '../parts/glyphs.js';
import { type Column, Grid } from '../parts/grid.js';
import { Empty, ErrorBox, Skeleton } from '../parts/states.js';
import { Change, changeOf, outcomeOf } from '../parts/task-columns.js';
import { readTaskQuery } from '../queries/task-query.js';
import { useQuery } from '../queries/use-query.js';
import { useTaskPages } from '../queries/use-task-pages.js';
import { client } from '../source.js';

const FLIPS = 'toFail,toPass,lower,higher';
const NAMES = {
  toFail: '↓ Now fails',
  toPass: '↑ Now passes',
  lower: 'Lower',
  higher: 'Higher',
  same: 'Same',
} as const;
type ChangeName = keyof typeof NAMES;

/** Two runs, what became of each task, and whether the difference is real. The first run is the baseline. */
export function ComparePage() {
  const { query } = useAddress();
  const [before, after] = (query.get('runs') ?? '').split(',');
  useEffect(() => {
    document.title = 'Compare · Touchstone';
  }, []);
  if (!before || !after)
    return (
      <>
        <h1>Compare</h1>
        <Empty>Choose two runs in the list of runs, or name them in the address: /compare?runs=a,b.</Empty>
      </>
    );
  return <Comparison key={`${before},${after}`} before={before} after={after} />;
}

function Comparison({ before, after }: { readonly before: string; readonly after: string }) {
  const address = useAddress();
  const {
    data: report,
    error,
    reload,
  } = useQuery(`report ${after} ${before}`, (signal) =>
    client.runs.report(after as never, { against: before as never, signal }),
  );
  const { filter } = readTaskQuery(address.query);
  const asked: TaskListQuery = { order: 'change', change: FLIPS, ...filter, against: before as never };
  const facets = useQuery(`facets ${after} ${before}`, (signal) =>
    client.runs.facets(after as never, { against: before as never }, { signal }),
  );
  const tasks = useTaskPages(after, asked, 0);
  const open = address.query.get('task');
  const close = (): void => navigate(withQuery(address, { task: undefined }));
  return (
    <div class="run">
      <Heading before={before} after={after} report={report} />
      {error !== undefined && <ErrorBox error={error} onRetry={reload} />}
      <Changes address={address} facets={facets.data} chosen={asked.change ?? ''} />
      <div class="run-body">
        <Flips tasks={tasks} />
        {open !== null && <ComparedTask runs={[before, after]} taskId={open} onClose={close} />}
      </div>
    </div>
  );
}

type HeadingProps = {
  readonly before: string;
  readonly after: string;
  readonly report: EvalReport | undefined;
};

function Heading({ before, after, report }: HeadingProps) {
  const regression = report?.regression;
  const versions =
    regression && report
      ? `${regression.baseline.agent.agentId}@${regression.baseline.agent.version} → ${report.agent.version}`
      : 'Compare';
  return (
    <header class="run-heading">
      <p class="crumbs">
        <a href="/runs">Runs</a> / <a href={`/runs/${before}`}>{before}</a> →{' '}
        <a href={`/runs/${after}`}>{after}</a> <a href={`/compare?runs=${after},${before}`}>Swap</a>
      </p>
      <h1>{versions}</h1>
      {regression && (
        <>
          <p
            class={`sentence ${regression.verdict}`}
            data-testid="compare-verdict"
            data-verdict={regression.verdict}
            data-p={regression.pValue}
          >
            {regressionWords(regression)}
          </p>
          <div class="figures">
            <ChangeMark
              value={regression.scoreDelta}
              interval={regression.interval}
              tolerance={regression.tolerance}
            />
            <ul class="muted certainty">
              {[...changeCertainty(regression), ...deltaWords(regression)].map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ul>
          </div>
        </>
      )}
    </header>
  );
}

type ChangesProps = {
  readonly address: Address;
  readonly facets: TaskFacets | undefined;
  readonly chosen: string;
};

function Changes({ address, facets, chosen }: ChangesProps) {
  const toggle = (name: string, value: string, count?: number) => (
    <button
      key={value}
      type="button"
      class={`toggle ${value}`}
      aria-pressed={chosen === value}
      onClick={() =>
        navigate(withQuery(address, { change: value === FLIPS ? undefined : value, task: undefined }))
      }
    >
      {name} <span class="count">{count === undefined ? '' : whole(count)}</span>
    </button>
  );
  const { changes } = facets ?? {};
  const flips = changes && changes.toFail + changes.toPass + changes.lower + changes.higher;
  return (
    <div class="filters" role="toolbar" aria-label="Filters">
      {toggle('Flips', FLIPS, flips)}
      {(Object.keys(NAMES) as ChangeName[]).map((name) => toggle(NAMES[name], name, changes?.[name]))}
    </div>
  );
}

/** What a flip is called on the page, and in `data-flip`. */
function flipOf(row: TaskListing): string {
  const change = changeOf(row) ?? 0;
  if (row.before && row.before.passed !== row.passed) return row.passed ? 'toPass' : 'toFail';
  if (change === 0) return 'same';
  return change < 0 ? 'lower' : 'higher';
}

const COLUMNS: readonly Column<TaskListing>[] = [
  { id: 'flip', name: 'Flip', cell: (row) => ({ toFail: '↓', toPass: '↑' })[flipOf(row)] ?? '' },
  { id: 'task', name: 'Task', order: 'id', cell: ({ taskId }) => <span class="id">{taskId}</span> },
  {
    id: 'before',
    name: 'Before',
    isNumber: true,
    cell: ({ before }) =>
      before && (
        <>
          <Glyph outcome={before.passed ? 'passed' : 'failed'} /> {score(before.score)}
        </>
      ),
  },
  {
    id: 'after',
    name: 'After',
    isNumber: true,
    order: 'score',
    cell: (row) => (
      <>
        <Glyph outcome={outcomeOf(row)} /> {row.unscored === undefined ? score(row.score) : '–'}
      </>
    ),
  },
  { id: 'change', name: 'Change', isNumber: true, order: 'change', cell: (row) => <Change row={row} /> },
];

function Flips({ tasks }: { readonly tasks: ReturnType<typeof useTaskPages> }) {
  const address = useAddress();
  const [active, setActive] = useState(0);
  const open = address.query.get('task');
  const show = (index: number, replace: boolean): void => {
    const row = tasks.rowAt(index);
    if (row) navigate(withQuery(address, { task: row.taskId }), { replace });
  };
  const move = (index: number): void => {
    setActive(index);
    if (open !== null) show(index, true);
  };
  if (tasks.error !== undefined) return <ErrorBox error={tasks.error} />;
  if (tasks.isFirst) return <Skeleton />;
  if (tasks.matched === 0) return <Empty>No task changed like this.</Empty>;
  return (
    <Grid
      label="Tasks"
      count={tasks.matched}
      columns={COLUMNS}
      rowAt={tasks.rowAt}
      onSight={tasks.onSight}
      active={active}
      onMove={move}
      onOpen={(index) => show(index, open !== null)}
      rowProps={(row) => ({
        'data-testid': 'flip',
        'data-task': row.taskId,
        'data-flip': flipOf(row),
        'data-change': changeOf(row),
      })}
      order={address.query.get('order') ?? 'change'}
      onOrder={(order) => navigate(withQuery(address, { order }))}
    />
  );
}
