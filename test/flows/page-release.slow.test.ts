import { asId, type RunId } from '@touchstone/protocol';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, findBrowser, openBrowser, openContext } from './browser.js';
import {
  AGENT,
  auditOf,
  keyOf,
  move,
  openDeploymentHost,
  type Person,
  ROLES,
  recordOf,
  SUITE,
  stage,
} from './deployment-host.js';
import { openSignedIn } from './page-host.js';
import type { WholeHost } from './whole-host.js';

// Goal: people let a version out in the browser, and nothing goes out that the host would refuse. Method: one who asks and two who
// agree, each in a browser of their own with a key of their own; what the pages show is held against the API.

const GATE = {
  gateId: 'release',
  agentId: AGENT,
  to: 'active',
  requiredEval: { suite: SUITE, requiredPassScore: 0.9, noRegression: true },
  approval: {
    requiredRole: 'approver',
    quorum: 2,
    excludeRequester: true,
    timeoutSec: 86_400,
    override: { requiredRole: 'chief' },
    overrideBypassesQuorum: true,
  },
};
/** Whoever asks here is an approver too, so that only the exclusion of the requester keeps it from granting. */
const APPROVERS = {
  approver: ['approvals:respond', 'runs:read', 'deploy:promote', 'deploy:pause', 'deploy:rollback'],
};

