import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { eventually } from './browser.js';
import { golden, openPageHost, openSignedIn, pageSuite, setUpPagesOf } from './page-host.js';
import { KEY } from './processes.js';

// Goal: where something is wrong, people read what it is and what to do, and the rest of the page works. Method: a real host whose
// answers are spoilt on their way, agents that do not load or are not there, and addresses that lead nowhere.

const AGENTS = [
  { agentId: 'local.shop.broken', version: '1.0.0', run: { kind: 'module', path: './broken.mjs' } },
  { agentId: 'local.shop.away', version: '1.0.0', run: { kind: 'http', url: 'http://127.0.0.1:9/' } },
];
const pages = setUpPagesOf(() =>
  openPageHost(
    { egress: { allowPrivate: true } },
    { agents: AGENTS, files: { 'broken.mjs': 'throw new Error("not ready");' } },
  ),
);

/** A run that comes to its end, whatever that is. */
async function runOf(agentId: string): Promise<string> {
  const client = pages.host.client();
  const suite = pageSuite(['one', 'two'].map(golden), 'trouble');
  await client.suites.install(suite as never);
  const { runId } = await client.runs.create({ mode: 'eval', evalSuiteRef: suite.suiteId, agentId });
  await client.waitForScorecard(runId).catch(() => undefined);
  return runId;
}

/** The list of suites comes with a suite that is none. */
const spoil = (page: Page): Promise<unknown> =>
  page.route(/touchstone\/suites(\?|$)/, (route) => route.fulfill({ json: { items: [null] } }));

describe.skipIf(pages.isSkipped)('a page that cannot be drawn', () => {
  test('says so and what to do, beside places that work; the error is in the console only', async () => {
    const { page, context, troubles } = await openSignedIn(pages.browser, pages.host, '/runs');
    await spoil(page);
    await page.getByRole('link', { name: 'Suites' }).click();
    const error = page.getByTestId('error');
    await error.getByText('report it with what the console').waitFor();
    await eventually(() => error.getAttribute('data-code')).toBe('page_error');
    await eventually(() => troubles.join()).toContain('null');
    expect(await page.locator('main').textContent()).not.toContain('null');
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.locator('[data-agent]').first().waitFor();
    await page.unroute(/touchstone\/suites(\?|$)/);
    await page.goBack();
    await page.locator('[data-suite]').first().waitFor();
    await context.close();
  });

  test('is drawn when the reader tries again and the cause is gone', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, '/runs');
    await spoil(page);
    await page.getByRole('link', { name: 'Suites' }).click();
    await page.getByTestId('error').waitFor();
    await page.unroute(/touchstone\/suites(\?|$)/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('[data-suite]').first().waitFor();
    await context.close();
  });
});

describe.skipIf(pages.isSkipped)('a list of tasks that does not come', () => {
  const TASKS = /\/tasks\?/;
  const openRun = async (page: Page): Promise<void> => {
    await page.locator(`[data-run="${pages.host.after}"]`).click();
    await page.getByTestId('error').waitFor();
  };

  test('is shown when the reader tries again', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, '/runs');
    const json = { error: 'internal_error', message: 'It did not work.' };
    await page.route(TASKS, (route) => route.fulfill({ status: 500, json }));
    await openRun(page);
    expect(await page.getByTestId('matched').textContent()).toBe('');
    await page.unroute(TASKS);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('[data-task]').first().waitFor();
    expect(await page.getByTestId('error').count()).toBe(0);
    await context.close();
  });

  test('is asked for again when the host was away', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, '/runs');
    await page.route(TASKS, (route) => route.abort());
    await openRun(page);
    expect(await page.getByTestId('error').getAttribute('data-code')).toBe('unreachable');
    await page.unroute(TASKS);
    await page.locator('[data-task]').first().waitFor();
    await context.close();
  });
});

describe.skipIf(pages.isSkipped)('a place whose code cannot be loaded', () => {
  test('says that the host does not answer, and is shown when it answers again', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, '/runs');
    await page.locator('[data-run]').first().waitFor();
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Suites' }).click();
    await page.locator('[data-code=unreachable]').waitFor();
    await context.setOffline(false);
    await page.locator('[data-suite]').first().waitFor();
    await context.close();
  });
});

