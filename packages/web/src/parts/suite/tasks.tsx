import type { Json, SuiteTaskList, SuiteTaskListing } from '@touchstone/protocol';
import type { SuiteTaskQuery } from '@touchstone/sdk';
import { plural, whole } from '@touchstone/sdk/view';
import { useEffect, useState } from 'preact/hooks';
import { navigate, useAddress, withQuery } from '../../address.js';
import { usePages } from '../../queries/use-pages.js';
import { useQuery } from '../../queries/use-query.js';
import { client } from '../../source.js';
import { Body } from '../body.js';
import { FirstError } from '../first-error.js';
import { type Column, Grid } from '../grid/grid.js';
import { Panel } from '../panel.js';
import { SearchField } from '../search-field.js';
import { Empty, Skeleton } from '../states.js';
import { Toggles } from '../toggles.js';

/** Tasks whose ids have the id of another one in them. */
const MOST = 500;
const KINDS = [
  [undefined, 'All'],
  ['golden', 'Golden'],
  ['rubric', 'Rubric'],
] as const;

/** What the address asks for. */
function queryOf(query: URLSearchParams): SuiteTaskQuery {
  const kind = query.get('kind');
  const id = query.get('id');
  return { ...(id && { id }), ...((kind === 'golden' || kind === 'rubric') && { kind }) };
}

/** The tasks of a suite. One of them opens with what its author wrote. */
export function SuiteTasks({ suiteRef }: { readonly suiteRef: string }) {
  const address = useAddress();
  const query = queryOf(address.query);
  const pages = usePages<SuiteTaskListing, SuiteTaskList>(
    `suite tasks ${suiteRef} ${JSON.stringify(query)}`,
    (part, signal) => client.suites.tasks(suiteRef, { ...query, ...part }, { signal }),
  );
  const open = address.query.get('task');
  return (
    <>
      <div class="filters" role="toolbar" aria-label="Filters">
        <Toggles address={address} name="kind" label="Kind" choices={KINDS} clears={['task']} />
        <SearchField
          address={address}
          name="id"
          label="Find tasks by id"
          placeholder="Task id  /"
          clears={['task']}
        />
        <span class="matched" data-testid="matched" role="status">
          {whole(pages.matched)} of {whole(pages.latest?.total ?? 0)}
        </span>
      </div>
      <FirstError of={[pages]} />
      <div class="run-body">
        <TaskGrid suiteRef={suiteRef} pages={pages} isWhole={Object.keys(query).length === 0} />
        {open !== null && <OneTask suiteRef={suiteRef} taskId={open} />}
      </div>
    </>
  );
}

const COLUMNS: readonly Column<SuiteTaskListing>[] = [
  { id: 'n', name: 'No.', isNumber: true, cell: ({ n }) => whole(n + 1) },
  { id: 'task', name: 'Task', cell: ({ taskId }) => <span class="id">{taskId}</span> },
  { id: 'kind', name: 'Kind', cell: ({ kind }) => kind },
  {
    id: 'measure',
    name: 'Scored by',
    cell: ({ strategy, criteria }) =>
      criteria === undefined ? strategy : criteria === 1 ? '1 criterion' : `${criteria} criteria`,
  },
  {
    id: 'fixtures',
    name: 'Fixtures',
    cell: ({ tools, memory }) =>
      [tools && plural(tools, 'tool answer'), memory && plural(memory, 'memory')]
        .filter((part) => part !== undefined)
        .join(' · '),
  },
];

type Pages = ReturnType<typeof usePages<SuiteTaskListing, SuiteTaskList>>;

async function placeOf(suiteRef: string, taskId: string, signal: AbortSignal): Promise<number | undefined> {
  const { items } = await client.suites.tasks(suiteRef, { id: taskId, limit: MOST }, { signal });
  return items.find((task) => task.taskId === taskId)?.n;
}

type TaskGridProps = {
  readonly suiteRef: string;
  readonly pages: Pages;
  /** No filter leaves tasks out, so a task stands at its place in the suite. */
  readonly isWhole: boolean;
};

function TaskGrid({ suiteRef, pages, isWhole }: TaskGridProps) {
  const address = useAddress();
  const [active, setActive] = useState(0);
  const open = address.query.get('task');
  useEffect(() => {
    if (open === null || pages.isFirst || pages.rowAt(active)?.taskId === open) return undefined;
    const giveUp = new AbortController();
    const known = pages.indexOf(({ taskId }) => taskId === open);
    if (known >= 0) setActive(known);
    else if (isWhole)
      placeOf(suiteRef, open, giveUp.signal).then(
        (place) => place !== undefined && !giveUp.signal.aborted && setActive(place),
        () => undefined,
      );
    return () => giveUp.abort();
  }, [open, pages.isFirst]);
  const show = (index: number, replace: boolean): void => {
    const row = pages.rowAt(index);
    if (row) navigate(withQuery(address, { task: row.taskId }), { replace });
  };
  if (pages.isFirst) return <Skeleton />;
  if (!pages.latest) return null;
  if (pages.matched === 0)
    return (
      <Empty>
        No task fits these filters. <a href={address.path}>Show all tasks</a>
      </Empty>
    );
  return (
    <Grid
      label="Tasks"
      name="suite-tasks"
      count={pages.matched}
      columns={COLUMNS}
      rowAt={pages.rowAt}
      onSight={pages.onSight}
      active={active}
      onMove={(index) => {
        setActive(index);
        if (open !== null) show(index, true);
      }}
      onOpen={(index) => show(index, open !== null)}
      rowProps={({ taskId }) => ({ 'data-task': taskId })}
    />
  );
}

function OneTask({ suiteRef, taskId }: { readonly suiteRef: string; readonly taskId: string }) {
  const address = useAddress();
  const { data, error, reload } = useQuery(`suite task ${suiteRef} ${taskId}`, (signal) =>
    client.suites.task(suiteRef, taskId, { signal }),
  );
  const close = (): void => navigate(withQuery(address, { task: undefined }));
  return (
    <Panel taskId={taskId} error={error} onRetry={reload} onClose={close}>
      {data && (
        <div class="task">
          <Part name="Given" value={data.input} testId="task-input" />
          <Part name="Expected" value={data.expected} testId="task-expected" />
          {data.fixtures && <Part name="Fixtures" value={data.fixtures} />}
        </div>
      )}
    </Panel>
  );
}

const Part = ({
  name,
  value,
  testId,
}: {
  readonly name: string;
  readonly value: Json;
  readonly testId?: string;
}) => (
  <section class="part">
    <h2>{name}</h2>
    <Body value={value} {...(testId !== undefined && { testId })} />
  </section>
);
