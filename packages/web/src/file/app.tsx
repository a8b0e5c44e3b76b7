import type { SessionFacts } from '@touchstone/protocol';
import type { PageFile } from '@touchstone/sdk/view';
import { match, useAddress } from '../address.js';
import { AboutPage } from '../pages/about.js';
import { ComparePage } from '../pages/compare.js';
import { EventsPage } from '../pages/events.js';
import { ReportPage } from '../pages/report.js';
import { RunPage } from '../pages/run.js';
import { RunsPage } from '../pages/runs.js';
import { TaskPage } from '../pages/task.js';
import { MOST_RUNS } from '../parts/compare/compared-runs.js';
import { RunActionsContext, type RunHandle } from '../parts/run/run-actions-context.js';
import { RunMenu } from '../parts/run/run-menu.js';
import { SessionContext } from '../parts/shell/session-context.js';
import { type NavigationLink, Shell } from '../parts/shell/shell.js';
import { Empty } from '../parts/states.js';
import { useQuery } from '../queries/use-query.js';
import { readSession } from '../source.js';

/** The page over a file: the runs of the file and what belongs to them. */
export function FileApp({ file }: { readonly file: PageFile }) {
  const address = useAddress();
  const [first] = linksOf(file);
  const path = address.path === '/' ? (first?.[0] ?? '/') : address.path;
  const { data: session } = useQuery<SessionFacts>('session', readSession);
  return (
    <SessionContext.Provider value={session}>
      <RunActionsContext.Provider value={FileActions}>
        <Shell path={path} links={linksOf(file)} beside={<Beside file={file} />}>
          <Page path={path} />
        </Shell>
      </RunActionsContext.Provider>
    </SessionContext.Provider>
  );
}

/** Nothing can be changed; what is shown can be taken along. */
const FileActions = (props: RunHandle) => (
  <div class="run-actions">
    <RunMenu {...props} />
  </div>
);

const pathOf = ({ snapshot }: PageFile['runs'][number]): string =>
  `/runs/${encodeURIComponent(snapshot.runId)}`;

/** What the file has. */
function linksOf({ runs, matrix }: PageFile): readonly NavigationLink[] {
  const [only] = runs;
  if (runs.length === 1 && only) return [[pathOf(only), 'Run']];
  const together = matrix?.runs.slice(0, MOST_RUNS).map(({ runId }) => runId);
  return [
    ['/runs', 'Runs'],
    ...(together ? [[`/compare?runs=${together.join(',')}`, 'Compare'] as const] : []),
  ];
}

const Beside = ({ file: { content, version } }: { readonly file: PageFile }) => (
  <span class="who file-note" data-testid="who" title={`Written by touchstone ${version}`}>
    This is a file: nothing can be changed here.
    {content === 'left-out' && ' It holds no inputs and no answers.'}
  </span>
);

function Page({ path }: { readonly path: string }) {
  if (path === '/compare') return <ComparePage />;
  if (path === '/runs') return <RunsPage />;
  const task = match('/runs/:runId/tasks/:taskId', path);
  if (task) return <TaskPage runId={task.runId ?? ''} taskId={task.taskId ?? ''} />;
  const part = match('/runs/:runId/:part', path);
  if (part?.part === 'report') return <ReportPage key={path} runId={part.runId ?? ''} />;
  if (part?.part === 'events') return <EventsPage key={path} runId={part.runId ?? ''} />;
  if (part?.part === 'about') return <AboutPage key={path} runId={part.runId ?? ''} />;
  const run = match('/runs/:runId', path);
  if (run) return <RunPage key={run.runId} runId={run.runId ?? ''} />;
  return (
    <>
      <h1>Nothing here</h1>
      <Empty>This is not in the file.</Empty>
    </>
  );
}