describe.skipIf(pages.isSkipped)('a run without a score', () => {
  test('says why it failed on each of its pages', async () => {
    const runId = await runOf('local.shop.broken');
    const { page, context } = await openSignedIn(pages.browser, pages.host, `/runs/${runId}`);
    await page.getByText('The run ended before any of its tasks.').waitFor();
    for (const part of ['', '/report', '/events', '/about']) {
      await page.goto(`${pages.host.url}/runs/${runId}${part}`);
      await page.getByTestId('run-error').waitFor();
      await eventually(() => page.getByTestId('run-error').getAttribute('data-code')).toBe(
        'agent_unavailable',
      );
    }
    await context.close();
  });

  test('shows none where no task could be scored, and says why in the words of the command line', async () => {
    const runId = await runOf('local.shop.away');
    const { page, context } = await openSignedIn(pages.browser, pages.host, `/runs/${runId}`);
    await page.getByRole('grid').getByText('the agent could not be reached').first().waitFor();
    await eventually(() => page.getByTestId('score').textContent()).toBe('–');
    expect(await page.getByTestId('interval').count()).toBe(0);
    await page.getByRole('link', { name: 'Report' }).click();
    await page.getByText('None of 2 tasks could be scored.').waitFor();
    await page.goto(`${pages.host.url}/runs`);
    const row = page.locator(`[data-run="${runId}"]`);
    await eventually(() => row.locator('.cell-runscore').textContent()).toBe('–');
    await context.close();
  });
});

describe.skipIf(pages.isSkipped)('an address', () => {
  test('of an agent that is not there leads to all agents', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, '/agents/nobody');
    await page.getByRole('link', { name: 'See all agents' }).click();
    await page.locator('[data-agent]').first().waitFor();
    await context.close();
  });

  test('that was cut off within an escape leads to nothing, in words', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, '/runs');
    await page.evaluate(
      "history.pushState(null, '', '/judges/%E0%A4%A'); dispatchEvent(new Event('popstate'))",
    );
    await page.getByRole('heading', { level: 1, name: 'Judge' }).waitFor();
    expect(await page.locator('[data-code=page_error]').count()).toBe(0);
    await context.close();
  });

  test('shows no filter for a value that was left out, and a long one within the page', async () => {
    const { page, context } = await openSignedIn(
      pages.browser,
      pages.host,
      `/runs/${pages.host.after}?minScore=many&minMs=1.5&change=toFail&slice=${'y'.repeat(300)}`,
    );
    await page.getByText('left out: change, minScore, minMs').waitFor();
    const chips = page.getByRole('button', { name: /^Remove the filter/ });
    await eventually(() => chips.count()).toBe(1);
    const box = await chips.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(1440);
    await context.close();
  });
});

describe.skipIf(pages.isSkipped)('signing in', () => {
  test('in one tab lets the others go on where they were', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, '/settings');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByTestId('sign-in-key').waitFor();
    const other = await context.newPage();
    await other.goto(`${pages.host.url}/suites`);
    await other.getByTestId('sign-in-key').waitFor();
    await page.getByTestId('sign-in-key').fill(KEY);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
    await other.locator('[data-suite]').first().waitFor();
    await context.close();
  });
});

describe.skipIf(pages.isSkipped)('what leads anywhere by its name', () => {
  test('is closed by one Escape, whatever was typed', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, '/runs');
    await page.keyboard.press('Control+k');
    await page.getByLabel('Name of a run').fill('support');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await context.close();
  });

  test('has the focus before anything is painted, so that no letter of a fast typist is lost', async () => {
    const { page, context } = await openSignedIn(pages.browser, pages.host, '/runs');
    await page.getByRole('button', { name: 'Go to' }).waitFor();
    // Only microtasks: no frame and no next key comes between.
    const focused = await page.evaluate(`(async () => {
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }));
      for (let turn = 0; turn < 50; turn += 1) await undefined;
      return document.activeElement?.getAttribute('aria-label');
    })()`);
    expect(focused).toBe('Name of a run, suite, agent or task');
    await context.close();
  });
});
