import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { violationsOf } from './axe.js';
import { eventually } from './browser.js';
import { golden, HOSTILE, newPage, openSignedIn, pageSuite, setUpPages } from './page-host.js';
import { KEY, OTHER_KEY } from './processes.js';

// Goal: people can look at runs in a pages.browser, and the browser gives nothing away. Method: a real host with two runs, looked at in a
// real browser; what the page shows is held against the API.

const pages = setUpPages();

const rows = (page: Page) => page.locator('[data-task]');
const tasksOf = (page: Page): Promise<(string | null)[]> =>
  rows(page).evaluateAll((found) => found.map((row) => row.getAttribute('data-task')));
const runPath = () => `/runs/${pages.host.after}`;

describe.skipIf(pages.isSkipped)('signing in', () => {
  test('takes a key, and stays across a reload and a new tab', async () => {
    const { page, context, troubles } = await openSignedIn(pages.browser, pages.host, '/runs');
    await page.locator('[data-run]').first().waitFor();
    await page.reload();
    await page.locator('[data-run]').first().waitFor();
    const other = await context.newPage();
    await other.goto(`${pages.host.url}/runs`);
    await other.locator('[data-run]').first().waitFor();
    expect(troubles).toEqual([]);
    await context.close();
  });

  test('keeps the key nowhere in the browser', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, '/runs');
    const stored = await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })');
    expect(`${stored}${JSON.stringify(await context.cookies())}`).not.toContain(KEY);
    expect((await context.cookies())[0]).toMatchObject({
      name: 'touchstone',
      httpOnly: true,
      sameSite: 'Strict',
    });
    await context.close();
  });

  test('refuses a wrong key in words, and leads back to the address that was asked for', async () => {
    const { page, context } = await newPage(pages.browser);
    await page.goto(`${pages.host.url}${runPath()}?outcome=failed`);
    await page.getByTestId('sign-in-key').fill('wrong');
    await page.getByTestId('sign-in-submit').click();
    await page.getByTestId('error').waitFor();
    await eventually(() => page.getByTestId('error').getAttribute('data-code')).toBe('unauthenticated');
    await page.getByTestId('sign-in-key').fill(KEY);
    await page.keyboard.press('Enter');
    await rows(page).first().waitFor();
    await eventually(() => new URL(page.url()).search).toBe('?outcome=failed');
    await context.close();
  });
});