const path = findBrowser();
let host: WholeHost;
let browser: Browser;
beforeAll(async () => {
  if (path === undefined) return;
  [host, browser] = await Promise.all([
    openDeploymentHost({ gates: [GATE], config: { roles: { ...ROLES, ...APPROVERS } } }),
    openBrowser(path),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await host?.close();
});

async function evaluate(version: string): Promise<RunId> {
  const client = host.client();
  const agentId = `${AGENT}@${version}`;
  const { runId } = await client.runs.create({ mode: 'eval', evalSuiteRef: SUITE, agentId });
  await client.waitForScorecard(asId<RunId>(runId));
  return asId<RunId>(runId);
}

const openAs = async (person: Person, address: string) =>
  openSignedIn(browser, host, address, { key: keyOf(person) });

const versionRow = (page: Page, version: string) => page.locator(`[data-version="${version}"]`);
async function openPromotion(page: Page, version: string, to: string): Promise<void> {
  await versionRow(page, version).getByTestId('promote-open').click();
  const dialog = page.getByRole('dialog', { name: 'Promote…' });
  await dialog.getByLabel('To', { exact: true }).selectOption(to);
  await dialog.getByTestId('gate').waitFor();
}
const posts = (page: Page): string[] => {
  const sent: string[] = [];
  page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
  return sent;
};

describe.skipIf(path === undefined)('letting a version out', () => {
  test('is refused in words before anything is sent, when there is no evidence', async () => {
    const { page, context, troubles } = await openAs('ann', `/agents/${AGENT}`);
    const sent = posts(page);
    await openPromotion(page, '1.0.0', 'active');
    const dialog = page.getByRole('dialog', { name: 'Promote…' });
    await eventually(() => dialog.getByTestId('gate').getAttribute('data-met')).toBe('false');
    await eventually(() => dialog.getByTestId('gate-reason').textContent()).toContain('Run the suite');
    const ask = dialog.getByRole('button', { name: 'Ask 2 people' });
    await eventually(() => ask.isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect([sent, troubles]).toEqual([[], []]);
    await context.close();
  });

  test('takes two people in two browsers: grants are counted live, a no starts a round, and the board and the audit tell of it', async () => {
    const proof = await evaluate('1.0.0');
    const asking = await openAs('ann', `/agents/${AGENT}`);
    await openPromotion(asking.page, '1.0.0', 'active');
    const dialog = asking.page.getByRole('dialog', { name: 'Promote…' });
    await dialog.locator('[data-testid=gate][data-met=true]').waitFor();
    await eventually(() => dialog.getByLabel('Evidence').inputValue()).toBe(proof);
    await eventually(() => dialog.getByLabel('What would serve').textContent()).toContain('1.0.0 100 %');
    await dialog.getByLabel('Reason').fill('fixes refunds');
    await dialog.getByRole('button', { name: 'Ask 2 people' }).click();
    await asking.page.getByTestId('toast').getByRole('link').click();
    await asking.page.locator('.quorum[data-granted="0"]').waitFor();
    const address = new URL(asking.page.url()).pathname;
    // The requester is an approver, and is left out at this gate.
    await eventually(() => asking.page.getByTestId('approval-grant').isDisabled()).toBe(true);

    const [first, second] = await Promise.all([openAs('ben', '/approvals'), openAs('cem', address)]);
    await answerWith(first.page, 'Grant');
    await second.page.locator('.quorum[data-granted="1"]').waitFor();
    await asking.page.locator('.quorum[data-granted="1"]').waitFor();
    await eventually(() => first.page.getByTestId('approval-grant').isDisabled()).toBe(true);
    await first.page.locator('h1:focus').waitFor();

    await answerWith(second.page, 'Reject', 'not on a Friday');
    await asking.page.getByText('cem rejected it, so it is asked again: not on a Friday').waitFor();
    await eventually(() => asking.page.getByTestId('approval-round').count()).toBe(2);
    await first.page.locator('.quorum[data-granted="0"]').waitFor();
    await answerWith(first.page, 'Grant');
    await second.page.locator('.quorum[data-granted="1"]').waitFor();
    await answerWith(second.page, 'Grant');
    await asking.page.locator('[data-testid=approval-state][data-status=completed]').waitFor();
    await second.page.locator('[data-testid=approval-state]:focus').waitFor();
    await first.page.getByTestId('empty').waitFor();

    expect(await recordOf(host, '1.0.0')).toMatchObject({ state: 'active', evalRunId: proof });
    await asking.page.getByRole('link', { name: AGENT }).click();
    await asking.page.locator('[data-version="1.0.0"][data-state=active]').waitFor();
    const stable = asking.page.locator('[data-testid=channel][data-channel=stable]').first();
    await eventually(() => stable.textContent()).toContain('1.0.0 100 %');

    const auditor = await openAs('lead', `/audit?agentId=${AGENT}`);
    await auditor.page.locator('[data-testid=audit-chain][data-valid=true]').waitFor();
    const records = await auditOf(host);
    const grid = auditor.page.getByRole('grid', { name: 'Audit' });
    await eventually(() => grid.getByRole('row').nth(1).getAttribute('data-seq')).toBe(
      String(records.length),
    );
    await grid.getByText('rejected: not on a Friday').waitFor();
    for (const { context, troubles } of [asking, first, second, auditor]) {
      expect(troubles).toEqual([]);
      await context.close();
    }
  });

  test('can be passed over by whoever has the role, with a reason', async () => {
    const proof = await evaluate('2.0.0');
    const asking = await openAs('ann', `/agents/${AGENT}`);
    await openPromotion(asking.page, '2.0.0', 'active');
    const dialog = asking.page.getByRole('dialog', { name: 'Promote…' });
    await dialog.getByLabel('Share, %').fill('20');
    await dialog.getByText('2.0.0 20 %').waitFor();
    await dialog.locator('[data-testid=gate][data-met=true]').waitFor();
    await dialog.getByRole('button', { name: 'Ask 2 people' }).click();
    await asking.page.getByTestId('toast').waitFor();

    const chief = await openAs('chief', '/approvals');
    await chief.page.getByTestId('approval-override').click();
    const overriding = chief.page.getByRole('dialog', { name: 'Override' });
    await eventually(() => overriding.getByRole('button', { name: 'Override' }).isDisabled()).toBe(true);
    await overriding.getByTestId('approval-reason').fill('the outage');
    await overriding.getByRole('button', { name: 'Override' }).click();
    await chief.page.getByTestId('empty').waitFor();
    // The question is gone as soon as it is answered, and the version moves after that.
    await eventually(() => recordOf(host, '2.0.0')).toMatchObject({
      state: 'active',
      evalRunId: proof,
      canaryPercent: 20,
    });

    await asking.page.locator('[data-version="2.0.0"][data-state=active]').waitFor();
    await versionRow(asking.page, '2.0.0').getByTestId('rollback-open').click();
    const back = asking.page.getByRole('dialog', { name: 'Roll back…' });
    await back.getByText('1.0.0 100 %').waitFor();
    await back.getByRole('button', { name: 'Roll back', exact: true }).click();
    await asking.page.locator('[data-version="2.0.0"][data-state=rolled-back]').waitFor();
    await versionRow(asking.page, '1.0.0').getByTestId('pause-open').click();
    await asking.page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click();
    await asking.page.locator('[data-version="1.0.0"][data-state=paused]').waitFor();
    for (const { context, troubles } of [asking, chief]) {
      expect(troubles).toEqual([]);
      await context.close();
    }
  });

  test('is withdrawn by whoever may, and asked for by a title that names where it leads', async () => {
    const evalRunId = await evaluate('3.0.0');
    await stage(host, '3.0.0');
    // A request need not name the next state.
    const { runId } = await move(host, '3.0.0', { evalRunId });
    const approver = await openAs('ben', `/approvals/${runId}`);
    await approver.page
      .getByRole('heading', { level: 1, name: `promote ${AGENT}@3.0.0 to active` })
      .waitFor();
    const denied = approver.page.getByTestId('approval-withdraw');
    await eventually(async () => [await denied.isDisabled(), await denied.getAttribute('title')]).toEqual([
      true,
      'Your key lacks the scope runs:cancel.',
    ]);
    const lead = await openAs('lead', '/');
    await lead.page.locator('.waiting time').waitFor();
    await lead.page.goto(`${host.url}/approvals/${runId}`);
    await lead.page.getByTestId('approval-withdraw').click();
    const dialog = lead.page.getByRole('dialog', { name: 'Withdraw' });
    await dialog.getByTestId('approval-reason').fill('the wrong version');
    await dialog.getByRole('button', { name: 'Withdraw' }).click();
    await lead.page.getByTestId('toast').getByText('Nobody is asked any longer').waitFor();
    await approver.page.locator('[data-testid=approval-state][data-status=cancelled]').waitFor();
    expect(await recordOf(host, '3.0.0')).toMatchObject({ state: 'staged' });
    for (const { context, troubles } of [approver, lead]) {
      expect(troubles).toEqual([]);
      await context.close();
    }
  });

  test('leaves the focus on the page where a question is gone before its answer has come back', async () => {
    const evalRunId = await evaluate('3.0.0');
    const { runId } = await move(host, '3.0.0', { evalRunId });
    const { page, context, troubles } = await openAs('ben', '/approvals');
    const question = page.locator(`[data-testid=approval][data-run="${runId}"]`);
    await question.getByTestId('approval-grant').click();
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route('**/interrupts/**', async (route) => {
      const response = await route.fetch();
      await held;
      await route.fulfill({ response });
    });
    await page.route('**/runs?*status=waiting-approval*', (route) => route.fulfill({ json: { items: [] } }));
    await page.getByRole('dialog', { name: 'Grant' }).getByRole('button', { name: 'Grant' }).click();
    await question.waitFor({ state: 'detached' });
    await page.locator('h1:focus').waitFor();
    letGo();
    await page.unroute('**/runs?*status=waiting-approval*');
    await question.locator('.quorum[data-granted="1"]').waitFor();
    await page.locator('h1:focus').waitFor();
    await host.client().runs.cancel(asId<RunId>(String(runId)), 'it was asked for this test');
    expect(troubles).toEqual([]);
    await context.close();
  });

  test('is answered through a link without a key, once', async () => {
    await evaluate('3.0.0');
    const asking = await openAs('ann', `/agents/${AGENT}`);
    await openPromotion(asking.page, '3.0.0', 'active');
    const dialog = asking.page.getByRole('dialog', { name: 'Promote…' });
    await dialog.locator('[data-testid=gate][data-met=true]').waitFor();
    await dialog.getByRole('button', { name: 'Ask 2 people' }).click();
    await asking.page.getByTestId('toast').getByRole('link').click();
    await asking.page.locator('.quorum').waitFor();
    const maker = await openAs('ben', new URL(asking.page.url()).pathname);
    await maker.page.getByRole('button', { name: 'Make a link' }).click();
    const link = (await maker.page.locator('.command code').textContent()) as string;
    expect(link).toMatch(new RegExp(`^${host.url}/answer#`));

    const holder = await openContext(browser);
    const page = await holder.newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(link);
    await page.getByRole('heading', { name: `promote ${AGENT}@3.0.0 to active` }).waitFor();
    await answerWith(page, 'Grant');
    await page.locator('[data-testid=answered][data-status=waiting-approval]').waitFor();
    await maker.page.getByText('1 of 2 grants').waitFor();
    expect(await page.evaluate('localStorage.length')).toBe(0);
    expect(asked.filter((url) => !url.startsWith(`${host.url}/`))).toEqual([]);
    await page.goto(`${host.url}/answer#nonsense`);
    await page.reload();
    await page.locator('[data-testid=error][data-code=interrupt_not_found]').waitFor();
    for (const { context } of [asking, maker]) await context.close();
    await holder.close();
  });
});

/** The dialog has the name of the button that opens it, and so has the button that confirms. */
async function answerWith(page: Page, name: 'Grant' | 'Reject', reason?: string): Promise<void> {
  await page.getByTestId(`approval-${name.toLowerCase()}`).click();
  const dialog = page.getByRole('dialog', { name });
  if (reason !== undefined) await dialog.getByTestId('approval-reason').fill(reason);
  await dialog.getByRole('button', { name }).click();
  await dialog.waitFor({ state: 'detached' });
}
