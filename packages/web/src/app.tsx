import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import { followLinks, match, navigate, useAddress } from './address.js';
import { lazy } from './lazy.js';
import { ComparePage } from './pages/compare.js';
import { RunPage } from './pages/run.js';
import { RunsPage } from './pages/runs.js';
import { SettingsPage } from './pages/settings.js';
import { OpenPage, SignInPage } from './pages/sign-in.js';
import { TaskPage } from './pages/task.js';
import { SessionContext } from './parts/session-context.js';
import { Shell } from './parts/shell.js';
import { Empty } from './parts/states.js';
import { useQuery } from './queries/use-query.js';
import { askToSignIn, isSignedIn } from './session.js';
import { readSession } from './source.js';

const RUN_PARTS: { readonly [part: string]: FunctionComponent<{ readonly runId: string }> } = {
  report: lazy(async () => (await import('./pages/report.js')).ReportPage),
  events: lazy(async () => (await import('./pages/events.js')).EventsPage),
  about: lazy(async () => (await import('./pages/about.js')).AboutPage),
};

export function App() {
  const { path } = useAddress();
  useEffect(() => {
    document.addEventListener('click', followLinks);
    return () => document.removeEventListener('click', followLinks);
  }, []);
  if (path === '/open') return <OpenPage />;
  if (path === '/sign-in') return <SignInPage />;
  return <SignedIn path={path} />;
}

/** Everything that needs a session. */
function SignedIn({ path }: { readonly path: string }) {
  const isIn = isSignedIn();
  const { data: session } = useQuery(isIn ? 'session' : undefined, readSession);
  useEffect(() => {
    if (!isIn) askToSignIn();
    else if (path === '/') navigate('/runs', { replace: true });
  }, [isIn, path]);
  if (!isIn) return null;
  return (
    <SessionContext.Provider value={session}>
      <Shell path={path} session={session}>
        <Page path={path} session={session} />
      </Shell>
    </SessionContext.Provider>
  );
}

function Page({
  path,
  session,
}: {
  readonly path: string;
  readonly session: Awaited<ReturnType<typeof readSession>> | undefined;
}) {
  if (path === '/runs' || path === '/') return <RunsPage />;
  if (path === '/compare') return <ComparePage />;
  if (path === '/settings') return <SettingsPage session={session} />;
  const task = match('/runs/:runId/tasks/:taskId', path);
  if (task) return <TaskPage runId={task.runId ?? ''} taskId={task.taskId ?? ''} />;
  const part = match('/runs/:runId/:part', path);
  const RunPart = part && RUN_PARTS[part.part ?? ''];
  if (RunPart) return <RunPart key={path} runId={part.runId ?? ''} />;
  const run = match('/runs/:runId', path);
  if (run) return <RunPage key={run.runId} runId={run.runId ?? ''} />;
  return (
    <>
      <h1>Nothing here</h1>
      <Empty>There is no page at this address.</Empty>
    </>
  );
}
