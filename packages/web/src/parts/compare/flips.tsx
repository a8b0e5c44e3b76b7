import type { TaskFacets, TaskListing } from '@touchstone/protocol';
import type { TaskListQuery } from '@touchstone/sdk';
import { markHidden, score, whole } from '@touchstone/sdk/view';
import { useState } from 'preact/hooks';
import { type Address, navigate, useAddress, withQuery } from '../../address.js';
import { readTaskQuery } from '../../queries/task-query.js';
import { useQuery } from '../../queries/use-query.js';
import { useTaskPages } from '../../queries/use-task-pages.js';
import { client } from '../../source.js';
import { AddFilter } from '../add-filter.js';
import { ColumnsMenu } from '../columns/columns-menu.js';
import { type Columns, useColumns } from '../columns/use-columns.js';
import { FirstError } from '../first-error.js';
import { Glyph } from '../glyphs.js';
import { type Column, Grid } from '../grid/grid.js';
import { Empty, Skeleton } from '../states.js';
import { FilterChips, fieldsOf } from '../task/filter-fields.js';
import { Change, changeOf, outcomeOf } from '../task/task-columns.js';
import { ComparedTask } from './compared-task.js';

const FLIPS = 'toFail,toPass,lower,higher';
const NAMES = {
  toFail: '↓ Now fails',
  toPass: '↑ Now passes',
  lower: 'Lower',
  higher: 'Higher',
  same: 'Same',
} as const;
type ChangeName = keyof typeof NAMES;

type FlipsProps = {
  readonly before: string;
  readonly after: string;
  /** Whether tasks that stayed as they were are shown, too. */
  readonly isAll: boolean;
};

/** What became of each task of the baseline in the run after it; the largest drop first. */
export function Flips({ before, after, isAll }: FlipsProps) {
  const address = useAddress();
  const { filter } = readTaskQuery(address.query);
  const asked: TaskListQuery = {
    order: 'change',
    ...(!isAll && { change: FLIPS }),
    ...filter,
    against: before as never,
  };
  const { order: _order, change: _change, ...others } = filter;
  const counted = { ...others, against: before as never };
  const facets = useQuery(`facets ${after} ${JSON.stringify(counted)}`, (signal) =>
    client.runs.facets(after as never, counted, { signal }),
  );
  const tasks = useTaskPages(after, asked, 0);
  const [sight, setSight] = useState<readonly [number, number]>([0, 0]);
  const ids = Array.from({ length: Math.min(MOST_EXCERPTS, sight[1] - sight[0]) }, (_, at) =>
    tasks.rowAt(sight[0] + at),
  ).flatMap((row) => row?.taskId ?? []);
  const columns = useColumns('flips', columnsOf(useExcerpts(before, after, ids)));
  const open = address.query.get('task');
  const close = (): void => navigate(withQuery(address, { task: undefined }));
  return (
    <>
      <Changes address={address} facets={facets.data} chosen={asked.change} isAll={isAll} columns={columns} />
      <FirstError of={[tasks]} />
      <div class="run-body">
        <FlipGrid
          tasks={tasks}
          facets={facets.data}
          columns={columns}
          onSight={(from, to) => setSight([from, to])}
        />
        {open !== null && <ComparedTask runs={[before, after]} taskId={open} onClose={close} />}
      </div>
    </>
  );
}

type ChangesProps = {
  readonly address: Address;
  readonly facets: TaskFacets | undefined;
  readonly chosen: string | undefined;
  readonly isAll: boolean;
  readonly columns: Columns<TaskListing>;
};

