import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestCli, type TestCli } from '../../packages/touchstone/src/cli/testing/test-cli.js';
import { LOOKS, violationsOf } from './axe.js';
import { findBrowser, openBrowser, openContext } from './browser.js';

// Goal: everybody can read the page in a file, and a run that is too large for it loses nothing. Method: axe on every place of
// the page in both themes and on a narrow screen; a run of one task more than a page holds.

const suite = (count: number): object => ({
  suiteId: 'local.test.evals.pages',
  version: '1.0.0',
  modes: ['golden'],
  tasks: Array.from({ length: count }, (_, at) => ({
    taskId: `task-${at}`,
    input: { q: `task-${at}` },
    expected: { kind: 'golden', match: { strategy: 'exact', value: `task-${at}` } },
  })),
});

const browserPath = findBrowser();
let cli: TestCli;
let browser: Browser;
beforeAll(async () => {
  cli = openTestCli();
  cli.write('a.mjs', `export default ({ q }) => (q.endsWith('7') ? 'wrong' : q);`);
  cli.write('b.mjs', `export default ({ q }) => (q.endsWith('77') ? 'wrong' : q);`);
  cli.write('few.suite.json', suite(100));
  const agents = ['--agent', './a.mjs', '--agent', './b.mjs'];
  await cli.run('run', 'few.suite.json', ...agents, '--output', 'few.html', '--bodies');
  if (browserPath !== undefined) browser = await openBrowser(browserPath);
});
afterAll(async () => {
  await browser?.close();
  cli.close();
});

describe.skipIf(browserPath === undefined)('the page in a file', () => {
  test.each(LOOKS)('is accessible in every place, %s', async (_, look) => {
    const page = await (await openContext(browser, { offline: true, ...look })).newPage();
    await page.goto(pathToFileURL(join(cli.cwd, 'few.html')).href);
    await page.locator('[data-run]').first().waitFor();
    const [one = '', other = ''] = await page
      .locator('[data-run]')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-run') ?? ''));
    const compare = `/compare?runs=${one},${other}`;
    const places: readonly (readonly [address: string, sign: string])[] = [
      ['/runs', '[data-run]'],
      [`/runs/${one}?outcome=failed&task=task-7`, '[data-testid=task-output]'],
      [`/runs/${one}/tasks/task-7`, '[data-testid=task-output]'],
      [`/runs/${one}/report`, '.report'],
      [`/runs/${one}/about`, '.report'],
      [compare, '[data-testid=flip]'],
      [`${compare}&view=matrix`, '[data-testid=cell]'],
      [`${compare}&view=answers`, '[data-testid=diff]'],
      ['/audit', '[data-testid=empty]'],
    ];
    for (const [address, sign] of places) {
      await page.goto(`${pathToFileURL(join(cli.cwd, 'few.html')).href}#${address}`);
      await page.locator(sign).first().waitFor();
      expect([address, await violationsOf(page)]).toEqual([address, []]);
    }
    await page.context().close();
  });
});

test('a run with more tasks than a page holds is kept, and all other files of it are written', async () => {
  cli.write('many.suite.json', suite(10_001));
  const files = ['--output', 'many.html', '--output', 'many.jsonl'];
  const { code, err } = await cli.run('run', 'many.suite.json', '--agent', './b.mjs', ...files);
  expect(code).toBe(3);
  expect(err).toContain('--output many.html cannot be written: a page holds 10,000 tasks at most');
  expect(err).toContain('--output results.jsonl');
  expect([cli.has('many.html'), cli.read('many.jsonl').split('\n').length]).toEqual([false, 10_002]);
  expect(JSON.parse((await cli.run('runs', '--json')).out).items[0].status).toBe('completed');
});
