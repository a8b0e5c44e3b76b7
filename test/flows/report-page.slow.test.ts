import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestCli, type TestCli } from '../../packages/touchstone/src/cli/testing/test-cli.js';
import { eventually, findBrowser, openBrowser, openContext } from './browser.js';

// Goal: the page that people mail to each other opens from disk, asks nobody for anything, and takes nothing that an agent
// said for markup. Method: real runs, written by the command line, opened in a real browser without a network.

const HOSTILE = `</script><script>globalThis.taken = 1</script><img src=x onerror="globalThis.taken = 1">\u2028\u202e</pre>`;
/** What acts on a screen or hides is shown by its number. */
const SHOWN = HOSTILE.replace('\u2028', '⟨U+2028⟩').replace('\u202e', '⟨U+202E⟩');
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
  cli.write(
    'few.suite.json',
    suite('few', [golden('hostile', 'kind', { tags: ['markup', 'safety'] }), golden('same', 'same')]),
  );
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
  const context = await openContext(browser, { offline: true, viewport });
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

const rowNames = (page: Page): Promise<(string | null)[]> =>
  page.locator('[data-task]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-task')));

describe.skipIf(browserPath === undefined)('the page of a run, opened from disk without a network', () => {
  test('requests nothing but itself, logs nothing, and takes no answer for markup', async () => {
    const { page, requests, troubles } = await openPage('few.html');
    await page.locator('[data-run]', { hasText: 'Fail' }).dblclick();
    await page.locator('[data-task=hostile]').click();
    await eventually(() => page.getByTestId('task-output').textContent()).toContain(SHOWN);
    expect(await page.evaluate('globalThis.taken')).toBeUndefined();
    expect(await page.locator('img').count()).toBe(0);
    expect(requests).toEqual([pathToFileURL(join(cli.cwd, 'few.html')).href]);
    expect(troubles).toEqual([]);
  });

  test('lets no script in that it did not bring', async () => {
    const { page, troubles } = await openPage('few.html');
    await page.evaluate(`(() => {
      const script = document.createElement('script');
      try {
        script.textContent = 'globalThis.taken = 1';
      } catch {
        script.append('globalThis.taken = 1');
      }
      document.body.append(script);
    })()`);
    expect(await page.evaluate('globalThis.taken')).toBeUndefined();
    await eventually(() => troubles.join()).toMatch(/Content Security Policy|TrustedScript/);
  });

  test('shows runs side by side, with the test of each against the first, and how answers differ', async () => {
    const { page } = await openPage('few.html');
    await eventually(() => page.locator('[data-run]', { hasText: './b.mjs' }).count()).toBe(1);
    await page.getByRole('link', { name: 'Compare', exact: true }).click();
    await eventually(() => page.getByTestId('compare-verdict').textContent()).toContain('cannot tell');
    await eventually(() => rowNames(page)).toEqual(['hostile']);
    await page.getByRole('link', { name: 'Matrix' }).click();
    await page.getByTestId('cell').first().waitFor();
    await eventually(() =>
      page.getByTestId('cell').evaluateAll((cells) => cells.map((cell) => cell.getAttribute('data-outcome'))),
    ).toEqual(['failed', 'passed']);
    await page.getByRole('link', { name: 'Answers' }).click();
    await page.getByTestId('diff').waitFor();
    await page.getByRole('link', { name: 'Swap' }).click();
    await page.locator('h1', { hasText: 'local.cli.b@0.0.0 → local.cli.a@0.0.0' }).waitFor();
    await eventually(() => page.getByTestId('compare-verdict').textContent()).toContain('cannot tell');
  });

  test('scrolls through 10,000 tasks, failures first, and keeps few of them on the page', async () => {
    const { page, troubles } = await openPage('many.html');
    await page.locator('[data-task=task-77]').waitFor();
    expect((await rowNames(page)).slice(0, 2)).toEqual(['task-77', 'task-177']);
    await eventually(() => page.getByTestId('matched').textContent()).toBe('100 of 10,000');
    await page.getByRole('button', { name: 'All' }).click();
    await page.locator('[data-task=task-0]').waitFor();
    await page.getByRole('grid', { name: 'Tasks' }).press('End');
    // A function that is polled would be evaluated in the page, whose policy forbids that.
    await page.locator('[data-task=task-9999]').waitFor();
    expect((await rowNames(page)).length).toBeLessThan(120);
    expect(troubles).toEqual([]);
  });

  test('finds tasks by id and by their content, and a link to what is found shows the same', async () => {
    const { page } = await openPage('many.html');
    const find = page.getByRole('searchbox', { name: 'Find tasks by id' });
    await find.fill('task-9977');
    await page.getByTestId('matched').getByText('1 of 10,000').waitFor();
    await eventually(() => rowNames(page)).toEqual(['task-9977']);
    await page.locator('[data-task=task-9977]').click();
    await eventually(() => page.getByTestId('task-output').textContent()).toContain('wrong');
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole('complementary', { name: 'Task task-9977' }).waitFor();
    await eventually(() => rowNames(other)).toEqual(['task-9977']);
    await find.fill('text: task-1234');
    await find.press('Enter');
    await page.getByRole('button', { name: 'All' }).click();
    await page.locator('[data-task=task-1234]').waitFor();
    await eventually(() => page.getByTestId('matched').textContent()).toBe('1 of 10,000');
  });

  test('offers nothing that would change something, and no place that the file does not have', async () => {
    const { page } = await openPage('many.html');
    await eventually(() =>
      page.getByRole('navigation', { name: 'Main' }).getByRole('link').allTextContents(),
    ).toEqual(['Run']);
    expect(await page.getByRole('button', { name: 'Now fails' }).count()).toBe(0);
    await eventually(() => page.getByTestId('who').textContent()).toContain('nothing can be changed');
    await page.locator('[data-task=task-77]').click();
    await page.getByTestId('task-output').waitFor();
    expect(await page.getByTestId('override-open').count()).toBe(0);
    await page.getByRole('button', { name: 'More' }).click();
    await eventually(() => page.getByRole('menuitem').allTextContents()).toEqual([
      'Export as CSV',
      'Export as JSONL',
    ]);
    const [csv] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export as CSV' }).click(),
    ]);
    const lines = readFileSync(await csv.path(), 'utf8')
      .trim()
      .split('\r\n');
    // The failures that are shown, and a line of names.
    expect([lines.length, lines[1]]).toEqual([101, expect.stringMatching(/^77,task-77,0,false,/)]);
    for (const part of ['Report', 'About']) {
      await page.getByRole('link', { name: part, exact: true }).click();
      await page.locator('.report').waitFor();
    }
  });

  test('has the log, as far as there is room, and says what was left out', async () => {
    const { page, troubles } = await openPage('many.html');
    await page.getByRole('link', { name: 'Events' }).click();
    await page.locator('[data-sequence="0"]').click();
    await eventually(() => page.getByTestId('event-payload').count()).toBe(1);
    await page.getByText(/^The file has no room for the events of [\d,]+ tasks/).waitFor();
    await page.getByRole('button', { name: 'Scores' }).click();
    await page.locator('[data-type="eval.scored"]').first().waitFor();
    expect(await page.locator('[data-type]:not([data-type="eval.scored"])').count()).toBe(0);
    expect(troubles).toEqual([]);
  });

  test('shows the tags that its author gave a task', async () => {
    const { page } = await openPage('few.html');
    await page.locator('[data-run]', { hasText: 'Fail' }).dblclick();
    await page.locator('[data-task=hostile]').click();
    await eventually(() => page.getByTestId('task-tags').textContent()).toBe('Tags: markup, safety');
  });

  test('opens in a viewer that locks it in, where it can keep nothing', async () => {
    cli.write('viewer.html', '<iframe sandbox="allow-scripts" src="many.html"></iframe>');
    const { page, troubles } = await openPage('viewer.html');
    await page.frameLocator('iframe').locator('[data-task=task-77]').waitFor();
    expect(troubles).toEqual([]);
  });

  test('shows figures and no content where none was asked for', async () => {
    await cli.run('export', 'last', '--html', 'figures.html');
    const { page, troubles } = await openPage('figures.html');
    await page.locator('[data-task=task-77]').click();
    const panel = page.getByRole('complementary', { name: 'Task task-77' });
    await panel.getByText('without inputs and answers').waitFor();
    await eventually(() => panel.textContent()).toContain('0.00');
    expect(await page.getByTestId('task-input').count()).toBe(0);
    await page.getByRole('link', { name: 'Events' }).click();
    await page.getByTestId('empty').getByText('without its log').waitFor();
    expect(troubles).toEqual([]);
  });

  test('fits a narrow screen, where a task opens over the list and closes again', async () => {
    const { page } = await openPage('many.html', { width: 360, height: 700 });
    await page.locator('[data-task=task-77]').click();
    const panel = page.getByRole('complementary', { name: 'Task task-77' });
    await panel.waitFor();
    await eventually(() => page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await panel.getByRole('button', { name: 'Close' }).click();
    await panel.waitFor({ state: 'detached' });
  });
});

test('the page takes at most 150 kB beside its data', () => {
  const text = cli.read('many.html');
  const [data = ''] = /<script type="application\/json".*?<\/script>/s.exec(text) ?? [];
  expect(data.length).toBeGreaterThan(100 * TASKS);
  expect(text.length - data.length).toBeLessThan(150_000);
});
