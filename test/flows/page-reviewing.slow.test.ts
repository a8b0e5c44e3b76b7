import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, findBrowser, openBrowser } from './browser.js';
import { openSignedIn } from './page-host.js';
import { checkLabels, openReviewHost, REVIEW_SUITE, type ReviewHost } from './review-host.js';

// Goal: a person labels answers with the keyboard alone and without seeing the judge, and the labels show how good the judge is.
// Method: a real browser on a host with a scripted judge; what is recorded is held against the API and the command line.

const path = findBrowser();
let host: ReviewHost;
let browser: Browser;
beforeAll(async () => {
  if (path !== undefined) [host, browser] = await Promise.all([openReviewHost(), openBrowser(path)]);
});
afterAll(async () => {
  await browser?.close();
  await host?.close();
});

const SAMPLE = `/review?source=sample&seed=7&n=6&suiteId=${REVIEW_SUITE}`;
const item = (page: Page) => page.getByTestId('review-item');
const taskOf = (page: Page) => item(page).getAttribute('data-task');
const statesOf = (page: Page) =>
  page
    .getByTestId('review-criterion')
    .evaluateAll((found) => found.map((one) => one.getAttribute('data-state')));
const press = async (page: Page, ...keys: readonly string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key);
};
const remarks = () => host.client().runs.annotations(host.runId);

describe.skipIf(path === undefined)('review', () => {
  test('by keyboard alone, blind first, is recorded with Enter, and its file has the kappa of the page of judges', async () => {
    const { page, context, troubles } = await openSignedIn(browser, host, SAMPLE);
    await page.getByTestId('task-output').waitFor();
    const drawn = (
      await host.client().review.list({ source: 'sample', seed: 7, n: 6, suiteId: REVIEW_SUITE })
    ).items;
    await eventually(() => taskOf(page)).toBe(drawn[0]?.taskId);
    expect(await page.getByText('REASON').count()).toBe(0);
    expect(await page.getByTestId('review-judge').count()).toBe(0);

    await press(page, 'Enter');
    await page.getByRole('alert').getByText('Nothing is decided yet').waitFor();
    await press(page, 'm', 'u');
    await eventually(() => statesOf(page)).toEqual(['met', 'unmet']);
    await press(page, '1', 'u', 'm', 'p', 'f', 'n');
    await page.keyboard.type('mux, said p');
    await eventually(async () => [await statesOf(page), await remarks()]).toEqual([['unmet', 'met'], []]);
    await press(page, 'Enter', 'Enter');
    await item(page)
      .and(page.locator(`[data-task="${drawn[1]?.taskId}"]`))
      .waitFor();
    const first = drawn[0];
    expect((await remarks()).map(({ signal, target, note }) => [signal, target.eventId, note])).toEqual([
      [{ kind: 'label', label: `review:unmet:${first?.criteria[0]?.id}` }, first?.answers[0], 'mux, said p'],
      [{ kind: 'label', label: `review:met:${first?.criteria[1]?.id}` }, first?.answers[0], undefined],
      [{ kind: 'label', label: 'review:pass' }, first?.answers[0], undefined],
      [{ kind: 'flag' }, first?.answers[0], undefined],
    ]);

    // What is decided after the judge was shown is not blind.
    await press(page, 'v');
    await page.getByTestId('review-judge').getByText('REASON').first().waitFor();
    await press(page, 'm', 'u', 'Enter');
    await item(page)
      .and(page.locator(`[data-task="${drawn[2]?.taskId}"]`))
      .waitFor();
    expect((await remarks()).slice(-2).map(({ signal }) => 'label' in signal && signal.label)).toEqual([
      `review:met:${first?.criteria[0]?.id}:seen`,
      `review:unmet:${first?.criteria[1]?.id}:seen`,
    ]);

    // Back shows what was said; skipping says nothing.
    await press(page, '[');
    await item(page)
      .and(page.locator(`[data-task="${drawn[1]?.taskId}"]`))
      .waitFor();
    await eventually(() => statesOf(page)).toEqual(['met', 'unmet']);
    await press(page, 'Enter', 's');
    await item(page)
      .and(page.locator(`[data-task="${drawn[3]?.taskId}"]`))
      .waitFor();
    for (const [at, next] of [drawn[4], drawn[5], undefined].entries()) {
      await press(page, ...(at === 1 ? ['u', 'm'] : ['m', 'm']), 'Enter');
      await (next ? page.locator(`[data-task="${next.taskId}"]`) : page.getByTestId('review-done')).waitFor();
    }
    await eventually(() => page.getByTestId('review-done').getAttribute('data-left')).toBe('1');

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByTestId('labels-file').click(),
    ]);
    const { judged, labels } = await checkLabels(host, readFileSync(await download.path(), 'utf8'));
    await press(page, 'g', 'j');
    const kappa = page.getByTestId('kappa');
    await kappa.waitFor();
    await eventually(async () => [
      await kappa.getAttribute('data-value'),
      await kappa.getAttribute('data-n'),
    ]).toEqual([String(judged.kappa), String(labels)]);
    const { tp, fp, fn, tn } = judged.confusion;
    const confusion = page.getByTestId('confusion');
    for (const [name, value] of Object.entries({ tp, fp, fn, tn }))
      await eventually(() => confusion.getAttribute(`data-${name}`)).toBe(String(value));
    await page.getByText('Three labels are an anecdote').waitFor();
    const line = page.getByTestId('min-kappa');
    await eventually(() => line.getAttribute('data-met')).toBe(String((judged.kappa ?? 0) >= 0.6));
    await page.getByRole('spinbutton', { name: 'Min kappa' }).fill('0');
    await press(page, 'Enter');
    await page.getByRole('img', { name: 'Not below the min kappa of 0.00' }).waitFor();
    await eventually(() => line.getAttribute('data-met')).toBe('true');
    await eventually(() => new URL(page.url()).searchParams.get('minKappa')).toBe('0');
    await page.getByRole('link', { name: /disagreement/ }).click();
    await page.getByTestId('disagreement').first().getByRole('link').click();
    await page.getByTestId('task-output').waitFor();
    expect(troubles).toEqual([]);
    await context.close();
  });

  test('overrides a score with a reason, is reached from the run, and goes on where it was left', async () => {
    const { page, context } = await openSignedIn(browser, host, `/runs/${host.runId}`);
    await page.getByRole('link', { name: 'Review failures' }).click();
    await page.getByTestId('task-output').waitFor();
    await eventually(() => new URL(page.url()).search).toBe(`?source=failures&runId=${host.runId}`);
    const taskId = await taskOf(page);
    await press(page, 'o');
    await page.getByTestId('override-value').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('0.9');
    await press(page, 'Enter', 'Enter');
    await page.getByRole('alert').getByText('An override needs a reason.').waitFor();
    await page.getByTestId('override-reason').fill('It says it in other words.');
    await press(page, 'Enter', 'Enter');
    await item(page)
      .and(page.locator(`:not([data-task="${taskId}"])`))
      .waitFor();
    expect((await host.client().runs.overrides(host.runId)).at(-1)).toMatchObject({ taskId, score: 0.9 });
    await page.reload();
    await page.getByTestId('task-output').waitFor();
    expect(await taskOf(page)).not.toBe(taskId);
    await context.close();
  });
});

