import type { RunSnapshot } from '@touchstone/sdk';
import { score, usd, whole } from '@touchstone/sdk/view';
import { useEffect, useState } from 'preact/hooks';
import { navigate } from '../address.js';
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
      <h1>Runs</h1>
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
          columns={COLUMNS}
          rowAt={(index) => runs[index]}
          active={active}
          onMove={setActive}
          onOpen={open}
          rowProps={(run) => ({ 'data-run': run.runId })}
        />
      )}
    </>
  );
}
