import { useEffect } from 'preact/hooks';
import { followLinks, match, useAddress } from './address.js';
import { lazy } from './lazy.js';
import { RunPage } from './pages/run.js';
import { OpenPage, SignInPage } from './pages/sign-in.js';
import { TaskPage } from './pages/task.js';
import { Shell } from './parts/shell.js';
import { Empty } from './parts/states.js';
import { useQuery } from './queries/use-query.js';
import { askToSignIn, isSignedIn } from './session.js';
import { readSession } from './source.js';

const ComparePage = lazy(async () => (await import('./pages/compare.js')).ComparePage);
const RunsPage = lazy(async () => (await import('./pages/runs.js')).RunsPage);
const SuitePage = lazy(async () => (await import('./pages/suite.js')).SuitePage);
const SuitesPage = lazy(async () => (await import('./pages/suites.js')).SuitesPage);
const TodayPage = lazy(async () => (await import('./pages/today.js')).TodayPage);
const AgentsPage = lazy(() => import('./pages/agents.js').then((page) => page.AgentsPage));
const AgentPage = lazy(() => import('./pages/agent.js').then((page) => page.AgentPage));
const ApprovalsPage = lazy(() => import('./pages/approvals.js').then((page) => page.ApprovalsPage));
const ApprovalPage = lazy(() => import('./pages/approval.js').then((page) => page.ApprovalPage));
const AnswerPage = lazy(() => import('./pages/answer.js').then((page) => page.AnswerPage));
const AuditPage = lazy(() => import('./pages/audit.js').then((page) => page.AuditPage));
const SettingsPage = lazy(() => import('./pages/settings.js').then((page) => page.SettingsPage));

export function App() {
  const { path } = useAddress();
  useEffect(() => {
    document.addEventListener('click', followLinks);
    return () => document.removeEventListener('click', followLinks);
  }, []);
  if (path === '/open') return <OpenPage />;
  if (path === '/sign-in') return <SignInPage />;
  if (path === '/answer') return <AnswerPage />;
  return <SignedIn path={path} />;
}

/** Everything that needs a session. */
function SignedIn({ path }: { readonly path: string }) {
  const isIn = isSignedIn();
  const { data: session } = useQuery(isIn ? 'session' : undefined, readSession);
  useEffect(() => {
    if (!isIn) askToSignIn();
  }, [isIn, path]);
  if (!isIn) return null;
  return (
    <Shell path={path} session={session}>
      <Page path={path} session={session} />
    </Shell>
  );
}

function Page({
  path,
  session,
}: {
  readonly path: string;
  readonly session: Awaited<ReturnType<typeof readSession>> | undefined;
}) {
  if (path === '/') return <TodayPage />;
  if (path === '/runs') return <RunsPage />;
  if (path === '/compare') return <ComparePage />;
  if (path === '/agents') return <AgentsPage />;
  const agent = match('/agents/:agentId', path);
  if (agent) return <AgentPage key={agent.agentId} agentId={agent.agentId ?? ''} session={session} />;
  if (path === '/approvals') return <ApprovalsPage session={session} />;
  const approval = match('/approvals/:runId', path);
  if (approval) return <ApprovalPage key={approval.runId} runId={approval.runId ?? ''} session={session} />;
  if (path === '/audit') return <AuditPage />;
  if (path === '/settings') return <SettingsPage session={session} />;
  if (path === '/suites') return <SuitesPage />;
  const suite = match('/suites/:suiteRef', path);
  if (suite) return <SuitePage suiteRef={suite.suiteRef ?? ''} view="tasks" />;
  const part = match('/suites/:suiteRef/:view', path);
  if (part?.view === 'history' || part?.view === 'matrix')
    return <SuitePage suiteRef={part.suiteRef ?? ''} view={part.view} />;
  const task = match('/runs/:runId/tasks/:taskId', path);
  if (task) return <TaskPage runId={task.runId ?? ''} taskId={task.taskId ?? ''} />;
  const run = match('/runs/:runId', path);
  if (run) return <RunPage key={run.runId} runId={run.runId ?? ''} />;
  return (
    <>
      <h1>Nothing here</h1>
      <Empty>There is no page at this address.</Empty>
    </>
  );
}
