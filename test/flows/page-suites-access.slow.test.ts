import { describe, expect, test } from 'vitest';
import { LOOKS, violationsOf } from './axe.js';
import { openSignedIn, setUpPages } from './page-host.js';

// Goal: the pages of suites, comparisons and runs can be used by everyone. Method: axe looks at each address that is not among those
// of page-routes.ts, in light, dark and on a narrow screen.

const pages = setUpPages();
const SUITE = '/suites/local.shop.evals.support';

describe.skipIf(pages.isSkipped)('axe finds nothing', () => {
  test.each(LOOKS)('on pages of suites and of several runs, %s', async (_, look) => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, '/', look);
    const compare = `/compare?runs=${pages.host.before},${pages.host.after}`;
    const addresses: readonly (readonly [string, string])[] = [
      ['/', '.verdicts [data-run]'],
      ['/runs?q=support', '[data-run]'],
      ['/runs?kind=deployment', '[data-testid=empty]'],
      [compare, '[data-testid=flip]'],
      [`${compare}&view=all`, '[data-testid=flip]'],
      [`${compare}&view=answers`, '[data-testid=diff]'],
      [`${compare}&view=events`, '.compare .empty button'],
      ['/compare', '[data-testid=empty]'],
      [`${SUITE}?task=refund-2`, '[data-testid=task-input]'],
      [`${SUITE}/history?form=table`, 'table'],
      ['/suites/local.shop.evals.nope', '[data-testid=error]'],
    ];
    for (const [path, sign] of addresses) {
      await page.goto(pages.host.url + path);
      await page.locator(sign).first().waitFor();
      expect([path, await violationsOf(page)]).toEqual([path, []]);
      expect([path, await page.evaluate('document.documentElement.scrollWidth <= innerWidth')]).toEqual([
        path,
        true,
      ]);
    }
    await context.close();
  });
});
