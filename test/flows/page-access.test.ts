import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { newPage, openSignedIn, setUpPages } from './page-host.js';

// Goal: every page can be used by everyone. Method: axe looks at each address in light, dark and on a narrow screen.

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const pages = setUpPages();

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

describe.skipIf(pages.isSkipped)('axe finds nothing', () => {
  test.each(LOOKS)('on any page, %s', async (_, look) => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, '/runs', look);
    const addresses: readonly (readonly [string, string])[] = [
      ['/runs', '[data-run]'],
      [`/runs/${pages.host.after}?against=${pages.host.before}`, '[data-task]'],
      [`/runs/${pages.host.after}?task=refund-2`, '[data-testid=task-output]'],
      [`/runs/${pages.host.after}/tasks/refund-2`, '[data-testid=task-output]'],
      [`/compare?runs=${pages.host.before},${pages.host.after}&task=refund-2`, '[data-testid=diff]'],
      [`/compare?runs=${pages.host.before},${pages.host.after}&view=matrix`, '[data-testid=cell]'],
      [`/compare?runs=${pages.host.before},${pages.host.after}&view=answers`, '[data-testid=diff]'],
      ['/', '.verdicts [data-run]'],
      ['/suites', '[data-suite]'],
      ['/suites/local.shop.evals.support?task=refund-2', '[data-testid=task-input]'],
      ['/suites/local.shop.evals.support/history', '.history'],
      ['/suites/local.shop.evals.support/history?form=table', 'table'],
      ['/suites/local.shop.evals.support/matrix', '[data-testid=cell]'],
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
