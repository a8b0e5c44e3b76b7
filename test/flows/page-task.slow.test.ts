import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { eventually } from './browser.js';
import { openSignedIn, setUpPagesOf } from './page-host.js';
import { CANARY, openRecordHost } from './record-host.js';
import { RUNNER_KEY } from './whole-host.js';

// Goal: people see in a browser what happened in a task and what a run came to, and can say what they think of it. Method: a real
// host with models, tools, votes and repeats, looked at in a real browser; what is shown is held against the API.

const pages = setUpPagesOf(openRecordHost);

const runPath = (rest = '') => `/runs/${pages.host.runId}${rest}`;
const open = (path: string, options = {}) => openSignedIn(pages.browser, pages.host, path, options);
const kindsOf = (page: Page): Promise<(string | null)[]> =>
  page.getByTestId('span').evaluateAll((found) => found.map((row) => row.getAttribute('data-kind')));

describe.skipIf(pages.isSkipped)('the page of a task', () => {
  test('shows its calls in time, what was said in them, votes and repeats', async () => {
    const { page, context, troubles } = await open(runPath('/tasks/refund-1'));
    await page.getByTestId('span').first().waitFor();
    await eventually(() => kindsOf(page)).toEqual(['model', 'tool', 'model', 'judge']);
    await page.getByTestId('span').nth(3).click();
    await page.getByText('paper/judge-1 × 3').first().waitFor();
    await eventually(() => page.getByTestId('vote').count()).toBe(3);
    await page.getByTestId('span').nth(1).click();
    const step = page.getByRole('region', { name: /^Step tool/ });
    await step.waitFor();
    await eventually(() => step.locator('pre').allTextContents()).toEqual([
      `{\n  "order": "${CANARY}"\n}`,
      `{\n  "day": "Monday",\n  "of": "${CANARY}"\n}`,
    ]);
    await page.getByTestId('span').nth(0).click();
    await page.getByText(`The customer of ${CANARY} asks for a day.`).waitFor();
    await page.getByText('bar 0.80').waitFor();
    await page.getByText('judge paper/judge-1').waitFor();
    const given = page
      .getByRole('region')
      .or(page.locator('section'))
      .filter({ hasText: /^Given/ });
    await given.getByRole('button', { name: 'Raw' }).click();
    await eventually(() => page.getByTestId('raw').textContent()).toBe('"Where is my parcel?"');
    await eventually(() => page.getByTestId('task-input').textContent()).toBe('Where is my parcel?');
    const [first] = (await pages.host.client().task(pages.host.runId, 'refund-1')).invocations;
    const criteria = page.getByTestId('criterion');
    await eventually(() =>
      criteria.evaluateAll((found) => found.map((one) => one.getAttribute('data-met'))),
    ).toEqual(first?.result?.criteria?.map(({ met }) => String(met === 1)));
    for (const [at, { reason }] of ((first?.criteria ?? []) as { reason: string }[]).entries()) {
      await eventually(() => criteria.nth(at).textContent()).toContain(reason);
      await eventually(() => criteria.nth(at).textContent()).toMatch(/[23] of 3 votes/);
    }
    await page.getByRole('tab', { name: /^1/ }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: /^2/, selected: true }).waitFor();
    await page.keyboard.press(']');
    await page.getByRole('heading', { name: 'hours-1', exact: true }).waitFor();
    await page.getByText('No model and no tool was called').or(page.getByTestId('span')).first().waitFor();
    await page.keyboard.press('d');
    await page.getByTestId('diff').waitFor();
    expect(troubles).toEqual([]);
    await context.close();
  });

  test('takes remarks, and a correction with a reason; both results are shown, and the log stays', async () => {
    const client = pages.host.client();
    const log = JSON.stringify((await client.pollEvents(pages.host.runId, {})).events);
    const { page, context } = await open(runPath('/tasks/late-1'));
    await page.getByRole('textbox', { name: 'New remark' }).fill('Ten is right <b>on Sundays</b>.');
    await page.getByRole('button', { name: 'Add remark' }).click();
    await page.getByTestId('remark').getByText('Ten is right <b>on Sundays</b>.').waitFor();
    await page.getByRole('heading', { name: 'late-1' }).click();
    await page.keyboard.press('o');
    const dialog = page.getByRole('dialog', { name: 'Override' });
    await dialog.waitFor();
    await page.getByTestId('override-value').fill('0.9');
    await eventually(() => page.getByTestId('override-save').isDisabled()).toBe(true);
    await dialog.getByText('An override needs a reason.').waitFor();
    await page.getByTestId('override-reason').fill('On Sundays the desk opens at ten.');
    await page.getByTestId('override-save').click();
    await page.getByTestId('adjusted').waitFor();
    await eventually(() => page.getByTestId('adjusted').textContent()).toMatch(
      /Measured 0\.00.*corrected 0\.90/,
    );
    await page.getByTestId('adjusted').and(page.locator(':focus')).waitFor();
    expect(JSON.stringify((await client.pollEvents(pages.host.runId, {})).events)).toBe(log);
    const { adjusted } = await client.runs.report(pages.host.runId);
    await page.goto(pages.host.url + runPath('/report'));
    await page.getByTestId('adjusted').waitFor();
    await eventually(() => page.getByTestId('adjusted').getAttribute('data-value')).toBe(
      String(adjusted?.score),
    );
    await context.close();
  });

  test('has no correction that works for a key without the scope, and says which one', async () => {
    const { page, context } = await open(runPath('/tasks/late-1'), { key: RUNNER_KEY });
    await page.getByTestId('override-open').waitFor();
    await eventually(() => page.getByTestId('override-open').isDisabled()).toBe(true);
    await eventually(() => page.getByTestId('override-open').getAttribute('title')).toContain(
      'evals:override',
    );
    await context.close();
  });
});

describe.skipIf(pages.isSkipped)('the pages of a run', () => {
  test('find tasks by their content without telling the address, and show them to be read', async () => {
    const { page, context, requests } = await open(runPath());
    await page.locator('[data-task]').first().waitFor();
    const find = page.getByRole('searchbox', { name: 'Find tasks by id' });
    // Key by key, as people do: the first ones could be those of an id.
    await find.pressSequentially('text: PARCEL');
    await find.press('Enter');
    await page.getByText('1 of 10').waitFor();
    await page.getByRole('button', { name: 'Reading' }).click();
    await page.getByText(`Your ${CANARY} arrives on Monday.`).waitFor();
    const reopened = await context.newPage();
    await reopened.goto(page.url());
    await reopened.getByText('1 of 10').waitFor();
    expect(requests.filter((url) => /parcel/i.test(new URL(url).search + new URL(url).pathname))).toEqual([]);
    await find.fill('late');
    await page.locator('[data-task="late-1"]').waitFor();
    await eventually(() => new URL(page.url()).hash).toBe('');
    await context.close();
  });
});