describe.skipIf(path === undefined)('keys', () => {
  test('are listed by ?, lead to places, and are off when they are switched off', async () => {
    const { page, context } = await openSignedIn(browser, host, `/runs/${host.runId}`);
    await page.getByRole('grid', { name: 'Tasks' }).focus();
    await press(page, '?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    const listed = (): Promise<string[]> => page.getByTestId('keys-help').locator('dd').allTextContents();
    await eventually(() => listed()).toEqual(expect.arrayContaining(['audit', 'next row', 'find']));
    for (const elsewhere of ['save and go on', 'override the score', 'compare the marked runs'])
      expect(await listed()).not.toContain(elsewhere);
    // Keys belong to the dialog while it is open.
    await press(page, 'g', 'v', 'Escape');
    await page.getByTestId('keys-help').waitFor({ state: 'detached' });
    await eventually(() => new URL(page.url()).pathname).toBe(`/runs/${host.runId}`);
    await press(page, '/');
    await page.getByRole('searchbox', { name: 'Find tasks by id' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('gv?');
    await eventually(() => new URL(page.url()).searchParams.get('id')).toBe('gv?');
    await page.goto(`${host.url}/runs`);
    await page.getByRole('grid', { name: 'Runs' }).focus();
    await press(page, 'g', 'j');
    await page.getByRole('heading', { name: 'Judges' }).waitFor();
    await press(page, 'g', 'v');
    await item(page).waitFor();
    await press(page, '?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await eventually(() => listed()).toEqual(
      expect.arrayContaining(['save and go on', 'met', 'choose a criterion']),
    );
    // Of nine keys for criteria two have one here.
    await eventually(() =>
      page
        .getByTestId('keys-help')
        .getByText('choose a criterion')
        .locator('xpath=preceding-sibling::dt[1]')
        .textContent(),
    ).toBe('12');
    await press(page, 'Escape');
    await page.getByTestId('keys-help').waitFor({ state: 'detached' });
    // The second key belongs to the first: p is not "pass" here.
    await press(page, 'g', 'r');
    await page.getByRole('grid', { name: 'Runs' }).waitFor();
    for (const [key, name] of [
      ['u', 'Audit'],
      ['e', 'Settings'],
      ['t', 'Today'],
    ] as const) {
      await press(page, 'g', key);
      await page.getByRole('heading', { level: 1, name }).waitFor();
    }
    await page.goto(`${host.url}/runs/${host.runId}?task=reply-1`);
    await page.getByTestId('task-output').waitFor();
    await press(page, '?');
    await page.getByTestId('keys-help').getByText('override the score').waitFor();
    await eventually(() => listed()).toEqual(
      expect.arrayContaining(['previous task', 'next task', 'close the topmost thing']),
    );
    await press(page, 'Escape');

    await page.goto(`${host.url}/settings`);
    await page.getByLabel('Single-key shortcuts').selectOption('off');
    await page.goto(`${host.url}${SAMPLE}`);
    await item(page).waitFor();
    await press(page, 'g', 'r', '?', 'm', 'p', 's');
    await eventually(() => statesOf(page)).toEqual(['open', 'open']);
    expect(await page.getByTestId('keys-help').count()).toBe(0);
    await eventually(() => new URL(page.url()).pathname).toBe('/review');
    await page.getByRole('button', { name: 'Met' }).first().click();
    await eventually(() => statesOf(page)).toEqual(['met', 'open']);
    await page.goto(`${host.url}/runs/${host.runId}`);
    await page.getByRole('grid', { name: 'Tasks' }).focus();
    await press(page, 'j', 'ArrowDown');
    await page.locator('#row-1.active').waitFor();
    await context.close();
  });
});
