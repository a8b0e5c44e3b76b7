import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestCli, type TestCli } from '../../packages/touchstone/src/cli/testing/test-cli.js';
import { findBrowser, openBrowser } from './browser.js';

// Goal: the page that people mail to each other opens from disk, asks nobody for anything, and takes nothing that an agent
// said for markup. Method: real runs, written by the command line, opened in a real browser without a network.

const HOSTILE = `</script><script>globalThis.taken = 1</script><img src=x onerror="globalThis.taken = 1">\u2028\u202e</pre>`;
/** What acts on a screen or hides is shown by its number. */
const SHOWN = HOSTILE.replace('\u2028', '\\u2028').replace('\u202e', '\\u202e');
const TASKS = 10_000;

const golden = (taskId: string, value: string, more: object = {}): object => ({
  taskId,
  input: { q: taskId },
  expected: { kind: 'golden', match: { strategy: 'exact', value } },
  ...more,
});
const suite = (name: string, tasks: readonly object[]): object => ({
  suiteId: `local.test.evals.${name}`,
  version: '1.0.0',
  modes: ['golden'],
  tasks,
});

const browserPath = findBrowser();
let cli: TestCli;
let browser: Browser;
beforeAll(async () => {
  cli = openTestCli();
  cli.write('few.suite.json', suite('few', [golden('hostile', 'kind'), golden('same', 'same')]));
  cli.write('a.mjs', `export default ({ q }) => (q === 'hostile' ? ${JSON.stringify(HOSTILE)} : q);`);
  cli.write('b.mjs', `export default ({ q }) => (q === 'hostile' ? 'kind' : q);`);
  const agents = ['--agent', './a.mjs', '--agent', './b.mjs'];
  await cli.run('run', 'few.suite.json', ...agents, '--output', 'few.html', '--bodies');
  const many = Array.from({ length: TASKS }, (_, at) => golden(`task-${at}`, `task-${at}`));
  cli.write('many.suite.json', suite('many', many));
  cli.write('many.mjs', `export default ({ q }) => (q.endsWith('77') ? 'wrong' : q);`);
  await cli.run('run', 'many.suite.json', '--agent', './many.mjs', '--output', 'many.html', '--bodies');
  if (browserPath !== undefined) browser = await openBrowser(browserPath);
});
afterAll(async () => {
  await browser?.close();
  cli.close();
});

type ReportPage = {
  readonly page: Page;
  /** Everything that the page asked for. */
  readonly requests: readonly string[];
  /** What it logged, threw, or was kept from doing. */
  readonly troubles: readonly string[];
};

async function openPage(name: string, viewport = { width: 1280, height: 800 }): Promise<ReportPage> {
  const context = await browser.newContext({ offline: true, viewport });
  const page = await context.newPage();
  const requests: string[] = [];
  const troubles: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => troubles.push(message.text()));
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('dialog', (dialog) => troubles.push(dialog.message()));
  await page.goto(pathToFileURL(join(cli.cwd, name)).href);
  return { page, requests, troubles };
}

const rowNames = (page: Page): Promise<string[]> => page.locator('.row:not(.head) .name').allTextContents();

describe.skipIf(browserPath === undefined)('the page of a run, opened from disk without a network', () => {
  test('requests nothing but itself, logs nothing, and takes no answer for markup', async () => {
    const { page, requests, troubles } = await openPage('few.html');
    await page.locator('.row', { hasText: 'hostile' }).click();
    expect(await page.locator('.detail').textContent()).toContain(SHOWN);
    expect(await page.evaluate('globalThis.taken')).toBeUndefined();
    expect(await page.locator('img').count()).toBe(0);
    expect(requests).toEqual([pathToFileURL(join(cli.cwd, 'few.html')).href]);
    expect(troubles).toEqual([]);
  });

  test('lets no script in that it did not bring', async () => {
    const { page, troubles } = await openPage('few.html');
    await page.evaluate(`(() => {
      const script = document.createElement('script');
      script.textContent = 'globalThis.taken = 1';
      document.body.append(script);
    })()`);
    expect(await page.evaluate('globalThis.taken')).toBeUndefined();
    expect(troubles.join()).toContain('Content Security Policy');
  });

  test('shows runs side by side, with the test of each against the first, and how answers differ', async () => {
    const { page } = await openPage('few.html');
    expect(await page.locator('.matrix tbody tr').count()).toBe(2);
    expect(await page.locator('.matrix').textContent()).toContain('cannot tell');
    await page.locator('button', { hasText: 'Differ' }).click();
    expect(await rowNames(page)).toEqual(['hostile']);
    await page.locator('.row', { hasText: 'hostile' }).click();
    expect(await page.locator('.detail ins').count()).toBeGreaterThan(0);
  });

  test('scrolls through 10,000 tasks, failures first, and keeps few of them on the page', async () => {
    const { page, troubles } = await openPage('many.html');
    expect((await rowNames(page)).slice(0, 2)).toEqual(['task-77', 'task-177']);
    await page.evaluate(`document.querySelector('.rows').scrollTo(0, 1e9)`);
    // A function that is polled would be evaluated in the page, whose policy forbids that.
    await page.locator('.row', { hasText: 'task-9999' }).waitFor();
    expect((await rowNames(page)).length).toBeLessThan(100);
    expect(troubles).toEqual([]);
  });

  test('finds tasks by words and by what became of them, and moves with the arrow keys', async () => {
    const { page } = await openPage('many.html');
    await page.locator('button', { hasText: 'Failed' }).click();
    expect(await page.locator('button[aria-pressed=true]').textContent()).toBe('Failed 100');
    await page.locator('.search').fill('task-9977');
    expect(await rowNames(page)).toEqual(['task-9977']);
    await page.locator('.search').fill('');
    await page.locator('.rows').press('ArrowDown');
    expect(await page.locator('.detail h2').textContent()).toBe('task-177');
  });

  test('fits a narrow screen, where a task opens over the list and closes again', async () => {
    const { page } = await openPage('few.html', { width: 360, height: 700 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await page.locator('.row', { hasText: 'hostile' }).click();
    expect(await page.locator('.detail').isVisible()).toBe(true);
    await page.locator('.close').click();
    expect(await page.locator('.detail').isVisible()).toBe(false);
  });
});

test('the page takes at most 150 kB beside its data', () => {
  const text = cli.read('many.html');
  const [data = ''] = /<script type="application\/json".*?<\/script>/s.exec(text) ?? [];
  expect(data.length).toBeGreaterThan(100 * TASKS);
  expect(text.length - data.length).toBeLessThan(150_000);
});
