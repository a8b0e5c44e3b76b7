import { describe, expect, test } from 'vitest';
import { LOOKS, violationsOf } from './axe.js';
import { eventually } from './browser.js';
import { newPage, openSignedIn, setUpPages } from './page-host.js';

// Goal: every page can be used by everyone. Method: axe looks at it in light, dark and on a narrow screen. The pages of what is there
// are looked at in page-walks.slow.test.ts.

const pages = setUpPages();

describe.skipIf(pages.isSkipped)('axe finds nothing', () => {
  test.each(LOOKS)('on a page of something that is not there, %s', async (_, look) => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, '/runs/run-nope', look);
    await page.getByTestId('error').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await eventually(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await context.close();
  });

  test('where people sign in', async () => {
    const { page, context } = await newPage(pages.browser);
    await page.goto(`${pages.host.url}/sign-in`);
    await page.getByTestId('sign-in-key').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await context.close();
  });
});

describe.skipIf(pages.isSkipped)('going from page to page', () => {
  test('takes the focus along, so that the next key is one for the new page', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, '/runs');
    const isInMain = (): Promise<unknown> => page.evaluate("document.activeElement.closest('main') !== null");
    await page.getByRole('link', { name: 'Suites' }).click();
    await page.locator('[data-suite]').first().waitFor();
    await eventually(() => isInMain()).toBe(true);
    await page.getByRole('grid', { name: 'Suites' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('[data-task]').first().waitFor();
    await eventually(() => isInMain()).toBe(true);
    await context.close();
  });

  test('says what to do about a failure, and offers to try again only what can pass', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, '/runs/run-nope');
    const box = page.getByTestId('error');
    const again = page.getByRole('button', { name: /^Try again/ });
    await box.getByRole('link', { name: 'See all runs' }).click();
    await page.locator('[data-run]').first().waitFor();
    const answer = (status: number, headers = {}, details = {}) =>
      page.route('**/v1/host/touchstone/suites?*', (route) =>
        route.fulfill({ status, headers, json: { error: 'some_code', message: 'Our words.', details } }),
      );
    await answer(403, {}, { scopeRequired: 'runs:read' });
    await page.getByRole('link', { name: 'Suites' }).click();
    await box.getByText('can give you one with the scope runs:read').waitFor();
    expect(await again.count()).toBe(0);
    await page.unrouteAll();
    await answer(429, { 'retry-after': '3600' });
    await page.reload();
    await again.waitFor();
    await eventually(async () => [await again.isDisabled(), await again.textContent()]).toEqual([
      true,
      expect.stringMatching(/^Try again in 3[56]\d\d s$/),
    ]);
    await page.unrouteAll();
    await answer(500, {}, { correlationId: 'c-7' });
    await page.reload();
    await box.getByText('Correlation id c-7.').waitFor();
    await page.unrouteAll();
    await again.click();
    await page.locator('[data-suite]').first().waitFor();
    await context.close();
  });

  test('works again as soon as the host answers again', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, '/runs');
    await page.locator('[data-run]').first().waitFor();
    await page.route('**/v1/**', (route) => route.abort());
    await page.getByRole('link', { name: 'Suites' }).click();
    await page
      .locator('[data-testid=error][data-code=unreachable]')
      .getByText(/last news \d+ s ago/)
      .waitFor();
    await page.unroute('**/v1/**');
    await page.locator('[data-suite]').first().waitFor();
    await page.getByTestId('error').waitFor({ state: 'detached' });
    await context.close();
  });

  test('says at the sign-in that a session has ended, and only then', async () => {
    const { page, context } = await newPage(pages.browser);
    await page.goto(`${pages.host.url}/runs`);
    await page.getByTestId('sign-in-key').waitFor();
    const over = page.getByText('Your session has ended.');
    expect(await over.count()).toBe(0);
    await context.close();
    const signedIn = await openSignedIn(pages.browser, pages.host, '/runs');
    await signedIn.page.locator('[data-run]').first().waitFor();
    await signedIn.context.clearCookies();
    // A poll of the list may have ended the session before the click: then the link is gone, and the notice is there.
    await signedIn.page.evaluate(`document.querySelector('a[href="/suites"]')?.click()`);
    await signedIn.page.getByText('Your session has ended.').waitFor();
    await signedIn.context.close();
  });
});
