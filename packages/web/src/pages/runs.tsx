import type { RunSnapshot } from '@touchstone/sdk';
import { score, usd, whole } from '@touchstone/sdk/view';
import { useEffect, useState } from 'preact/hooks';
import { type Address, navigate, useAddress, withQuery } from '../address.js';
import { type Column, Grid } from '../parts/grid.js';
import { Empty, ErrorBox, Skeleton } from '../parts/states.js';
import { VerdictBadge } from '../parts/verdict.js';
import { When } from '../parts/when.js';
import { useQuery } from '../queries/use-query.js';
import { verdictOfRun } from '../run-words.js';
import { client } from '../source.js';

const LOOK_AGAIN_MS = 5_000;

/** A failed run opens with its failures. */
const hrefOf = (run: RunSnapshot): string => {
  const hasFailures = verdictOfRun(run) === 'fail';
  return `/runs/${encodeURIComponent(run.runId)}${hasFailures ? '?outcome=failed' : ''}`;
};

const nameOf = ({ touchstone, workflowId }: RunSnapshot): string => touchstone?.suite?.ref ?? workflowId;

/** Runs that are marked for comparing, in the order they were marked: the first one is the baseline. */
const markedIn = (query: URLSearchParams): readonly string[] =>
  (query.get('runs') ?? '').split(',').filter((runId) => runId !== '');

const MOST_MARKED = 8;

function toggleMark(address: Address, runId: string): void {
  const marked = markedIn(address.query);
  const next = marked.includes(runId) ? marked.filter((one) => one !== runId) : [...marked, runId];
  navigate(withQuery(address, { runs: next.slice(-MOST_MARKED).join(',') }), { replace: true });
}

const markColumn = (address: Address): Column<RunSnapshot> => ({
  id: 'mark',
  name: 'Compare',
  cell: (run) => (
    <input
      type="checkbox"
      aria-label={`Compare ${nameOf(run)} ${run.runId}`}
      tabIndex={-1}
      checked={markedIn(address.query).includes(run.runId)}
      onChange={() => toggleMark(address, run.runId)}
    />
  ),
});

const COLUMNS: readonly Column<RunSnapshot>[] = [
  {
    id: 'verdict',
    name: 'Verdict',
    cell: (run) => <VerdictBadge verdict={verdictOfRun(run)} status={run.status} />,
  },
  { id: 'name', name: 'Suite', cell: (run) => <a href={hrefOf(run)}>{nameOf(run)}</a> },
  {
    id: 'agent',
    name: 'Agent',
    cell: ({ touchstone }) => touchstone?.agent && `${touchstone.agent.agentId}@${touchstone.agent.version}`,
  },
  {
    id: 'score',
    name: 'Score',
    isNumber: true,
    cell: ({ touchstone }) => touchstone?.headline && score(touchstone.headline.aggregateScore),
  },
  {
    id: 'tasks',
    name: 'Tasks',
    isNumber: true,
    cell: ({ touchstone }) => touchstone?.tasks && whole(touchstone.tasks.selected),
  },
  {
    id: 'cost',
    name: 'Cost',
    isNumber: true,
    cell: ({ metrics }) => metrics?.openwopCost?.usd !== undefined && usd(metrics.openwopCost.usd),
  },
  {
    id: 'when',
    name: 'When',
    cell: ({ touchstone }) => touchstone && <When at={touchstone.createdAt} />,
  },
];

export function RunsPage() {
  const { data, error, isLoading, reload } = useQuery('runs', (signal) =>
    client.runs.list({ limit: 200 }, { signal }),
  );
  const [active, setActive] = useState(0);
  const address = useAddress();
  const marked = markedIn(address.query);
  const compare = `/compare?runs=${marked.join(',')}`;
  useEffect(() => {
    document.title = 'Runs · Touchstone';
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  const runs = data?.items ?? [];
  const open = (index: number): void => {
    const run = runs[index];
    if (run) navigate(hrefOf(run));
  };
  return (
    <>
      <div class="run-title">
        <h1>Runs</h1>
        {marked.length === 1 && <span class="muted">Mark another run to compare with.</span>}
        {marked.length > 1 && (
          <a class="button" href={compare} title="C">
            Compare {marked.length}
          </a>
        )}
      </div>
      {error !== undefined && <ErrorBox error={error} onRetry={reload} />}
      {isLoading && <Skeleton />}
      {data && runs.length === 0 && (
        <Empty command="touchstone run evals/first.suite.yaml --host http://127.0.0.1:8787">
          No run yet. This command makes one:
        </Empty>
      )}
      {runs.length > 0 && (
        <Grid
          label="Runs"
          count={runs.length}
          columns={[markColumn(address), ...COLUMNS]}
          rowAt={(index) => runs[index]}
          active={active}
          onMove={setActive}
          onOpen={open}
          onKey={(key) => {
            const run = runs[active];
            if (key === 'c' && run) toggleMark(address, run.runId);
            else if (key === 'C' && marked.length > 1) navigate(compare);
            else return false;
            return true;
          }}
          rowProps={(run) => ({ 'data-run': run.runId })}
        />
      )}
    </>
  );
}
