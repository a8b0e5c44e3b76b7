import type { Page } from 'playwright-core';

/** What a tenant has, by which its pages are named. */
export type RouteIds = {
  readonly runId: string;
  readonly otherRunId: string;
  readonly taskId: string;
  readonly suiteId: string;
  readonly agentId: string;
  /** A run that waits for people. */
  readonly approvalId: string;
};

/** A page of the page: its address, and what is on it for whoever owns what it is about. */
export type Route = {
  readonly path: (ids: RouteIds) => string;
  readonly sign: string;
  /** What its owner can do on it. */
  readonly writes?: readonly string[];
};

/** Every page that needs a sign-in. Walks over all of them (tenants, viewers, axe) take them from here. */
export const ROUTES: readonly Route[] = [
  { path: () => '/', sign: '.verdicts [data-run], [data-testid=empty]' },
  { path: () => '/runs', sign: '[data-run]' },
  { path: ({ runId, otherRunId }) => `/runs/${runId}?against=${otherRunId}`, sign: '[data-task]' },
  {
    path: ({ runId, taskId }) => `/runs/${runId}?task=${taskId}`,
    sign: '[data-testid=task-output]',
  },
  { path: ({ runId }) => `/runs/${runId}/report`, sign: '[data-testid=score]' },
  { path: ({ runId }) => `/runs/${runId}/events`, sign: '[data-sequence]' },
  { path: ({ runId }) => `/runs/${runId}/about`, sign: '.facts' },
  { path: ({ runId, taskId }) => `/runs/${runId}/tasks/${taskId}`, sign: '[data-testid=task-output]' },
  {
    path: ({ runId, otherRunId, taskId }) => `/compare?runs=${otherRunId},${runId}&task=${taskId}`,
    sign: '[data-testid=diff]',
  },
  {
    path: ({ runId, otherRunId }) => `/compare?runs=${otherRunId},${runId}&view=matrix`,
    sign: '[data-testid=cell]',
  },
  { path: () => '/suites', sign: '[data-suite]' },
  { path: ({ suiteId }) => `/suites/${suiteId}`, sign: '[data-task]' },
  { path: ({ suiteId }) => `/suites/${suiteId}/history`, sign: '.history' },
  { path: ({ suiteId }) => `/suites/${suiteId}/matrix`, sign: '[data-testid=cell]' },
  { path: () => '/agents', sign: '[data-agent]' },
  { path: ({ agentId }) => `/agents/${agentId}`, sign: '[data-testid=version]', writes: ['Promote…'] },
  { path: () => '/approvals', sign: '[data-testid=approval-grant]', writes: ['Grant', 'Reject'] },
  {
    path: ({ approvalId }) => `/approvals/${approvalId}`,
    sign: '[data-testid=approval-round]',
    writes: ['Make a link'],
  },
  {
    path: ({ runId }) => `/review?source=failures&runId=${runId}`,
    sign: '[data-testid=review-item] [data-testid=task-output]',
  },
  { path: () => '/judges', sign: '[data-testid=confusion], main [data-testid=empty]' },
  { path: () => '/audit', sign: '[data-seq]' },
  { path: ({ runId }) => `/audit?runId=${runId}`, sign: 'main :is([data-seq], [data-testid=empty])' },
  { path: () => '/settings', sign: '.capability-names code' },
];

/** Names of buttons that change something. */
export const WRITES =
  /^(Promote|Share|Roll back|Pause|Resume|Deprecate|Grant|Reject|Override|Make a link|Bless|Rejudge|Judge again|Fork|Cancel|Withdraw|Save|Remove|Annotate|Flag\b)/;

/** Write controls on a page that work. */
export async function workingWrites(page: Page): Promise<readonly string[]> {
  const buttons = page.locator('main :is(button, [role=button]):not([disabled]):not([aria-disabled=true])');
  const names = await buttons.allInnerTexts();
  return names.filter((name) => WRITES.test(name.trim()));
}