describe.skipIf(pages.isSkipped)('the page of a run', () => {
  test('shows what the API says, asks no other origin, and logs nothing', async () => {
    const { page, context, requests, troubles } = await openSignedIn(pages.browser, pages.host, runPath());
    await rows(page).first().waitFor();
    const client = pages.host.client();
    const report = await client.runs.report(pages.host.after);
    const summary = await client.evalSummary(pages.host.after);
    await eventually(() => page.getByTestId('score').getAttribute('data-value')).toBe(
      String(report.aggregate.score),
    );
    const interval = page.getByTestId('interval').first();
    await eventually(() => interval.getAttribute('data-low')).toBe(String(report.aggregate.interval[0]));
    await eventually(() => interval.getAttribute('data-bar')).toBe('0.8');
    await eventually(() => page.getByTestId('verdict').getAttribute('data-verdict')).toBe(
      summary.passed ? 'pass' : 'fail',
    );
    await eventually(() => page.getByTestId('matched').textContent()).toBe(
      `${summary.taskCount} of ${summary.taskCount}`,
    );
    await eventually(() => page.getByRole('grid', { name: 'Tasks' }).getAttribute('aria-rowcount')).toBe(
      String(summary.taskCount + 1),
    );
    expect(requests.filter((url) => !url.startsWith(`${pages.host.url}/`))).toEqual([]);
    expect(troubles).toEqual([]);
    await context.close();
  });

  test('filters and sorts by the address, which shows the same in a new tab, and Back undoes it', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, runPath());
    await rows(page).first().waitFor();
    const before = page.url();
    await page.getByRole('button', { name: /^Failed/ }).click();
    await page.getByText('7 of 37').waitFor();
    await eventually(() => tasksOf(page)).toEqual(
      (await pages.host.client().runs.tasks(pages.host.after, { outcome: 'failed' })).items.map(
        ({ taskId }) => taskId,
      ),
    );
    const byTask = page.getByRole('button', { name: 'Task', exact: true });
    await byTask.click();
    await page
      .getByRole('columnheader', { name: 'Task' })
      .and(page.locator('[aria-sort=ascending]'))
      .waitFor();
    await byTask.click();
    await page.locator('#row-0[data-task="tone-1"]').waitFor();
    const other = await context.newPage();
    await other.goto(page.url());
    await other.locator('#row-0[data-task="tone-1"]').waitFor();
    await eventually(() => other.getByRole('button', { name: /^Failed/ }).getAttribute('aria-pressed')).toBe(
      'true',
    );
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await page.getByText('37 of 37').waitFor();
    await eventually(() => page.url()).toBe(before);
    await context.close();
  });

  test('compares with another run that the address names', async () => {
    const { page, context } = await openSignedIn(
      pages.browser,
      pages.host,
      `${runPath()}?against=${pages.host.before}&change=toFail`,
    );
    await page.getByText('5 of 37').waitFor();
    await eventually(() => rows(page).first().getAttribute('data-change')).toBe('-1');
    await eventually(() => page.getByRole('button', { name: /^Now fails/ }).textContent()).toBe(
      'Now fails 5',
    );
    await context.close();
  });

  test('opens tasks in a panel with the keyboard, moves on, and closes again', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, runPath());
    await rows(page).first().waitFor();
    await page.getByRole('grid', { name: 'Tasks' }).focus();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Task order-2' }).waitFor();
    await eventually(() => page.getByTestId('task-output').textContent()).toBe('order-2');
    await page.keyboard.press('j');
    await page.getByRole('complementary', { name: 'Task order-3' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('complementary').waitFor({ state: 'detached' });
    const tab = context.waitForEvent('page');
    await page.locator('[data-task="order-3"] .cell-score').click({ modifiers: ['ControlOrMeta'] });
    await (await tab).waitForURL(/tasks\/order-3$/);
    await page.keyboard.press('End');
    await page.locator('[data-task="tone-1"].active').waitFor();
    await context.close();
  });

  test('leads to the comparison with another run of its suite', async () => {
    const { page, context, troubles } = await openSignedIn(pages.browser, pages.host, runPath());
    await page.getByText('bar 0.80').waitFor();
    await page.getByRole('button', { name: 'Compare…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Compare…' });
    const before = dialog.locator(`[data-run="${pages.host.before}"]`);
    await before.getByText('baseline').waitFor();
    await eventually(() => dialog.locator('[data-run]').count()).toBe(1);
    expect(await violationsOf(page)).toEqual([]);
    await before.getByRole('checkbox').uncheck();
    await dialog.getByText('Choose a run.').waitFor();
    await eventually(() => dialog.getByRole('button', { name: 'Compare', exact: true }).isDisabled()).toBe(
      true,
    );
    await before.getByRole('checkbox').check();
    await dialog.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByTestId('compare-verdict').waitFor();
    await eventually(() => new URL(page.url()).searchParams.get('runs')).toBe(
      `${pages.host.before},${pages.host.after}`,
    );
    expect(troubles).toEqual([]);
    await context.close();
  });

  test('is filtered by fields that a menu names, and says so where no task is left', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, `${runPath()}?outcome=failed`);
    const add = page.getByRole('button', { name: 'Add a filter' });
    const form = page.getByRole('dialog', { name: 'Add a filter' });
    await rows(page).first().waitFor();
    await add.click();
    await form.getByLabel('Filter by').selectOption('Slice');
    await form.getByLabel('Value').selectOption('refund');
    expect(await violationsOf(page)).toEqual([]);
    await form.getByRole('button', { name: 'Add' }).click();
    await page.getByText('6 of 37').waitFor();
    await eventually(() => new URL(page.url()).search).toBe('?outcome=failed&slice=refund');
    await add.click();
    await form.getByLabel('Filter by').selectOption('Score at least');
    await form.getByLabel('Value').fill('0.5');
    await page.keyboard.press('Enter');
    await page.getByText('0 of 37').waitFor();
    await page.getByTestId('empty').waitFor();
    await page.locator('.figure').getByText('no task fits these filters').waitFor();
    await page.getByRole('button', { name: 'Remove the filter score ≥ 0.5' }).click();
    await page.getByText('6 of 37').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Show all tasks' }).click();
    await page.getByText('37 of 37').waitFor();
    await context.close();
  });

  test('moves nothing under the pointer when the report comes after the tasks', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, '/');
    let tell = (): void => undefined;
    const told = new Promise<void>((resolve) => {
      tell = resolve;
    });
    await page.route(/\/(report|facets)(\?|$)/, async (route) => {
      await told;
      await route.continue();
    });
    await page.goto(pages.host.url + runPath());
    await rows(page).first().waitFor();
    const before = await rows(page).first().boundingBox();
    tell();
    await page.getByText('chance alone could have decided').waitFor();
    await page.getByRole('group', { name: 'Time' }).waitFor();
    expect(await rows(page).first().boundingBox()).toEqual(before);
    await context.close();
  });

  test('has its columns where they were put, after a reload too', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, runPath());
    const heads = (): Promise<readonly string[]> => page.getByRole('columnheader').allTextContents();
    const head = (name: string) => page.getByRole('columnheader', { name });
    await rows(page).first().waitFor();
    await eventually(() => heads()).toEqual(['Outcome', 'Task', 'Score', 'Time', 'Last 8', 'Why']);
    await head('Why').dragTo(head('Score'));
    await page.locator('[role=columnheader]:nth-child(3)', { hasText: 'Why' }).waitFor();
    await page.getByRole('button', { name: 'Columns' }).focus();
    await page.keyboard.press('Enter');
    const menu = page.getByRole('dialog', { name: 'Columns' });
    await menu.getByRole('button', { name: 'Move Time to the left' }).focus();
    await page.keyboard.press('Enter');
    await menu.getByRole('checkbox', { name: 'Last 8' }).focus();
    await page.keyboard.press('Space');
    await eventually(() => menu.getByRole('checkbox', { name: 'Task' }).isDisabled()).toBe(true);
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    await eventually(() => heads()).toEqual(['Outcome', 'Task', 'Why', 'Time', 'Score']);
    await page.reload();
    await rows(page).first().waitFor();
    await eventually(() => heads()).toEqual(['Outcome', 'Task', 'Why', 'Time', 'Score']);
    await page.getByRole('button', { name: 'Columns' }).click();
    await menu.getByRole('button', { name: 'As usual' }).click();
    await head('Last 8').waitFor();
    await eventually(() => heads()).toEqual(['Outcome', 'Task', 'Score', 'Time', 'Last 8', 'Why']);
    await context.close();
  });

  test('keeps the change in sight beside an open task, and drops it in no other list', async () => {
    const { page, context } = await openSignedIn(
      pages.browser,
      pages.host,
      `${runPath()}?against=${pages.host.before}&task=refund-2`,
    );
    await page.setViewportSize({ width: 1100, height: 800 });
    await page.getByRole('complementary', { name: 'Task refund-2' }).waitFor();
    await page.getByRole('columnheader', { name: 'Change' }).waitFor();
    await page.getByRole('columnheader', { name: 'Time' }).waitFor({ state: 'detached' });
    await context.close();
  });

  test('offers no review where nothing failed, and says why', async () => {
    const suite = pageSuite([golden('order-1')], 'fine');
    await pages.host.client().suites.install(suite as never);
    const fine = await pages.host.evaluate(suite.suiteId, '1.8.0');
    const { page, context } = await openSignedIn(pages.browser, pages.host, `/runs/${fine}`);
    const review = page.getByRole('button', { name: 'Review failures' });
    await review.waitFor();
    await eventually(() => review.isDisabled()).toBe(true);
    await eventually(() => review.getAttribute('title')).toBe('No task of this run failed.');
    await page.goto(pages.host.url + runPath());
    await page.getByRole('link', { name: 'Review failures' }).click();
    await page.getByTestId('review-item').waitFor();
    await context.close();
  });

  test('leads with Ctrl+K to tasks, suites and actions by their names', async () => {
    const { page, context, troubles } = await openSignedIn(pages.browser, pages.host, runPath());
    const dialog = page.getByRole('dialog', { name: 'Go to' });
    await page.getByRole('link', { name: 'Review failures' }).waitFor();
    await page.getByRole('searchbox', { name: 'Find tasks by id' }).focus();
    await page.keyboard.press('Control+k');
    await dialog.getByRole('button', { name: 'Compare…' }).waitFor();
    await page.keyboard.type('refund-12');
    await dialog.getByRole('link', { name: 'refund-12' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'refund-12', exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('evals.SUPPORT');
    await dialog.getByRole('link', { name: /^suite/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await dialog.locator('.goal').first().and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Go to' }).click();
    await page.keyboard.type('no such thing');
    await dialog.getByText('Nothing has this in its name.').waitFor();
    expect(troubles).toEqual([]);
    await context.close();
  });

  test('shows how a document differs from what was expected, by path or word by word', async () => {
    const task = {
      taskId: 'day',
      input: { q: { day: 'Monday', at: 9 } },
      expected: { kind: 'golden', match: { strategy: 'exact', value: { day: 'Friday', at: 9 } } },
    };
    const suite = pageSuite([task], 'documents');
    await pages.host.client().suites.install(suite as never);
    const runId = await pages.host.evaluate(suite.suiteId, '1.8.0');
    const { page, context } = await openSignedIn(pages.browser, pages.host, `/runs/${runId}/tasks/day`);
    await page.getByRole('button', { name: 'Difference' }).click();
    await page.locator('[data-testid=diff][data-kind=json]').waitFor();
    await eventually(() => page.locator('.diff dt').allTextContents()).toEqual(['/day']);
    await page.getByRole('button', { name: 'Text', exact: true }).click();
    await page.locator('[data-testid=diff][data-kind=text]').waitFor();
    await eventually(() => page.locator('.diff ins').textContent()).toContain('Monday');
    await context.close();
  });

  test('takes no answer for markup', async () => {
    const { page, context, troubles } = await openSignedIn(
      pages.browser,
      pages.host,
      `${runPath()}/tasks/tone-1`,
    );
    await page.getByTestId('task-output').waitFor();
    await eventually(() => page.getByTestId('task-output').textContent()).toBe(
      HOSTILE.replace('\u202e', '⟨U+202E⟩'),
    );
    expect(await page.evaluate('globalThis.taken')).toBeUndefined();
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(troubles).toEqual([]);
    await context.close();
  });

  test('of another tenant looks like nothing', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, runPath(), { key: OTHER_KEY });
    await page.getByTestId('error').waitFor();
    await eventually(() => page.getByTestId('error').getAttribute('data-code')).toBe('not_found');
    await page.goto(`${pages.host.url}/runs`);
    await page.getByTestId('empty').waitFor();
    await context.close();
  });
});
