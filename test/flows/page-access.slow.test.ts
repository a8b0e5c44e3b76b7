import { describe, expect, test } from 'vitest';
import { LOOKS, violationsOf } from './axe.js';
import { newPage, openSignedIn, setUpPages } from './page-host.js';

// Goal: every page can be used by everyone. Method: axe looks at each address in light, dark and on a narrow screen.

const pages = setUpPages();

describe.skipIf(pages.isSkipped)('axe finds nothing', () => {
  test.each(LOOKS)('on any page, %s', async (_, look) => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, '/runs', look);
    const addresses: readonly (readonly [string, string])[] = [
      ['/runs', '[data-run]'],
      [`/runs/${pages.host.after}?against=${pages.host.before}`, '[data-task]'],
      [`/runs/${pages.host.after}?task=refund-2`, '[data-testid=task-output]'],
      [`/runs/${pages.host.after}/tasks/refund-2`, '[data-testid=task-output]'],
      [`/compare?runs=${pages.host.before},${pages.host.after}&task=refund-2`, '[data-testid=diff]'],
      ['/settings', 'dl'],
      ['/runs/run-nope', '[data-testid=error]'],
    ];
    for (const [path, sign] of addresses) {
      await page.goto(pages.host.url + path);
      await page.locator(sign).first().waitFor();
      expect([path, await violationsOf(page)]).toEqual([path, []]);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
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
