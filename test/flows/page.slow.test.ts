import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { HOSTILE, newPage, openSignedIn, setUpPages } from './page-host.js';
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
    expect(await page.getByTestId('error').getAttribute('data-code')).toBe('unauthenticated');
    await page.getByTestId('sign-in-key').fill(KEY);
    await page.keyboard.press('Enter');
    await rows(page).first().waitFor();
    expect(new URL(page.url()).search).toBe('?outcome=failed');
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
    expect(await page.getByTestId('score').getAttribute('data-value')).toBe(String(report.aggregate.score));
    const interval = page.getByTestId('interval').first();
    expect(await interval.getAttribute('data-low')).toBe(String(report.aggregate.interval[0]));
    expect(await interval.getAttribute('data-bar')).toBe('0.8');
    expect(await page.getByTestId('verdict').getAttribute('data-verdict')).toBe(
      summary.passed ? 'pass' : 'fail',
    );
    expect(await page.getByTestId('matched').textContent()).toBe(
      `${summary.taskCount} of ${summary.taskCount}`,
    );
    expect(await page.getByRole('grid', { name: 'Tasks' }).getAttribute('aria-rowcount')).toBe(
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
    expect(await tasksOf(page)).toEqual(
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
    expect(await other.getByRole('button', { name: /^Failed/ }).getAttribute('aria-pressed')).toBe('true');
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await page.getByText('37 of 37').waitFor();
    expect(page.url()).toBe(before);
    await context.close();
  });

  test('compares with another run that the address names', async () => {
    const { page, context } = await openSignedIn(
      pages.browser,
      pages.host,
      `${runPath()}?against=${pages.host.before}&change=toFail`,
    );
    await page.getByText('5 of 37').waitFor();
    expect(await rows(page).first().getAttribute('data-change')).toBe('-1');
    expect(await page.getByRole('button', { name: /^Now fails/ }).textContent()).toBe('Now fails 5');
    await context.close();
  });

  test('opens tasks in a panel with the keyboard, moves on, and closes again', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, runPath());
    await rows(page).first().waitFor();
    await page.getByRole('grid', { name: 'Tasks' }).focus();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Task order-2' }).waitFor();
    expect(await page.getByTestId('task-output').textContent()).toBe('order-2');
    await page.keyboard.press('j');
    await page.getByRole('complementary', { name: 'Task order-3' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('complementary').waitFor({ state: 'detached' });
    await page.keyboard.press('End');
    await page.locator('[data-task="tone-1"].active').waitFor();
    await context.close();
  });

  test('takes no answer for markup', async () => {
    const { page, context, troubles } = await openSignedIn(
      pages.browser,
      pages.host,
      `${runPath()}/tasks/tone-1`,
    );
    await page.getByTestId('task-output').waitFor();
    expect(await page.getByTestId('task-output').textContent()).toBe(HOSTILE.replace('\u202e', '⟨U+202E⟩'));
    expect(await page.evaluate('globalThis.taken')).toBeUndefined();
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(troubles).toEqual([]);
    await context.close();
  });

  test('of another tenant looks like nothing', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, runPath(), { key: OTHER_KEY });
    await page.getByTestId('error').waitFor();
    expect(await page.getByTestId('error').getAttribute('data-code')).toBe('not_found');
    await page.goto(`${pages.host.url}/runs`);
    await page.getByTestId('empty').waitFor();
    await context.close();
  });
});
