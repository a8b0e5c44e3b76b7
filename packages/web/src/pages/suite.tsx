import type { SuiteListing } from '@touchstone/protocol';
import { duration, score, usd, whole } from '@touchstone/sdk/view';
import { useEffect } from 'preact/hooks';
import { navigate, useAddress } from '../address.js';
import { ErrorBox } from '../parts/error-box.js';
import { Ignored, ignoredIn } from '../parts/ignored.js';
import { Skeleton } from '../parts/states.js';
import { SuiteHistoryView } from '../parts/suite/history.js';
import { MatrixGrid } from '../parts/suite/matrix-grid.js';
import { SuiteTasks } from '../parts/suite/tasks.js';
import { Tabs } from '../parts/tabs.js';
import { Toggles } from '../parts/toggles.js';
import { useQuery } from '../queries/use-query.js';
import { client } from '../source.js';

const VIEWS = { tasks: 'Tasks', history: 'History', matrix: 'Matrix' } as const;
export type SuiteView = keyof typeof VIEWS;

/** What the address may have in each view. */
const KNOWN: { readonly [view in SuiteView]: { readonly [name: string]: readonly string[] } } = {
  tasks: { kind: ['golden', 'rubric'] },
  history: { measure: ['score', 'passRate', 'cost', 'p95'], axis: ['run', 'time'], form: ['chart', 'table'] },
  matrix: { order: ['flaky', 'newest'], only: ['all', 'flips'] },
};

/** One suite: its tasks, how its runs went, and which tasks change sides. */
export function SuitePage({ suiteRef, view }: { readonly suiteRef: string; readonly view: SuiteView }) {
  const { data, error, reload } = useQuery(`suite ${suiteRef}`, (signal) =>
    client.suites.head(suiteRef, { signal }),
  );
  useEffect(() => {
    document.title = `${suiteRef} · Touchstone`;
  }, [suiteRef]);
  const { query } = useAddress();
  const base = `/suites/${encodeURIComponent(suiteRef)}`;
  return (
    <div class="run suite">
      <header class="run-heading">
        <p class="crumbs">
          <a href="/suites">Suites</a> / {suiteRef.split('@')[0]}
        </p>
        <h1>{data ? `${data.suiteId}@${data.version}` : suiteRef}</h1>
        {data && <Facts suite={data} />}
      </header>
      {error !== undefined && <ErrorBox error={error} onRetry={reload} />}
      {!data && error === undefined && <Skeleton />}
      {data && (
        <>
          <Tabs
            label="Views"
            tabs={(Object.keys(VIEWS) as SuiteView[]).map((name) => ({
              name: VIEWS[name],
              href: name === 'tasks' ? base : `${base}/${name}`,
              isCurrent: name === view,
            }))}
          />
          <Ignored names={ignoredIn(query, KNOWN[view])} />
          {view === 'tasks' && <SuiteTasks suiteRef={suiteRef} />}
          {view === 'history' && <SuiteHistoryView suiteRef={suiteRef} />}
          {view === 'matrix' && <SuiteMatrix suiteRef={suiteRef} />}
        </>
      )}
    </div>
  );
}

const Facts = ({ suite }: { readonly suite: SuiteListing }) => {
  const { thresholds, modes, targetAgentId, digest, taskCount } = suite;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Tasks', whole(taskCount)],
    ['Modes', modes.join(', ')],
    ['Bar', thresholds?.passScore === undefined ? undefined : score(thresholds.passScore)],
    ['Cost at most', thresholds?.maxCostUsd === undefined ? undefined : usd(thresholds.maxCostUsd)],
    [
      'p95 at most',
      thresholds?.maxP95LatencyMs === undefined ? undefined : duration(thresholds.maxP95LatencyMs),
    ],
    ['For', targetAgentId],
    ['Digest', digest],
  ];
  return (
    <dl class="inline-facts">
      {facts.flatMap(([name, value]) =>
        value === undefined
          ? []
          : [
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>,
            ],
      )}
    </dl>
  );
};

const ORDERS = [
  [undefined, 'Most flips first'],
  ['newest', 'Newest failure first'],
] as const;
const KEPT = [
  [undefined, 'All'],
  ['flips', 'Flips'],
] as const;

function SuiteMatrix({ suiteRef }: { readonly suiteRef: string }) {
  const address = useAddress();
  const agentId = address.query.get('agentId');
  const order = address.query.get('order') === 'newest' ? 'newest' : 'flaky';
  const only = address.query.get('only') === 'flips' ? 'flips' : 'all';
  return (
    <>
      <div class="filters">
        <Toggles address={address} name="order" label="Order" choices={ORDERS} />
        <Toggles address={address} name="only" label="Tasks" choices={KEPT} />
      </div>
      <MatrixGrid
        query={{ suiteId: suiteRef, order, only, ...(agentId !== null && { agentId }) }}
        onOpen={(taskId, runs) => {
          const newest = runs.at(-1);
          if (newest) navigate(`/runs/${newest.runId}/tasks/${encodeURIComponent(taskId)}`);
        }}
      />
    </>
  );
}
