import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Violation = {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
};

/** What axe holds against the page, by rule and place. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  // The policy of the page lets no other script in; the debugger of the browser is not bound by it.
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate('axe.run()')) as { readonly violations: readonly Violation[] };
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`,
  );
}

export const LOOKS = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['narrow', { viewport: { width: 320, height: 700 } }],
] as const;
