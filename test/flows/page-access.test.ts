import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, openBrowser } from './browser.js';
import { newPage, openPageHost, openSignedIn, type PageHost } from './page-host.js';

// Goal: every page can be used by everyone. Method: axe looks at each address in light, dark and on a narrow screen.

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const browserPath = findBrowser();
let host: PageHost;
let browser: Browser;
beforeAll(async () => {
  if (browserPath === undefined) return;
  [host, browser] = await Promise.all([openPageHost(), openBrowser(browserPath)]);
});
afterAll(async () => {
  await browser?.close();
  await host?.close();
});

type Violation = {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
};

/** What axe holds against the page, by rule and place. */
async function violationsOf(page: Page): Promise<readonly string[]> {
  // The policy of the page lets no other script in; the debugger of the browser is not bound by it.
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate('axe.run()')) as { readonly violations: readonly Violation[] };
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`,
  );
}

const LOOKS = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['narrow', { viewport: { width: 320, height: 700 } }],
] as const;

describe.skipIf(browserPath === undefined)('axe finds nothing', () => {
  test.each(LOOKS)('on any page, %s', async (_, look) => {
    const { page, context } = await openSignedIn(browser, host, '/runs', look);
    const pages: readonly (readonly [string, string])[] = [
      ['/runs', '[data-run]'],
      [`/runs/${host.after}?against=${host.before}`, '[data-task]'],
      [`/runs/${host.after}?task=refund-2`, '[data-testid=task-output]'],
      [`/runs/${host.after}/tasks/refund-2`, '[data-testid=task-output]'],
      ['/settings', 'dl'],
      ['/runs/run-nope', '[data-testid=error]'],
    ];
    for (const [path, sign] of pages) {
      await page.goto(host.url + path);
      await page.locator(sign).first().waitFor();
      expect([path, await violationsOf(page)]).toEqual([path, []]);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
    await context.close();
  });

  test('where people sign in', async () => {
    const { page, context } = await newPage(browser);
    await page.goto(`${host.url}/sign-in`);
    await page.getByTestId('sign-in-key').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await context.close();
  });
});
