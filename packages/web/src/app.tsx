import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import { followLinks, match, useAddress } from './address.js';
import { SESSION } from './first-answers.js';
import { lazy } from './lazy.js';
import { RunPage } from './pages/run.js';
import { RunActionsContext } from './parts/run/run-actions-context.js';
import { GoTo } from './parts/shell/go-to.js';
import { SessionContext } from './parts/shell/session-context.js';
import { type NavigationLink, Shell } from './parts/shell/shell.js';
import { Empty } from './parts/states.js';
import { useQuery } from './queries/use-query.js';
import { askToSignIn, isSignedIn } from './session.js';
import { readSession } from './source.js';

const OpenPage = lazy(() => import('./pages/sign-in.js').then((page) => page.OpenPage));
const SignInPage = lazy(() => import('./pages/sign-in.js').then((page) => page.SignInPage));
const TaskPage = lazy(() => import('./pages/task.js').then((page) => page.TaskPage));
const JudgePage = lazy(() => import('./pages/judges.js').then((page) => page.JudgePage));
const JudgesPage = lazy(() => import('./pages/judges.js').then((page) => page.JudgesPage));
const ReviewPage = lazy(() => import('./pages/review.js').then((page) => page.ReviewPage));
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
const RunActions = lazy(
  async () => (await import('./parts/run/run-actions.js')).RunActions,
  <div class="run-actions" />,
);
const RUN_PARTS: { readonly [part: string]: FunctionComponent<{ readonly runId: string }> } = {
  report: lazy(async () => (await import('./pages/report.js')).ReportPage),
  events: lazy(async () => (await import('./pages/events.js')).EventsPage),
  about: lazy(async () => (await import('./pages/about.js')).AboutPage),
};

/** The main navigation. */
const LINKS: readonly NavigationLink[] = [
  ['/', 'Today'],
  ['/runs', 'Runs', 'running'],
  ['/suites', 'Suites'],
  ['/agents', 'Agents'],
  ['/review', 'Review', 'review'],
  ['/approvals', 'Approvals', 'approvals'],
  ['/judges', 'Judges'],
  ['/audit', 'Audit'],
  ['/settings', 'Settings'],
];

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
  const { data: session } = useQuery(isIn ? SESSION : undefined, readSession);
  useEffect(() => {
    if (!isIn) askToSignIn();
  }, [isIn, path]);
  if (!isIn) return null;
  return (
    <SessionContext.Provider value={session}>
      <RunActionsContext.Provider value={RunActions}>
        <Shell path={path} links={LINKS} session={session} beside={<GoTo />}>
          <Page path={path} session={session} />
        </Shell>
      </RunActionsContext.Provider>
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
  if (path === '/') return <TodayPage />;
  if (path === '/runs') return <RunsPage />;
  if (path === '/compare') return <ComparePage />;
  if (path === '/review') return <ReviewPage session={session} />;
  if (path === '/judges') return <JudgesPage />;
  const judge = match('/judges/:digest', path);
  if (judge) return <JudgePage digest={judge.digest ?? ''} />;
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
  const suitePart = match('/suites/:suiteRef/:view', path);
  if (suitePart?.view === 'history' || suitePart?.view === 'matrix')
    return <SuitePage suiteRef={suitePart.suiteRef ?? ''} view={suitePart.view} />;
  const task = match('/runs/:runId/tasks/:taskId', path);
  if (task) return <TaskPage runId={task.runId ?? ''} taskId={task.taskId ?? ''} />;
  const part = match('/runs/:runId/:part', path);
  const RunPart = part && RUN_PARTS[part.part ?? ''];
  if (RunPart) return <RunPart key={path} runId={part.runId ?? ''} />;
  const run = match('/runs/:runId', path);
  if (run) return <RunPage key={run.runId} runId={run.runId ?? ''} />;
  return <Nowhere />;
}

function Nowhere() {
  useEffect(() => {
    document.title = 'Nothing here · Touchstone';
  }, []);
  return (
    <>
      <h1>Nothing here</h1>
      <Empty>
        There is no page at this address. <a href="/">Today</a> and <a href="/runs">all runs</a> are.
      </Empty>
    </>
  );
}
