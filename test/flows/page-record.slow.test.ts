import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { LOOKS, violationsOf } from './axe.js';
import { eventually } from './browser.js';
import { openSignedIn, setUpPagesOf } from './page-host.js';
import { OTHER_KEY } from './processes.js';
import { CANARY, openRecordHost, RECORD_SUITE } from './record-host.js';
import { RUNNER_KEY } from './whole-host.js';

// Goal: the pages around a run say what the host says, change what they say they change, and can be used by everyone. Method: as in
// page-task.slow.test.ts; these walk further.

const pages = setUpPagesOf(openRecordHost);

const runPath = (rest = '') => `/runs/${pages.host.runId}${rest}`;
const open = (path: string, options = {}) => openSignedIn(pages.browser, pages.host, path, options);

describe.skipIf(pages.isSkipped)('the pages of a run', () => {
  test('show the report as the host has it', async () => {
    const { page, context, troubles } = await open(runPath(`/report?against=${pages.host.before}`));
    const report = await pages.host.client().runs.report(pages.host.runId, { against: pages.host.before });
    await page.getByTestId('score').waitFor();
    await eventually(() => page.getByTestId('score').getAttribute('data-value')).toBe(
      String(report.aggregate.score),
    );
    const power = page.getByRole('table', { name: 'Chance that a drop is found' });
    await page.getByText('As a table').first().click();
    await eventually(() => power.locator('tbody tr').count()).toBe(report.power?.length);
    await eventually(() => page.getByRole('table', { name: 'Criteria' }).locator('tbody tr').count()).toBe(2);
    await page.getByRole('table', { name: 'Criteria' }).getByRole('link').last().click();
    await page.getByRole('button', { name: /^Remove the filter unmet c-/ }).waitFor();
    expect(troubles).toEqual([]);
    await context.close();
  });

  test('show every event by its number, and those of one kind', async () => {
    const { page, context } = await open(runPath('/events'));
    const { revision } = await pages.host.client().runs.tasks(pages.host.runId, { limit: 1 });
    await page.locator('[data-sequence="0"]').waitFor();
    await page.getByRole('grid', { name: 'Events' }).focus();
    await page.keyboard.press('End');
    await page.locator(`[data-sequence="${revision - 1}"][data-type="run.completed"]`).waitFor();
    await page.getByRole('button', { name: 'Tools' }).click();
    await page.getByText('4 events').waitFor();
    await page.locator('[data-type="agent.toolReturned"]').first().click();
    await eventually(() => page.getByTestId('event-payload').textContent()).toContain(CANARY);
    await eventually(() => new URL(page.url()).searchParams.get('types')).toBe(
      'agent.toolCalled,agent.toolReturned',
    );
    await page.getByRole('link', { name: 'About' }).click();
    await page.getByText('paper/judge-1 (mock), 3 votes').waitFor();
    await context.close();
  });

  test('export what is filtered, bless, fork, and say what does not work', async () => {
    const { page, context } = await open(runPath('?outcome=failed'));
    await page.locator('[data-task]').first().waitFor();
    const choose = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    const [file] = await Promise.all([page.waitForEvent('download'), choose('Export as CSV')]);
    const lines = textOf(await file.path())
      .trim()
      .split('\r\n');
    const { matched } = await pages.host.client().runs.tasks(pages.host.runId, { outcome: 'failed' });
    expect(lines).toHaveLength(matched + 1);
    await choose('Bless as baseline…');
    await page.getByRole('button', { name: 'Bless as baseline', exact: true }).click();
    await page.getByTestId('toast').waitFor();
    expect(await pages.host.client().baselines.list()).toMatchObject([
      { runId: pages.host.runId, current: true },
    ]);
    await choose('Fork…');
    await page.getByRole('button', { name: 'Fork', exact: true }).click();
    await page.waitForURL((url) => !url.pathname.includes(pages.host.runId));
    await page.getByTestId('verdict').waitFor();
    await page.goBack();
    await page.getByTestId('verdict').waitFor();
    await choose('Judge again…');
    await page.getByRole('button', { name: 'Judge again', exact: true }).click();
    await page.waitForURL((url) => !url.pathname.includes(pages.host.runId));
    const viewer = await open(runPath(), { key: RUNNER_KEY });
    await viewer.page.getByRole('button', { name: 'More' }).click();
    const bless = viewer.page.getByRole('menuitem', { name: /^Bless/ });
    await eventually(() => bless.getAttribute('aria-disabled')).toBe('true');
    await eventually(() => bless.textContent()).toContain('baselines:write');
    await viewer.page.keyboard.press('Escape');
    await bless.waitFor({ state: 'detached' });
    await viewer.context.close();
    await context.close();
  });
  test('cancel a run that goes on, after a question, and show that it has ended', async () => {
    const body = { mode: 'eval', evalSuiteRef: RECORD_SUITE.suiteId, agentId: 'local.shop.silent' } as const;
    const { runId } = await pages.host.client().runs.create(body);
    const { page, context } = await open(`/runs/${runId}`);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Pause…' }).waitFor();
    await page.getByRole('menuitem', { name: 'Cancel…' }).click();
    await page.getByRole('button', { name: 'Cancel the run', exact: true }).click();
    await page.getByTestId('verdict').getByText('Cancelled').waitFor();
    expect((await pages.host.client().runs.get(runId)).status).toBe('cancelled');
    await context.close();
  });

  test('of another tenant looks like nothing', async () => {
    const { page, context } = await open(runPath('/report'), { key: OTHER_KEY });
    for (const rest of ['/report', '/events', '/about', '/tasks/refund-1']) {
      await page.goto(pages.host.url + runPath(rest));
      await page.getByTestId('error').first().waitFor();
      await eventually(() => page.getByTestId('error').first().getAttribute('data-code')).toBe('not_found');
    }
    await context.close();
  });
});

const textOf = (path: string): string => readFileSync(path, 'utf8');

describe.skipIf(pages.isSkipped)('axe finds nothing', () => {
  test.each(LOOKS)('on the pages of runs and tasks, %s', async (_, look) => {
    const { page, context } = await open(runPath('/about'), look);
    const addresses: readonly (readonly [string, string])[] = [
      ['/about', 'dl'],
      [`/report?against=${pages.host.before}`, '[data-testid=score]'],
      ['/events', '[data-sequence]'],
      ['?view=reading', '.cell-output'],
      ['?task=refund-1', '[data-testid=span]'],
      ['/tasks/refund-1', '[data-testid=span]'],
    ];
    for (const [path, sign] of addresses) {
      await page.goto(pages.host.url + runPath(path));
      await page.locator(sign).first().waitFor();
      expect([path, await violationsOf(page)]).toEqual([path, []]);
      const width = await page.evaluate('document.documentElement.scrollWidth <= innerWidth');
      expect([path, width]).toEqual([path, true]);
    }
    await page.getByTestId('span').nth(1).click();
    await page.getByTestId('override-open').click();
    await page.getByRole('dialog').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await context.close();
  });
});
