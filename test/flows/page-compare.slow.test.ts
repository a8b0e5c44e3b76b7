import { describe, expect, test } from 'vitest';
import { eventually } from './browser.js';
import { golden, openSignedIn, pageSuite, setUpPages } from './page-host.js';

// Goal: what got better and what got worse is seen at once, with the host's own verdict. Method: the page is held against
// `report?against`.

const pages = setUpPages();

describe.skipIf(pages.isSkipped)('the comparison of two runs', () => {
  test('says what the report says, flips first and the largest drop before others', async () => {
    const { page, context, troubles } = await openSignedIn(
      pages.browser,
      pages.host,
      `/compare?runs=${pages.host.before},${pages.host.after}`,
    );
    const { regression } = await pages.host
      .client()
      .runs.report(pages.host.after, { against: pages.host.before });
    const verdict = page.getByTestId('compare-verdict');
    await verdict.waitFor();
    await eventually(() => verdict.getAttribute('data-verdict')).toBe(regression?.verdict);
    await eventually(() => verdict.getAttribute('data-p')).toBe(String(regression?.pValue));
    await page.getByTestId('flip').first().waitFor();
    const flips = await page
      .getByTestId('flip')
      .evaluateAll((rows) =>
        rows.map((row) => [row.getAttribute('data-task'), row.getAttribute('data-flip')]),
      );
    expect(flips).toEqual([
      ...(regression?.toFail ?? []).map((taskId) => [taskId, 'toFail']),
      ...(regression?.toPass ?? []).map((taskId) => [taskId, 'toPass']),
    ]);
    expect(troubles).toEqual([]);
    await context.close();
  });

  test('shows how the answer to a task changed, as text', async () => {
    const { page, context } = await openSignedIn(
      pages.browser,
      pages.host,
      `/compare?runs=${pages.host.before},${pages.host.after}`,
    );
    await page.getByTestId('flip').first().click();
    await page.getByTestId('diff').waitFor();
    await eventually(() => page.locator('.diff ins').textContent()).toBe('no, ');
    await context.close();
  });

  test('changes its signs when the runs change places', async () => {
    const { page, context } = await openSignedIn(
      pages.browser,
      pages.host,
      `/compare?runs=${pages.host.before},${pages.host.after}`,
    );
    await page.getByTestId('flip').first().waitFor();
    await page.getByRole('link', { name: 'Swap' }).click();
    await page.locator('[data-task="refund-2"][data-change="1"]').waitFor();
    await context.close();
  });

  test('moves a run by its column, shows where scores changed, and says what it did not understand', async () => {
    const { before, after } = pages.host;
    const { page, context } = await openSignedIn(
      pages.browser,
      pages.host,
      `/compare?runs=${before},${after}&view=matrix&only=nonsense`,
    );
    await page.getByText('left out: only.').waitFor();
    const head = (name: string) => page.getByRole('columnheader', { name });
    await head('1.8.0').dragTo(head('1.7.2'));
    await page.waitForURL(new RegExp(`runs=${after}(%2C|,)${before}`));
    await page.goto(`${pages.host.url}/compare?runs=${before},${after}`);
    await page.getByTestId('compare-verdict').waitFor();
    await eventually(() => page.getByTestId('smallest-drop').textContent()).toMatch(/^can show/);
    await page.getByRole('list', { name: 'Slices' }).getByRole('link', { name: 'order' }).click();
    await page.locator('[data-task="order-3"]').waitFor();
    await eventually(() => page.getByTestId('flip').count()).toBe(1);
    await page.getByRole('button', { name: 'Remove the filter slice order' }).click();
    await page.locator('[data-task="refund-2"]').waitFor();
    await context.close();
  });

  test('lists a run of another suite without a verdict, with the reason and a way out', async () => {
    const suite = pageSuite([golden('order-1')], 'other');
    await pages.host.client().suites.install(suite as never);
    const other = await pages.host.evaluate(suite.suiteId, '1.8.0');
    const { page, context } = await openSignedIn(
      pages.browser,
      pages.host,
      `/compare?runs=${other},${pages.host.after}`,
    );
    await page.getByTestId('error').getByText('Only runs of the very same suite').waitFor();
    expect(await page.getByTestId('compare-verdict').count()).toBe(0);
    await page.getByRole('link', { name: 'Compare the tasks that both have' }).click();
    await page.getByTestId('compare-verdict').waitFor();
    await context.close();
  });

  test('shows several runs: their verdicts, a matrix, answers side by side, and events on demand', async () => {
    const { before, after, evaluate } = pages.host;
    const third = await evaluate('local.shop.evals.support', '1.7.2');
    const { page, context, troubles } = await openSignedIn(
      pages.browser,
      pages.host,
      `/compare?runs=${before},${after},${third}`,
    );
    await page.getByTestId('compare-verdict').nth(1).waitFor();
    // One column a run, one cell a task, as the host has it.
    await page.getByRole('link', { name: 'Matrix' }).click();
    await page.getByTestId('cell').first().waitFor();
    const matrix = await pages.host.client().matrix({ runs: [before, after, third], only: 'differ' });
    for (const { taskId, cells } of matrix.items) {
      const shown = await page
        .locator(`[data-task="${taskId}"] [data-testid=cell]`)
        .evaluateAll((marks) => marks.map((mark) => mark.getAttribute('data-outcome')?.charAt(0)));
      expect([taskId, shown]).toEqual([taskId, cells.map(([, letter]) => letter)]);
    }
    // A row leads to the answers; brackets to the next task that differs, and back.
    await page.locator('[data-task="refund-2"]').click();
    const answers = page.getByRole('region', { name: 'Task refund-2' });
    await answers.getByTestId('diff').first().waitFor();
    await eventually(() => answers.locator('article').count()).toBe(3);
    await page.keyboard.press(']');
    await page.getByRole('region', { name: 'Task refund-3' }).waitFor();
    await page.keyboard.press('[');
    await answers.getByTestId('diff').first().waitFor();
    await page.keyboard.press('d');
    await page.getByTestId('diff').first().waitFor({ state: 'detached' });
    // The logs are compared when somebody asks for it.
    await page.getByRole('link', { name: 'Events' }).click();
    await page.getByRole('button', { name: 'Compare the events' }).click();
    await page.getByText('events differ').waitFor();
    await page.locator('.event-differences summary').first().click();
    await page.locator('[data-testid=diff][data-kind=json] dt').first().waitFor();
    // Another run becomes the baseline by its menu.
    await page
      .getByRole('button', { name: /^Move / })
      .nth(1)
      .click();
    await page.getByRole('menuitem', { name: 'Make it the baseline' }).click();
    await page.waitForURL(new RegExp(`runs=${after}(%2C|,)${before}`));
    await page.getByRole('link', { name: 'Flips' }).click();
    await page.locator('[data-task="refund-2"][data-flip="toPass"]').waitFor();
    expect(troubles).toEqual([]);
    await context.close();
  });

  test('is reached by marking runs in their list', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, '/runs');
    await page.locator(`[data-run="${pages.host.before}"] input`).check();
    await page.locator(`[data-run="${pages.host.after}"] input`).check();
    await page.getByRole('link', { name: 'Compare 2' }).click();
    await page.getByTestId('compare-verdict').waitFor();
    await eventually(() => new URL(page.url()).searchParams.get('runs')).toBe(
      `${pages.host.before},${pages.host.after}`,
    );
    await context.close();
  });
});
