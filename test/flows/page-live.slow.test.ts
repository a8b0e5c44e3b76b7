import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asId, type RunId } from '@touchstone/protocol';
import { createClient } from '@touchstone/sdk';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { eventually, findBrowser, openBrowser } from './browser.js';
import { golden, openSignedIn, pageSuite } from './page-host.js';
import { KEY, kill, type Serving, serve, temporaryFolder } from './processes.js';

// Goal: a run can be watched, also while its host is killed and started again, and the totals are right at the end. Method: an
// agent that answers as many tasks as a file allows, so that the test decides how far the run gets.

const TASKS = 12;
const AGENT = `import { readFileSync } from 'node:fs';
const allowed = () => Number(readFileSync(new URL('./allowed', import.meta.url), 'utf8'));
export default async ({ q }) => {
  while (Number(q.split('-')[1]) >= allowed()) await new Promise((resolve) => setTimeout(resolve, 20));
  return q.endsWith('3') ? 'wrong' : q;
};`;

const browserPath = findBrowser();
const folder = temporaryFolder();
const allow = (tasks: number): void => writeFileSync(join(folder.path, 'allowed'), String(tasks));
let serving: Serving;
let browser: Browser;
let runId: RunId;
beforeAll(async () => {
  if (browserPath === undefined) return;
  allow(0);
  writeFileSync(join(folder.path, 'agent.mjs'), AGENT);
  const agents = [
    { agentId: 'local.test.slow', version: '1.0.0', run: { kind: 'module', path: './agent.mjs' } },
  ];
  const keys = [{ key: KEY, tenant: 'acme', roles: ['admin'] }];
  writeFileSync(join(folder.path, 'touchstone.config.json'), JSON.stringify({ keys, agents }));
  serving = await serve([], folder.path);
  browser = await openBrowser(browserPath);
  const client = createClient({ baseUrl: serving.url, key: KEY });
  const suite = pageSuite(Array.from({ length: TASKS }, (_, at) => golden(`task-${at}`)));
  await client.suites.install(suite as never);
  const created = await client.runs.create({
    mode: 'eval',
    evalSuiteRef: suite.suiteId,
    agentId: 'local.test.slow',
    configurable: { concurrency: 4 },
  });
  runId = asId<RunId>(created.runId);
});
afterAll(async () => {
  await browser?.close();
  if (serving) await kill(serving);
  folder.remove();
});

/** Browsers without a screen show every tab at once, so the tab is told that somebody looks, or nobody. */
const look = (tab: Page, state: 'visible' | 'hidden'): Promise<unknown> =>
  tab.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'))`);

/** The same host again, at the same address. */
const restart = ({ url }: Serving): Promise<Serving> => serve(['--port', new URL(url).port], folder.path);

describe.skipIf(browserPath === undefined)('a run that goes on', () => {
  test('is watched through a restart of its host', async () => {
    const { page, context } = await openSignedIn(browser, serving, `/runs/${runId}`);
    const live = page.getByTestId('live');
    const progress = page.getByRole('progressbar', { name: 'Progress' });
    const isAt = (done: number) => page.getByText(`${done} of ${TASKS} ·`).waitFor();
    allow(4);
    await isAt(4);
    await eventually(() => live.getAttribute('data-state')).toBe('live');
    await page.locator('.verdict', { hasText: 'Running' }).waitFor();
    await eventually(() => progress.getAttribute('max')).toBe(String(TASKS));
    await page.locator('[data-task]').first().waitFor();
    const today = await context.newPage();
    await today.goto(serving.url);
    await today.locator(`.running [data-run="${runId}"]`).getByText('33 % · 1 failed so far').waitFor();
    await today.locator('.badge[data-count="1"]').waitFor();
    await today.close();

    // A browser has six connections to a host for all tabs together: a tab that nobody looks at holds none.
    const tabs = await Promise.all(Array.from({ length: 7 }, () => context.newPage()));
    for (const tab of tabs) {
      await tab.goto(`${serving.url}/runs/${runId}`);
      await tab.getByText(`4 of ${TASKS} ·`).waitFor();
      const ended = tab.waitForEvent('requestfailed', (request) => request.url().includes('/progress'));
      await look(tab, 'hidden');
      await ended;
    }
    allow(5);
    for (const tab of tabs) {
      await look(tab, 'visible');
      await tab.getByText(`5 of ${TASKS} ·`).waitFor();
      await look(tab, 'hidden');
    }
    for (const tab of tabs) await tab.close();

    await kill(serving);
    await page.locator('[data-testid=live][data-state=lost]').waitFor();
    allow(8);
    serving = await restart(serving);
    await page.locator('[data-testid=live][data-state=live]').waitFor();
    await isAt(8);
    await page.getByTestId('new-results').click();
    await page.getByText('8 of 8').waitFor();

    allow(TASKS);
    await page.locator('[data-testid=verdict][data-verdict]').waitFor();
    await page.getByText(`${TASKS} of ${TASKS}`).waitFor();
    await eventually(() => page.locator('[data-task]').count()).toBe(TASKS);
    await eventually(() => page.locator('[data-task][data-outcome=failed]').count()).toBe(1);
    await eventually(() => live.getAttribute('data-state')).toBe('ended');
    await page.getByRole('status').getByText('The run has ended: Pass.').waitFor();
    await context.close();
  });
});
