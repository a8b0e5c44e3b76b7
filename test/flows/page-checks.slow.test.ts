import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { eventually } from './browser.js';
import { newPage, openSignedIn, setUpPages } from './page-host.js';
import { KEY } from './processes.js';

// Goal: every list says the truth under every filter, and nobody needs a mouse or colours. Method: what the page shows is held against
// the scorecard; a walk through all places by keys alone.

const pages = setUpPages();
const runPath = () => `/runs/${pages.host.after}`;
const firstTask = (page: Page) => page.locator('#row-0').getAttribute('data-task');

type Task = { readonly taskId: string; readonly score: number; readonly passed: boolean };

describe.skipIf(pages.isSkipped)('the list of tasks', () => {
  test('has as many tasks under each filter as the scorecard counts', async () => {
    const client = pages.host.client();
    const [before, after] = await Promise.all(
      [pages.host.before, pages.host.after].map(async (runId) => (await client.evalSummary(runId)).tasks),
    );
    const wasPassed = new Map(before?.map(({ taskId, passed }) => [taskId as string, passed]));
    const filters: readonly (readonly [query: string, keeps: (task: Task) => boolean])[] = [
      ['outcome=failed', ({ passed }) => !passed],
      ['outcome=passed', ({ passed }) => passed],
      ['outcome=unscored', () => false],
      ['slice=refund', ({ taskId }) => taskId.startsWith('refund-')],
      ['id=refund-1', ({ taskId }) => taskId.includes('refund-1')],
      ['minScore=0.5', ({ score }) => score >= 0.5],
      ['maxScore=0.5', ({ score }) => score <= 0.5],
      [
        `against=${pages.host.before}&change=toFail`,
        ({ taskId, passed }) => !passed && wasPassed.get(taskId) === true,
      ],
      [
        `against=${pages.host.before}&change=toPass`,
        ({ taskId, passed }) => passed && wasPassed.get(taskId) === false,
      ],
      [`against=${pages.host.before}&change=same`, ({ taskId, passed }) => passed === wasPassed.get(taskId)],
      ['outcome=failed&slice=refund', ({ taskId, passed }) => !passed && taskId.startsWith('refund-')],
    ];
    const { page, context, troubles } = await openSignedIn(pages.browser, pages.host, '/runs');
    for (const [query, keeps] of filters) {
      const kept = after?.filter(keeps) ?? [];
      await page.goto(`${pages.host.url}${runPath()}?${query}`);
      await page
        .getByTestId('matched')
        .getByText(`${kept.length} of ${after?.length}`, { exact: true })
        .waitFor();
      if (kept[0] && !query.includes('against'))
        expect([query, await firstTask(page)]).toEqual([query, kept[0].taskId]);
    }
    expect(troubles).toEqual([]);
    await context.close();
  });

  test('is sorted by every column that can be, alike in a new tab, and Back undoes it', async () => {
    const { page, context } = await openSignedIn(
      pages.browser,
      pages.host,
      `${runPath()}?against=${pages.host.before}`,
    );
    await page.locator('#row-0').waitFor();
    const heads = await page.getByRole('grid', { name: 'Tasks' }).locator('button.sort').allTextContents();
    expect(heads.length).toBeGreaterThan(3);
    for (const head of heads) {
      const before = page.url();
      await page
        .getByRole('grid', { name: 'Tasks' })
        .getByRole('button', { name: head, exact: true })
        .click();
      const sorted = page
        .getByRole('columnheader', { name: head })
        .and(page.locator('[aria-sort=ascending]'));
      await sorted.waitFor();
      const order = new URL(page.url()).searchParams.get('order') ?? '';
      const { items } = await pages.host
        .client()
        .runs.tasks(pages.host.after, { order: order as never, against: pages.host.before, limit: 1 });
      await page.locator(`#row-0[data-task="${items[0]?.taskId}"]`).waitFor();
      const other = await context.newPage();
      await other.goto(page.url());
      await other.locator(`#row-0[data-task="${items[0]?.taskId}"]`).waitFor();
      await other.close();
      await page.goBack();
      await sorted.waitFor({ state: 'detached' });
      await eventually(() => page.url()).toBe(before);
    }
    await context.close();
  });
});

