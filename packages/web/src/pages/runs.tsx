import type { RunSnapshot } from '@touchstone/sdk';
import { whole } from '@touchstone/sdk/view';
import { useEffect, useState } from 'preact/hooks';
import { type Address, navigate, useAddress, withQuery } from '../address.js';
import { type Columns, useColumns } from '../parts/columns/use-columns.js';
import { MOST_RUNS, runsIn } from '../parts/compare/compared-runs.js';
import { ErrorBox } from '../parts/error-box.js';
import { type Column, Grid } from '../parts/grid/grid.js';
import { Ignored } from '../parts/ignored.js';
import { useKeys } from '../parts/keys.js';
import { hrefOfRun, nameOfRun, runColumns } from '../parts/run/run-columns.js';
import { RunFilters } from '../parts/run/run-filters.js';
import { Empty, Skeleton } from '../parts/states.js';
import { useMedia } from '../queries/use-media.js';
import { readRunFilter, useRuns } from '../queries/use-runs.js';
import { IN_FILE } from '../source.js';

/** Runs are marked in the order they are chosen: the first one is the baseline. */
function toggleMark(address: Address, runId: string): void {
  const marked = runsIn(address.query);
  const next = marked.includes(runId) ? marked.filter((one) => one !== runId) : [...marked, runId];
  navigate(withQuery(address, { runs: next.slice(-MOST_RUNS).join(',') }), { replace: true });
}

const markColumn = (address: Address): Column<RunSnapshot> => ({
  id: 'mark',
  name: 'Compare',
  isKept: true,
  cell: (run) =>
    run.touchstone?.kind === 'eval' && (
      <input
        type="checkbox"
        aria-label={`Compare ${nameOfRun(run)} ${run.runId}`}
        title="c"
        tabIndex={-1}
        checked={runsIn(address.query).includes(run.runId)}
        onChange={() => toggleMark(address, run.runId)}
      />
    ),
});

/** All runs, newest first. Two to eight of them can be marked and compared. */
export function RunsPage() {
  const address = useAddress();
  const { filter, ignored } = readRunFilter(address.query);
  const { runs, error, isLoading, reload, more } = useRuns(filter);
  useEffect(() => {
    document.title = 'Runs · Touchstone';
  }, []);
  const columns = useColumns('runs', [markColumn(address), ...runColumns(runs)]);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <div class="run runs">
      <div class="run-title">
        <h1>Runs</h1>
        <span class="muted" role="status">
          {more ? `${whole(runs.length)} and more` : runs.length > 0 && whole(runs.length)}
        </span>
        <CompareLink marked={runsIn(address.query)} />
      </div>
      <Ignored names={ignored} />
      {!IN_FILE && <RunFilters address={address} runs={runs} columns={columns} />}
      {error !== undefined && <ErrorBox error={error} onRetry={reload} />}
      {isLoading && <Skeleton />}
      {!isLoading && error === undefined && runs.length === 0 && <NoRuns isFiltered={isFiltered} />}
      {runs.length > 0 && <RunGrid runs={runs} address={address} columns={columns} />}
      {more && (
        <p>
          <button type="button" onClick={more}>
            Older runs
          </button>
        </p>
      )}
    </div>
  );
}

const NoRuns = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <Empty>
      No run fits these filters. <a href="/runs">Show all runs</a>
    </Empty>
  ) : (
    <Empty command={`touchstone run evals/first.suite.yaml --host ${location.origin}`}>
      No run yet. This command makes one:
    </Empty>
  );

const compareHref = (marked: readonly string[]): string => `/compare?runs=${marked.join(',')}`;

function CompareLink({ marked }: { readonly marked: readonly string[] }) {
  if (marked.length === 0) return null;
  if (marked.length === 1) return <span class="muted">Mark another run to compare with.</span>;
  return (
    <a class="button" href={compareHref(marked)} title="C">
      Compare {marked.length}
    </a>
  );
}

type RunGridProps = {
  readonly runs: readonly RunSnapshot[];
  readonly address: Address;
  readonly columns: Columns<RunSnapshot>;
};

/** Where the agent of a run stands below its suite; today.css has the same two numbers. */
const NARROW = '(max-width: 644px)';
const NARROW_HEIGHT = 44;

function RunGrid({ runs, address, columns }: RunGridProps) {
  const [active, setActive] = useState(0);
  const marked = runsIn(address.query);
  const chosen = runs[active];
  const isNarrow = useMedia(NARROW);
  useKeys('list', {
    c: chosen?.touchstone?.kind === 'eval' ? () => toggleMark(address, chosen.runId) : undefined,
    C: marked.length > 1 ? () => navigate(compareHref(marked)) : undefined,
  });
  return (
    <Grid
      label="Runs"
      name="runs"
      count={runs.length}
      columns={columns.shown}
      onMoveColumn={columns.move}
      {...(isNarrow && { rowHeight: NARROW_HEIGHT })}
      rowAt={(index) => runs[index]}
      active={active}
      onMove={setActive}
      onOpen={(index) => {
        const run = runs[index];
        if (run) navigate(hrefOfRun(run));
      }}
      rowProps={(run) => ({ 'data-run': run.runId })}
    />
  );
}
