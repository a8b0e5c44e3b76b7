import type { RunId } from '@touchstone/protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from './browser.js';
import { golden, openSignedIn, pageSuite, setUpPages } from './page-host.js';

// Goal: a run of 10,000 tasks opens like one of ten. Method: what the browser is sent and what it keeps in the document is counted.

const TASKS = 10_000;
const pages = setUpPages();
let runId: RunId;
beforeAll(async () => {
  if (pages.isSkipped) return;
  const suite = pageSuite(
    Array.from({ length: TASKS }, (_, at) => golden(`task-${at}`)),
    'large',
  );
  await pages.host.client().suites.install(suite as never);
  runId = await pages.host.evaluate(suite.suiteId, '1.8.0');
});

const KB = 1024;
const sumOf = async (sizes: readonly Promise<number>[]): Promise<number> =>
  (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);

describe.skipIf(pages.isSkipped)('a run of 10,000 tasks', () => {
  test('is shown after at most 50 kB of data and 100 kB of script', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, '/settings');
    // What the first page still waits for cannot be read once it is left.
    await page.waitForLoadState('networkidle');
    const sizes: { data: Promise<number>[]; script: Promise<number>[] } = { data: [], script: [] };
    // Data counts as it is read, scripts as they are sent.
    page.on('response', (response) =>
      response.url().includes('/v1/')
        ? sizes.data.push(response.body().then(({ length }) => length))
        : sizes.script.push(
            response
              .request()
              .sizes()
              .then(({ responseBodySize }) => responseBodySize),
          ),
    );
    await page.goto(`${pages.host.url}/runs/${runId}`);
    await page.locator('[data-task]').first().waitFor();
    await page.getByTestId('score').waitFor();
    await page.waitForLoadState('networkidle');
    page.removeAllListeners('response');
    expect(await sumOf(sizes.data)).toBeLessThan(50 * KB);
    expect(await sumOf(sizes.script)).toBeLessThan(100 * KB);
    await context.close();
  });

  test('asks for its first tasks without waiting for what is known of the run, and asks nothing twice', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, '/settings');
    await page.waitForLoadState('networkidle');
    const asked: string[] = [];
    page.on('request', (request) => request.url().includes('/v1/') && asked.push(request.url()));
    const tasksAsked = page.waitForRequest((request) => request.url().includes(`${runId}/tasks?`));
    await page.route(`**/v1/runs/${runId}`, async (route) => {
      await tasksAsked;
      await route.continue();
    });
    await page.goto(`${pages.host.url}/runs/${runId}`);
    await page.locator('[data-task]').first().waitFor();
    await page.waitForLoadState('networkidle');
    expect(asked.filter((url) => url.includes(`${runId}/tasks?`))).toHaveLength(1);
    expect(asked).toEqual([...new Set(asked)]);
    await context.close();
  });

  test('shows its rows before its report, which moves none of them', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, '/settings');
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    for (const part of ['report', 'facets'])
      await page.route(`**/${runId}/${part}*`, (route) => held.then(() => route.continue()));
    await page.goto(`${pages.host.url}/runs/${runId}`);
    const first = page.locator('[data-task]').first();
    const before = await first.boundingBox();
    answer();
    await page.getByTestId('interval').waitFor();
    await page.getByRole('button', { name: /Passed \d/ }).waitFor();
    expect((await first.boundingBox())?.y).toBe(before?.y);
    await context.close();
  });

  test('keeps few rows in the document, and End shows the last task', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, `/runs/${runId}`);
    await page.locator('[data-task]').first().waitFor();
    const grid = page.getByRole('grid', { name: 'Tasks' });
    await eventually(() => grid.getAttribute('aria-rowcount')).toBe(String(TASKS + 1));
    await grid.focus();
    await page.keyboard.press('End');
    await page.locator(`[data-task="task-${TASKS - 1}"].active`).waitFor();
    await eventually(() => page.locator('[data-task]').count()).toBeLessThan(120);
    const indexes = await page
      .locator('[role=rowgroup] [role=row]')
      .evaluateAll((rows) => rows.map((row) => Number(row.getAttribute('aria-rowindex'))));
    expect(indexes).toEqual([...indexes].sort((a, b) => a - b));
    await context.close();
  });

  test('opens at a task far down that the address names', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, `/runs/${runId}?task=task-7777`);
    await page.locator('[data-task="task-7777"].active').waitFor();
    await context.close();
  });
});