/** Goes on with Tab until something has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  // A page shows its heading before what it has asked for.
  await page.locator(selector).first().waitFor();
  for (let steps = 0; steps < 60; steps += 1) {
    if ((await page.locator(`${selector}:focus`).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${selector}.`);
}

describe.skipIf(pages.isSkipped)('without a mouse', () => {
  test('people sign in, look at runs and tasks, say what they think, and see every place', async () => {
    const { page, context, troubles } = await newPage(pages.browser);
    const press = async (...keys: readonly string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await page.goto(`${pages.host.url}/runs`);
    await page.getByTestId('sign-in-key').and(page.locator(':focus')).waitFor();
    await page.keyboard.type(KEY);
    await press('Enter');
    await page.locator('[data-run]').first().waitFor();
    await page.locator('main :focus, main:focus').waitFor();
    await page.reload();
    await page.locator('[data-run]').first().waitFor();
    await press('Tab');
    await page.locator('a.skip:focus').waitFor();
    await tabTo(page, '[role=grid]');
    await press('j', 'k', 'Enter');
    await page.locator('[data-task]').first().waitFor();
    await tabTo(page, '[role=grid]');
    await press('j', 'Enter');
    await page.getByRole('complementary', { name: 'Task order-2' }).waitFor();
    await press(']');
    await page.getByRole('complementary', { name: 'Task order-3' }).waitFor();
    await page.getByTestId('override-open').waitFor();
    await press('o');
    const dialog = page.getByRole('dialog', { name: 'Override' });
    await dialog.waitFor();
    await tabTo(page, '[data-testid=override-value]');
    await page.keyboard.type('0.5');
    await tabTo(page, '[data-testid=override-reason]');
    await page.keyboard.type('half right');
    await press('Tab', 'Tab', 'Enter');
    await page.getByTestId('adjusted').and(page.locator(':focus')).waitFor();
    await press('Escape');
    await page.getByRole('complementary').waitFor({ state: 'detached' });
    await page.locator('[role=grid]:focus').waitFor();
    for (const [key, heading] of PLACES) {
      await press('g', key);
      await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
    }
    await tabTo(page, 'main button');
    // What is still on its way when the session ends would be refused, which the browser tells in its console.
    await press('Enter');
    await page.getByTestId('sign-in-key').waitFor();
    expect(await page.getByText('Your session has ended').count()).toBe(0);
    expect(troubles).toEqual([]);
    await context.close();
  });
});

const PLACES = [
  ['t', 'Today'],
  ['r', 'Runs'],
  ['s', 'Suites'],
  ['a', 'Agents'],
  ['v', 'Review'],
  ['p', 'Approvals'],
  ['j', 'Judges'],
  ['u', 'Audit'],
  ['e', 'Settings'],
] as const;

describe.skipIf(pages.isSkipped)('where people choose the colours', () => {
  test('outcomes are told apart by their shape, in the colours of the system', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, `${runPath()}?slice=refund`, {
      forcedColors: 'active',
    });
    await page.locator('[data-outcome=failed]').first().waitFor();
    const colours = (await page.evaluate(`(() => {
      const style = (selector) => getComputedStyle(document.querySelector(selector));
      return {
        row: style('[data-outcome=failed]').backgroundColor,
        canvas: style('body').backgroundColor,
        square: style('[data-outcome=failed] .glyph .square').fill,
        cross: style('[data-outcome=failed] .glyph .cross').stroke,
        tick: style('[data-outcome=passed] .glyph .tick').stroke,
      };
    })()`)) as { readonly [part: string]: string };
    expect(colours.square).not.toBe(colours.canvas);
    expect(colours.square).not.toBe(colours.cross);
    expect(colours.tick).not.toBe(colours.canvas);
    await context.close();
  });

  test('more contrast leaves no text and no line pale', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, '/runs', { contrast: 'more' });
    const colours = (await page.evaluate(`(() => {
      const probe = document.createElement('i');
      document.body.append(probe);
      return ['--muted', '--text', '--line', '--line-strong'].map((name) => {
        probe.style.color = 'var(' + name + ')';
        return getComputedStyle(probe).color;
      });
    })()`)) as readonly string[];
    expect([colours[0], colours[2]]).toEqual([colours[1], colours[3]]);
    await context.close();
  });
});
