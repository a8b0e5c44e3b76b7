import type { HostCounts } from '@touchstone/protocol';
import type { RunSnapshot } from '@touchstone/sdk';
import { percent, plural, whole } from '@touchstone/sdk/view';
import { useEffect } from 'preact/hooks';
import { exactTime } from '../parts/appearance.js';
import { ErrorBox } from '../parts/error-box.js';
import { hrefOfRun, nameOfRun, RunScore } from '../parts/run/run-columns.js';
import { Empty, Skeleton } from '../parts/states.js';
import { VerdictBadge } from '../parts/verdict.js';
import { When } from '../parts/when.js';
import { useBoard } from '../queries/use-board.js';
import { useCounts } from '../queries/use-counts.js';
import { useInterval } from '../queries/use-interval.js';
import { useQuery } from '../queries/use-query.js';
import { verdictOfRun } from '../run-words.js';
import { client } from '../source.js';

const LOOK_AGAIN_MS = 5_000;
/** Among so many of the last runs the newest of each suite and agent is looked for. */
const LAST_RUNS = 200;

/** What waits for people, what runs now, and the newest verdict of every suite and agent. */
export function TodayPage() {
  const counts = useCounts();
  const recent = useQuery('today', (signal) =>
    client.runs.list({ kind: 'eval', limit: LAST_RUNS }, { signal }),
  );
  useInterval(recent.reload, LOOK_AGAIN_MS);
  useEffect(() => {
    document.title = 'Today · Touchstone';
  }, []);
  const runs = recent.data?.items ?? [];
  return (
    <div class="today">
      <h1>Today</h1>
      {recent.error !== undefined && <ErrorBox error={recent.error} onRetry={recent.reload} />}
      {recent.isLoading && <Skeleton />}
      {recent.data && runs.length === 0 && (
        <Empty command={`touchstone run evals/first.suite.yaml --host ${location.origin}`}>
          Nothing has been evaluated yet. This command does:
        </Empty>
      )}
      {counts && <Waiting counts={counts} />}
      {recent.data && (
        <Running runs={runs.filter(({ status }) => status === 'running' || status === 'pending')} />
      )}
      <Newest runs={newestOfEach(runs)} />
    </div>
  );
}

/** The approval that time runs out for first: silence is a no. */
function FirstDeadline() {
  const { data } = useBoard();
  const ends = data?.items.flatMap(({ pending }) => pending.flatMap(({ until }) => until ?? [])) ?? [];
  const [first] = ends.sort();
  if (first === undefined) return null;
  return (
    <span class="muted">
      (1 until <time dateTime={first}>{exactTime(first)}</time>)
    </span>
  );
}

const Waiting = ({ counts: { approvals, review } }: { readonly counts: HostCounts }) => (
  <section aria-labelledby="waits">
    <h2 id="waits">Waits for you</h2>
    {approvals + review === 0 ? (
      <p class="muted">Nothing.</p>
    ) : (
      <ul class="waiting">
        {approvals > 0 && (
          <li>
            <a href="/approvals">{plural(approvals, 'approval')}</a> <FirstDeadline />
          </li>
        )}
        {review > 0 && (
          <li>
            <a href="/review">{plural(review, 'task')} to review</a>{' '}
            <span class="muted">did not pass in the newest runs, and nobody has looked</span>
          </li>
        )}
      </ul>
    )}
  </section>
);

const Running = ({ runs }: { readonly runs: readonly RunSnapshot[] }) => (
  <section aria-labelledby="running">
    <h2 id="running">Running now</h2>
    {runs.length === 0 ? (
      <p class="muted">Nothing.</p>
    ) : (
      <ul class="running">
        {runs.map((run) => (
          <RunningRun key={run.runId} run={run} />
        ))}
      </ul>
    )}
  </section>
);

function RunningRun({ run }: { readonly run: RunSnapshot }) {
  const { data, reload } = useQuery(`done ${run.runId}`, (signal) =>
    client.runs.facets(run.runId as never, {}, { signal }),
  );
  useInterval(reload, LOOK_AGAIN_MS);
  const { passed = 0, failed = 0, unscored = 0 } = data?.outcomes ?? {};
  const [done, total] = [passed + failed + unscored, run.touchstone?.tasks?.selected ?? 0];
  return (
    <li data-run={run.runId}>
      <a href={hrefOfRun(run)}>{nameOfRun(run)}</a>
      <progress
        class="how-far"
        aria-label={`Progress of ${nameOfRun(run)}`}
        max={Math.max(1, total)}
        value={done}
      />
      <span>
        {percent(done / Math.max(1, total))} · {whole(failed)} failed so far
      </span>
    </li>
  );
}

/** Newest first. */
function newestOfEach(runs: readonly RunSnapshot[]): readonly RunSnapshot[] {
  const newest = new Map<string, RunSnapshot>();
  for (const run of runs) {
    const { suite, agent } = run.touchstone ?? {};
    const key = `${suite?.ref.split('@')[0]} ${agent?.agentId}`;
    if (run.status === 'completed' && !newest.has(key)) newest.set(key, run);
  }
  return [...newest.values()];
}

const Newest = ({ runs }: { readonly runs: readonly RunSnapshot[] }) =>
  runs.length === 0 ? null : (
    <section aria-labelledby="newest">
      <h2 id="newest">Newest verdicts</h2>
      <ul class="verdicts">
        {runs.map((run) => (
          <li key={run.runId} data-run={run.runId}>
            <span class="verdict-cell">
              <VerdictBadge verdict={verdictOfRun(run)} status={run.status} />
            </span>
            <span class="verdict-score">
              <RunScore run={run} />
            </span>
            <span class="verdict-of">
              <a href={hrefOfRun(run)}>{nameOfRun(run)}</a>{' '}
              <span class="muted">
                {run.touchstone?.agent && `× ${run.touchstone.agent.agentId}@${run.touchstone.agent.version}`}
              </span>
            </span>
            <span class="muted">{run.touchstone && <When at={run.touchstone.createdAt} />}</span>
          </li>
        ))}
      </ul>
    </section>
  );
