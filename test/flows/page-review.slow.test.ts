import { writeReviewLabel } from '@touchstone/protocol';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LOOKS, violationsOf } from './axe.js';
import { eventually, findBrowser, openBrowser } from './browser.js';
import { openSignedIn } from './page-host.js';
import { openReviewHost, type ReviewHost } from './review-host.js';
import { RUNNER_KEY } from './whole-host.js';

// Goal: everyone can review answers and read about judges. Method: a walk with a key that may less, and axe on each address, with and
// without its parts open.

const path = findBrowser();
let host: ReviewHost;
let browser: Browser;
beforeAll(async () => {
  if (path === undefined) return;
  [host, browser] = await Promise.all([openReviewHost(), openBrowser(path)]);
  const { items } = await host.client().review.list({ source: 'sample', n: 3 });
  for (const { runId, answers, criteria } of items) {
    const label = writeReviewLabel({ verdict: 'unmet', criterion: criteria[0]?.id as never, seen: false });
    await host
      .client()
      .runs.annotate(runId, { signal: { kind: 'label', label }, target: { eventId: answers[0] as string } });
  }
});
afterAll(async () => {
  await browser?.close();
  await host?.close();
});

describe.skipIf(path === undefined)('review', () => {
  test('is about the repeat that is shown, and offers no override to a key that may not', async () => {
    const runId = await host.evaluate(2);
    const { page, context } = await openSignedIn(browser, host, `/review?source=failures&runId=${runId}`, {
      key: RUNNER_KEY,
    });
    await page.getByRole('tab', { name: 'Answer 2' }).click();
    for (const key of ['o', 'm', 'u']) await page.keyboard.press(key);
    const override = page.getByTestId('override-open');
    await eventually(async () => [await override.isDisabled(), await override.getAttribute('title')]).toEqual(
      [true, 'Your key lacks the scope evals:override.'],
    );
    const taskId = await page.getByTestId('review-item').getAttribute('data-task');
    await page.getByRole('button', { name: /^Save and next/ }).click();
    await page.locator(`[data-testid=review-item]:not([data-task="${taskId}"])`).waitFor();
    const { items } = await host.client().review.list({ source: 'failures', runId });
    const item = items.find((one) => one.taskId === taskId);
    const remarks = await host.client().runs.annotations(runId);
    expect(remarks.map(({ target }) => target.eventId)).toEqual([item?.answers[1], item?.answers[1]]);
    await context.close();
  });
});

describe.skipIf(path === undefined)('axe finds nothing', () => {
  test.each(LOOKS)('where people decide, and where judges are held against them, %s', async (_, look) => {
    const { page, context } = await openSignedIn(browser, host, '/judges', look);
    await page.getByTestId('confusion').waitFor();
    const [judge] = (await host.client().review.agreement()).judges;
    const addresses: readonly (readonly [string, string, readonly string[]])[] = [
      ['/review?source=failures', '[data-testid=task-output]', ['m', 'x']],
      ['/review?source=failures', '[data-testid=task-output]', ['v', 'o']],
      [`/review?source=sample&n=2&runId=${host.runId}`, '[data-testid=review-done]', []],
      ['/review?source=unscored', '[data-testid=empty]', []],
      ['/review?source=nonsense&runId=run-nope', '[data-testid=error]', []],
      ['/judges', '[data-testid=confusion]', ['?']],
      [`/judges/${encodeURIComponent(judge?.digest ?? '')}`, '[data-testid=disagreement]', []],
      ['/judges/sha256:nope', '[data-testid=empty]', []],
      ['/settings', 'dl', []],
    ];
    for (const [address, sign, keys] of addresses) {
      await page.goto(host.url + address);
      await page.locator(sign).first().waitFor();
      for (const key of keys) await page.keyboard.press(key);
      expect([address, await violationsOf(page)]).toEqual([address, []]);
      await eventually(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
    await context.close();
  });
});
