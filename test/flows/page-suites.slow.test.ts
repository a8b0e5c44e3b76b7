import { describe, expect, test } from 'vitest';
import { eventually } from './browser.js';
import { openSignedIn, setUpPages } from './page-host.js';

// Goal: what a suite asks and how its runs went is found without the command line. Method: a walk through the pages, held
// against the host's own answers.

const pages = setUpPages();
const SUITE = 'local.shop.evals.support';

describe.skipIf(pages.isSkipped)('the pages of suites', () => {
  test('lead from all suites to one, to its tasks, to its history and to its matrix', async () => {
    const { page, context, troubles } = await openSignedIn(pages.browser, pages.host, '/suites');
    await page.getByRole('grid', { name: 'Suites' }).locator(`[data-suite="${SUITE}@1.0.0"]`).click();
    await page.getByRole('heading', { name: `${SUITE}@1.0.0` }).waitFor();
    // Tasks: found by id, and opened with their content.
    await page.getByRole('searchbox', { name: 'Find tasks by id' }).fill('refund-1');
    await page.getByTestId('matched').getByText('4 of 37').waitFor();
    await page.locator('[data-task="refund-12"]').click();
    await page.getByRole('complementary', { name: 'Task refund-12' }).waitFor();
    await eventually(() => page.getByTestId('task-input').textContent()).toContain('"refund-12"');
    await eventually(() => page.getByTestId('task-expected').textContent()).toContain('exact');
    // History: a point for each run, readable, and the same as a table.
    await page.getByRole('link', { name: 'History' }).click();
    const point = page.locator(`.history-point[data-run="${pages.host.after}"]`);
    await point.focus();
    await page.locator('figcaption').getByText('local.shop.support@1.8.0').waitFor();
    const { points } = await pages.host.client().suites.history(`${SUITE}@1.0.0`);
    await eventually(() => page.locator('.history-point').count()).toBe(points.length);
    // On a narrow screen, too, the heights say what they mean.
    await page.setViewportSize({ width: 390, height: 844 });
    const box = await page.locator('.history-axis text').first().boundingBox();
    expect(box?.x).toBeGreaterThan(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThan(390);
    expect(box?.height).toBeGreaterThan(10);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('button', { name: 'As a table' }).click();
    await page.locator('table tbody tr').first().waitFor();
    await eventually(() => page.locator('table tbody tr').first().getAttribute('data-run')).toBe(
      pages.host.after,
    );
    // Matrix: tasks that changed sides first; a row leads to the task of the newest run.
    await page.getByRole('link', { name: 'Matrix' }).click();
    const cell = page.locator(`[data-task="refund-2"] [data-run="${pages.host.after}"]`);
    await cell.waitFor();
    await eventually(() => cell.getAttribute('data-outcome')).toBe('failed');
    await page.getByRole('button', { name: 'Flips', exact: true }).click();
    await page.waitForURL(/only=flips/);
    const { before, after } = pages.host;
    const flips = await pages.host.client().matrix({ runs: [before, after], only: 'flips' });
    // Until the answer is there, rows are about to move.
    await eventually(() => page.locator('main [data-task]').count()).toBe(flips.items.length);
    await page.locator('[data-task="refund-2"]').click();
    await page.waitForURL(`**/runs/${pages.host.after}/tasks/refund-2`);
    expect(troubles).toEqual([]);
    await context.close();
  });

  test('show the row of the task that the address names, also when the window gets lower', async () => {
    const path = `/suites/${SUITE}?task=tone-1`;
    const { page, context } = await openSignedIn(pages.browser, pages.host, path);
    const row = page.locator('[data-task="tone-1"][aria-selected=true]');
    await row.waitFor();
    await page.setViewportSize({ width: 1440, height: 600 });
    const isInSight = (): Promise<unknown> =>
      page.evaluate(`(() => {
        const bottomOf = (selector) => document.querySelector(selector).getBoundingClientRect().bottom;
        const room = bottomOf('[role=grid]');
        return room <= innerHeight && bottomOf('[data-task="tone-1"]') <= room + 1;
      })()`);
    await expect.poll(isInSight, { timeout: 60_000 }).toBe(true);
    await context.close();
  });

  test('say the same about a suite that is another tenant’s or nobody’s', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, '/suites/local.shop.evals.nope');
    await page.getByTestId('error').getByText('There is nothing here, or it is not yours.').waitFor();
    await context.close();
  });
});

describe.skipIf(pages.isSkipped)('the list of runs', () => {
  test('is filtered by the address, which a new tab shows alike and Back undoes', async () => {
    const { page, context, troubles } = await openSignedIn(pages.browser, pages.host, '/runs');
    const rows = page.getByRole('grid', { name: 'Runs' }).locator('[data-run]');
    await rows.nth(1).waitFor();
    await page.getByRole('button', { name: 'Fail' }).click();
    await page.getByTestId('empty').waitFor();
    await page.goBack();
    await page.locator(`[data-run="${pages.host.after}"]`).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('support@1.7.2');
    await page.locator(`[data-run="${pages.host.after}"]`).waitFor({ state: 'detached' });
    const again = await context.newPage();
    await again.goto(page.url());
    await again.locator(`[data-run="${pages.host.before}"]`).waitFor();
    expect(await again.locator(`[data-run="${pages.host.after}"]`).count()).toBe(0);
    await again.close();
    // Marked and compared without a mouse.
    await page.goto(`${pages.host.url}/runs`);
    await rows.nth(1).waitFor();
    await page.getByRole('grid', { name: 'Runs' }).focus();
    for (const key of ['c', 'j', 'c', 'C']) await page.keyboard.press(key);
    await page.waitForURL(/compare\?runs=/);
    await page.goto(`${pages.host.url}/runs?verdict=good&kind=eval`);
    await page.getByText('left out: verdict').waitFor();
    expect(troubles).toEqual([]);
    await context.close();
  });

  test('asks again while it is looked at, and is told when nothing has changed', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, '/runs');
    const isList = (url: string) => /touchstone\/runs\?/.test(url);
    await page.locator('[data-run]').first().waitFor();
    await page.clock.install();
    await page.reload();
    await page.locator('[data-run]').first().waitFor();
    const again = page.waitForRequest((request) => isList(request.url()));
    await page.clock.runFor(5_000);
    expect(await (await again).allHeaders()).toHaveProperty('if-none-match');
    const third = await pages.host.evaluate(SUITE, '1.7.2');
    await page.clock.runFor(5_000);
    await page.locator(`[data-run="${third}"]`).waitFor();
    await context.close();
  });
});

describe.skipIf(pages.isSkipped)('today', () => {
  test('shows what waits, what runs, and the newest verdict of each suite and agent', async () => {
    const { page, context, troubles } = await openSignedIn(pages.browser, pages.host, '/');
    const { review } = await pages.host.client().counts();
    await page.getByText(`${review} tasks to review`).waitFor();
    const newest = (await pages.host.client().runs.list({ suiteId: SUITE, limit: 1 })).items[0];
    await page.locator(`.verdicts [data-run="${newest?.runId}"]`).waitFor();
    await eventually(() => page.locator('.verdicts li').count()).toBe(1);
    expect(await page.title()).toBe('Today · Touchstone');
    expect(troubles).toEqual([]);
    await context.close();
  });
});
