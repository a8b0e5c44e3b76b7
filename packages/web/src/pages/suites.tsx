import type { SuiteListing } from '@touchstone/protocol';
import type { RunSnapshot } from '@touchstone/sdk';
import { score, whole } from '@touchstone/sdk/view';
import { useEffect, useState } from 'preact/hooks';
import { navigate, useAddress } from '../address.js';
import { ErrorBox } from '../parts/error-box.js';
import { type Column, Grid } from '../parts/grid/grid.js';
import { LongName } from '../parts/long-name.js';
import { RunScore } from '../parts/run/run-columns.js';
import { Empty, Skeleton } from '../parts/states.js';
import { VerdictBadge } from '../parts/verdict.js';
import { When } from '../parts/when.js';
import { useQuery } from '../queries/use-query.js';
import { verdictOfRun } from '../run-words.js';
import { client } from '../source.js';

const MOST = 200;
const hrefOf = ({ suiteId, version }: SuiteListing): string =>
  `/suites/${encodeURIComponent(`${suiteId}@${version}`)}`;

type NewestOf = (suite: SuiteListing) => RunSnapshot | undefined;

/** The newest completed run of each suite and version, among the last ones of all. */
function useNewest(): NewestOf {
  const { data } = useQuery('newest runs', (signal) =>
    client.runs.list({ kind: 'eval', status: 'completed', limit: MOST }, { signal }),
  );
  const newest = new Map<string, RunSnapshot>();
  for (const run of data?.items ?? []) {
    const ref = run.touchstone?.suite?.ref;
    if (ref !== undefined && !newest.has(ref)) newest.set(ref, run);
  }
  return ({ suiteId, version }) => newest.get(`${suiteId}@${version}`);
}

const columnsOf = (newestOf: NewestOf): readonly Column<SuiteListing>[] => [
  {
    id: 'name',
    name: 'Suite',
    cell: (suite) => (
      <a href={hrefOf(suite)}>
        <LongName name={suite.suiteId} />
      </a>
    ),
  },
  { id: 'version', name: 'Version', cell: ({ version }) => version },
  { id: 'tasks', name: 'Tasks', isNumber: true, cell: ({ taskCount }) => whole(taskCount) },
  {
    id: 'bar',
    name: 'Bar',
    isNumber: true,
    cell: ({ thresholds }) => thresholds?.passScore !== undefined && score(thresholds.passScore),
  },
  { id: 'modes', name: 'Modes', cell: ({ modes }) => modes.join(', ') },
  {
    id: 'verdict',
    name: 'Newest run',
    cell: (suite) => {
      const run = newestOf(suite);
      return run && <VerdictBadge verdict={verdictOfRun(run)} status={run.status} />;
    },
  },
  {
    id: 'runscore',
    name: 'Score',
    isNumber: true,
    cell: (suite) => {
      const run = newestOf(suite);
      return run && <RunScore run={run} />;
    },
  },
  {
    id: 'when',
    name: 'When',
    cell: (suite) => {
      const at = newestOf(suite)?.touchstone?.createdAt;
      return at && <When at={at} />;
    },
  },
  { id: 'agent', name: 'For', cell: ({ targetAgentId }) => targetAgentId ?? '' },
];

/** Every suite that the caller can run, each version by itself. */
export function SuitesPage() {
  const { query } = useAddress();
  const cursor = query.get('cursor') ?? undefined;
  const { data, error, isLoading, reload } = useQuery(`suites ${cursor}`, (signal) =>
    client.suites.list({ limit: MOST, ...(cursor !== undefined && { cursor }) }, { signal }),
  );
  const [active, setActive] = useState(0);
  const newestOf = useNewest();
  useEffect(() => {
    document.title = 'Suites · Touchstone';
  }, []);
  const suites = data?.items ?? [];
  return (
    <>
      <h1>Suites</h1>
      {error !== undefined && <ErrorBox error={error} onRetry={reload} />}
      {isLoading && <Skeleton />}
      {data && suites.length === 0 && (
        <Empty command={`touchstone run evals/first.suite.yaml --host ${location.origin}`}>
          No suite yet. A run brings its own:
        </Empty>
      )}
      {suites.length > 0 && (
        <Grid
          label="Suites"
          name="suites"
          count={suites.length}
          columns={columnsOf(newestOf).filter(
            ({ id }) => id !== 'agent' || suites.some(({ targetAgentId }) => targetAgentId !== undefined),
          )}
          rowAt={(index) => suites[index]}
          active={active}
          onMove={setActive}
          onOpen={(index) => {
            const suite = suites[index];
            if (suite) navigate(hrefOf(suite));
          }}
          rowProps={({ suiteId, version }) => ({ 'data-suite': `${suiteId}@${version}` })}
        />
      )}
      {data?.nextCursor !== undefined && (
        <p>
          <a class="button" href={`/suites?cursor=${encodeURIComponent(data.nextCursor)}`}>
            Further suites
          </a>
        </p>
      )}
    </>
  );
}
