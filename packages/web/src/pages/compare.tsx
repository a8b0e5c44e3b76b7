import type { Matrix } from '@touchstone/protocol';
import { HostResponseError } from '@touchstone/sdk';
import { useEffect } from 'preact/hooks';
import { type Address, navigate, useAddress, withQuery } from '../address.js';
import { Answers } from '../parts/compare/answers.js';
import { moveRun, runsIn } from '../parts/compare/compared-runs.js';
import { EventDifferences } from '../parts/compare/event-differences.js';
import { Flips } from '../parts/compare/flips.js';
import { RunLines } from '../parts/compare/run-lines.js';
import { ErrorBox } from '../parts/error-box.js';
import { Ignored, ignoredIn } from '../parts/ignored.js';
import { Empty } from '../parts/states.js';
import { MatrixGrid } from '../parts/suite/matrix-grid.js';
import { Tabs } from '../parts/tabs.js';
import { Toggles } from '../parts/toggles.js';
import { useQuery } from '../queries/use-query.js';
import { client, hasContent, IN_FILE } from '../source.js';

const VIEWS = ['Flips', 'All', 'Matrix', 'Answers', 'Events'] as const;
type View = (typeof VIEWS)[number];

/** A file has no log, and answers only where its writer put them in. */
const isThere = (view: View): boolean =>
  (view !== 'Events' || !IN_FILE) && (view !== 'Answers' || hasContent());

/** An unknown view is the first one. */
const viewIn = (query: URLSearchParams): View =>
  VIEWS.filter(isThere).find((view) => view.toLowerCase() === query.get('view')) ?? 'Flips';

const KNOWN = { view: VIEWS.map((view) => view.toLowerCase()), only: ['differ', 'flips', 'all'] };

/** Two to eight runs, what became of each task, and whether the difference is real. The first run is the baseline. */
export function ComparePage() {
  const address = useAddress();
  const runs = runsIn(address.query);
  useEffect(() => {
    document.title = 'Compare · Touchstone';
  }, []);
  if (runs.length < 2)
    return (
      <>
        <h1>Compare</h1>
        <Empty>
          Mark two to eight runs in the <a href="/runs">list of runs</a>, or name them in the address:
          /compare?runs=a,b.
        </Empty>
      </>
    );
  return <Comparison key={runs.join()} runs={runs} address={address} />;
}

function Comparison({ runs, address }: { readonly runs: readonly string[]; readonly address: Address }) {
  const { data, error, reload } = useQuery(`columns ${runs.join()}`, (signal) =>
    client.matrix({ runs: runs as never, limit: 1 }, { signal }),
  );
  const [before = '', after = ''] = runs;
  // Every part would say it again.
  const isAbsent = error instanceof HostResponseError && error.status === 404;
  return (
    <div class="run compare">
      <header class="run-heading">
        <p class="crumbs">
          <a href="/runs">Runs</a> / Compare
        </p>
        <div class="run-title">
          <h1>{titleOf(data, runs)}</h1>
          {runs.length === 2 && (
            <a class="button" href={withQuery(address, { runs: `${after},${before}` })}>
              Swap
            </a>
          )}
        </div>
        {!isAbsent && <RunLines runs={runs} matrix={data} />}
      </header>
      {isAbsent && <ErrorBox error={error} onRetry={reload} />}
      {!isAbsent && <Views runs={runs} address={address} />}
    </div>
  );
}

function Views({ runs, address }: Omit<ViewProps, 'view'>) {
  const view = viewIn(address.query);
  return (
    <>
      <Tabs
        label="Views"
        tabs={VIEWS.filter(isThere).map((name) => ({
          name,
          href: withQuery(address, {
            view: name === 'Flips' ? undefined : name.toLowerCase(),
            change: undefined,
          }),
          isCurrent: name === view,
        }))}
      />
      {runs.length > 2 && view !== 'Matrix' && view !== 'Answers' && (
        <p class="muted">
          Of the first two runs. Move another run up to see it here, or look at the matrix of all.
        </p>
      )}
      <Ignored names={ignoredIn(address.query, KNOWN)} />
      <ViewOf view={view} runs={runs} address={address} />
    </>
  );
}

type ViewProps = { readonly view: View; readonly runs: readonly string[]; readonly address: Address };

function ViewOf({ view, runs, address }: ViewProps) {
  const [before = '', after = ''] = runs;
  if (view === 'Answers') return <Answers runs={runs} address={address} />;
  if (!IN_FILE && view === 'Events') return <EventDifferences before={before} after={after} />;
  if (view === 'Matrix') return <ComparedMatrix runs={runs} address={address} />;
  return <Flips key={view} before={before} after={after} isAll={view === 'All'} />;
}

const KEPT = [
  [undefined, 'Differ'],
  ['flips', 'Flips'],
  ['all', 'All'],
] as const;

function ComparedMatrix({ runs, address }: Omit<ViewProps, 'view'>) {
  const asked = address.query.get('only');
  const only = asked === 'all' || asked === 'flips' ? asked : 'differ';
  return (
    <>
      <div class="filters">
        <Toggles address={address} name="only" label="Tasks" choices={KEPT} />
      </div>
      <MatrixGrid
        query={{ runs: runs as never, only }}
        isReasonKnown
        onOpen={(task) => navigate(withQuery(address, { view: 'answers', task }))}
        onMoveRun={(runId, to) => moveRun(address, runs, runId, to)}
      />
    </>
  );
}

/** Two by their versions; more by their number. */
function titleOf(matrix: Matrix | undefined, runs: readonly string[]): string {
  const [one, other] = matrix?.runs ?? [];
  if (!one || !other || runs.length > 2) return `Compare ${runs.length} runs`;
  const { agentId, version } = one.agent;
  const after = other.agent.agentId === agentId ? '' : `${other.agent.agentId}@`;
  return `${agentId}@${version} → ${after}${other.agent.version}`;
}