function Changes({ address, facets, chosen, isAll, columns }: ChangesProps) {
  const { changes } = facets ?? {};
  const toggle = (name: string, value: string | undefined, count?: number) => (
    <button
      key={name}
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
  const flips = changes && changes.toFail + changes.toPass + changes.lower + changes.higher;
  const all = changes && Object.values(changes).reduce((sum, count) => sum + count, 0);
  return (
    <div class="filters" role="toolbar" aria-label="Filters">
      {isAll ? toggle('All', undefined, all) : toggle('Flips', FLIPS, flips)}
      {(Object.keys(NAMES) as ChangeName[]).map((name) => toggle(NAMES[name], name, changes?.[name]))}
      <AddFilter address={address} fields={fieldsOf(facets)} clears={['task']} />
      <FilterChips address={address} />
      <ColumnsMenu columns={columns} />
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

/** What both runs answered, in short, for the rows in sight. */
function useExcerpts(before: string, after: string, ids: readonly string[]) {
  const { data } = useQuery(
    ids.length > 0 ? `excerpts ${before} ${after} ${ids.join()}` : undefined,
    (signal) =>
      Promise.all(
        [before, after].map((runId) => client.runs.bodies(runId as never, ids, { chars: EXCERPT, signal })),
      ),
  );
  const [old, young] = (data ?? []).map(
    ({ items }) => new Map<string, string | undefined>(items.map(({ taskId, output }) => [taskId, output])),
  );
  return (taskId: string) => [old?.get(taskId), young?.get(taskId)] as const;
}

type ExcerptsOf = ReturnType<typeof useExcerpts>;
const EXCERPT = 120;
/** The host tells of so many tasks at once. */
const MOST_EXCERPTS = 50;

const Excerpts = ({ texts: [old, young] }: { readonly texts: ReturnType<ExcerptsOf> }) => (
  <span class="excerpts">
    {old !== undefined && <del>{markHidden(old)}</del>}{' '}
    {young !== undefined && <ins>{markHidden(young)}</ins>}
  </span>
);

const columnsOf = (excerptsOf: ExcerptsOf): readonly Column<TaskListing>[] => [
  ...COLUMNS,
  { id: 'excerpts', name: 'Answers', cell: ({ taskId }) => <Excerpts texts={excerptsOf(taskId)} /> },
];

const COLUMNS: readonly Column<TaskListing>[] = [
  { id: 'flip', name: 'Flip', cell: (row) => ({ toFail: '↓', toPass: '↑' })[flipOf(row)] ?? '' },
  {
    id: 'task',
    name: 'Task',
    order: 'id',
    isKept: true,
    cell: ({ taskId }) => <span class="id">{taskId}</span>,
  },
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

type FlipGridProps = {
  readonly tasks: ReturnType<typeof useTaskPages>;
  readonly facets: TaskFacets | undefined;
  readonly columns: Columns<TaskListing>;
  readonly onSight: (from: number, to: number) => void;
};

/** Whether no task is in both runs. */
const isApart = (facets: TaskFacets | undefined): boolean =>
  facets !== undefined &&
  Object.entries(facets.changes).every(([name, count]) => name === 'unpaired' || count === 0);

/** Whether every task that is in both runs came out as before. */
const isSame = (facets: TaskFacets | undefined): boolean =>
  facets !== undefined &&
  Object.entries(facets.changes).every(
    ([name, count]) => name === 'unpaired' || name === 'same' || count === 0,
  );

function FlipGrid({ tasks, facets, columns, onSight }: FlipGridProps) {
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
  if (tasks.isFirst) return <Skeleton />;
  if (!tasks.latest) return null;
  if (tasks.matched === 0 && isApart(facets)) return <Empty>The two runs have no task in common.</Empty>;
  if (tasks.matched === 0 && isSame(facets))
    return (
      <Empty>
        No task came out differently. <a href={withQuery(address, { view: 'all' })}>See all tasks</a>
      </Empty>
    );
  if (tasks.matched === 0) return <Empty>No task changed like this.</Empty>;
  return (
    <Grid
      label="Tasks"
      name="flips"
      count={tasks.matched}
      columns={columns.shown}
      onMoveColumn={columns.move}
      rowAt={tasks.rowAt}
      onSight={(from, to) => {
        tasks.onSight(from, to);
        onSight(from, to);
      }}
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
