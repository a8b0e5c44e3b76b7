import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../packages/touchstone/src/app/principal.js';
import type { Touchstone } from '../../packages/touchstone/src/app/touchstone.js';
import { LOOKS, violationsOf } from './axe.js';
import { eventually, findBrowser, openBrowser } from './browser.js';
import { openPageHost, openSignedIn, type PageHost } from './page-host.js';
import { ROUTES, type Route, type RouteIds, workingWrites } from './page-routes.js';
import { KEY, OTHER_KEY } from './processes.js';
import { openWholeHost } from './whole-host.js';

// Goal: no page shows a stranger anything, and whoever may only look finds nothing that works. Method: one host of two tenants with a
// run, an agent and a question of the first; every page of the table, with the ids of the first, as the second and as a viewer.

const VIEWER_KEY = 'test-key-of-acme-viewer-0123456789';
const PRIVATE = 'local.acme.private';
const GATE = { gateId: 'release', agentId: PRIVATE, to: 'test', approval: { requiredRole: 'admin' } };
const CONFIG = {
  keys: [
    { key: KEY, tenant: 'acme', principal: 'lead', roles: ['admin'] },
    { key: VIEWER_KEY, tenant: 'acme', principal: 'viewer', roles: ['viewer'] },
    { key: OTHER_KEY, tenant: 'globex', principal: 'stranger', roles: ['admin'] },
  ],
  roles: { viewer: ['runs:read', 'audit:read'] },
  gates: [GATE],
  egress: { allowPrivate: true },
};

const path = findBrowser();
let host: PageHost;
let browser: Browser;
let ids: RouteIds;
beforeAll(async () => {
  if (path === undefined) return;
  [host, browser] = await Promise.all([openPageHost(CONFIG), openBrowser(path)]);
  const body = { agentId: PRIVATE, version: '1.0.0', run: { kind: 'http', url: 'http://127.0.0.1:9/' } };
  await host.fetch(`/v1/host/touchstone/agents/${PRIVATE}`, { method: 'PUT', body });
  const { runId: approvalId = '' } = await host
    .client()
    .deployments.transition(PRIVATE, { version: '1.0.0', transition: 'promote' } as never);
  ids = {
    runId: host.after,
    otherRunId: host.before,
    taskId: 'refund-2',
    suiteId: 'local.shop.evals.support',
    agentId: PRIVATE,
    approvalId,
  };
});
afterAll(async () => {
  await browser?.close();
  await host?.close();
});

/** Names that nothing has. */
const ABSENT: RouteIds = {
  runId: 'run-01absent',
  otherRunId: 'run-02absent',
  taskId: 'refund-2',
  suiteId: 'local.shop.evals.absent',
  agentId: 'local.acme.absent',
  approvalId: 'run-03absent',
};

/** What the page says, with the ids that it was asked for replaced. */
async function saidOf(page: Page, asked: RouteIds): Promise<string> {
  const text = (await page.locator('main').textContent()) ?? '';
  return Object.entries(asked)
    .reduce((said, [name, id]) => said.replaceAll(id, `<${name}>`).replaceAll(`…${id.slice(-6)}`, '…'), text)
    .replaceAll(/\d+ s ago/g, '<moment>');
}

/** A page that has nothing to show says so. */
const NOTHING = 'main :is([data-testid=error], [data-testid=empty])';
/** Whether the address names nothing that somebody owns. */
const isOfAll = (route: Route): boolean => route.path(ids) === route.path(ABSENT);

/** Resolves when everything that the page asks for has been answered: some pages say more than once that there is nothing. */
async function openAsStranger(page: Page, route: Route, asked: RouteIds): Promise<void> {
  await page.goto(host.url + route.path(asked));
  await page
    .locator(isOfAll(route) ? `${NOTHING}, main ${route.sign}` : NOTHING)
    .first()
    .waitFor();
  await page.waitForLoadState('networkidle');
}

describe.skipIf(path === undefined)('every page', () => {
  test('shows what is there to its owner, whose write controls work', async () => {
    const { page, context, troubles } = await openSignedIn(browser, host, '/runs');
    for (const route of ROUTES) {
      await page.goto(host.url + route.path(ids));
      await page.locator(route.sign).first().waitFor();
      await eventually(() => workingWrites(page)).toEqual(expect.arrayContaining([...(route.writes ?? [])]));
    }
    expect(troubles).toEqual([]);
    await context.close();
  });

  test('looks to a stranger as if nothing of it existed', async () => {
    const { page, context } = await openSignedIn(browser, host, '/runs', { key: OTHER_KEY });
    const other = await context.newPage();
    for (const route of ROUTES) {
      if (isOfAll(route)) {
        await openAsStranger(page, route, ids);
        const shown = (await page.locator('main').textContent()) ?? '';
        for (const id of [ids.runId, ids.approvalId, PRIVATE])
          expect([route.path(ids), shown.includes(id)]).toEqual([route.path(ids), false]);
        continue;
      }
      await Promise.all([openAsStranger(page, route, ids), openAsStranger(other, route, ABSENT)]);
      await eventually(async () => {
        const said = await Promise.all([saidOf(page, ids), saidOf(other, ABSENT)]);
        return said[0] === said[1] ? 'the same' : [route.path(ids), said];
      }).toBe('the same');
    }
    await context.close();
  });

  test('has no write control that works for a viewer', async () => {
    const { page, context, troubles } = await openSignedIn(browser, host, '/runs', { key: VIEWER_KEY });
    for (const route of ROUTES) {
      await page.goto(host.url + route.path(ids));
      await page.locator(route.sign).first().waitFor();
      expect([route.path(ids), await workingWrites(page)]).toEqual([route.path(ids), []]);
    }
    await page.goto(`${host.url}/settings`);
    await page.getByText('it needs the scope keys:read').waitFor();
    // What the key may not read is not asked for.
    expect(troubles).toEqual([]);
    await context.close();
  });
});

describe.skipIf(path === undefined)('axe finds nothing', () => {
  test.each(LOOKS)('on any page, %s', async (_, look) => {
    const { page, context } = await openSignedIn(browser, host, '/runs', look);
    for (const route of [...ROUTES, { path: () => '/answer#nonsense', sign: '[data-testid=error]' }]) {
      await page.goto(host.url + route.path(ids));
      await page.locator(route.sign).first().waitFor();
      expect([route.path(ids), await violationsOf(page)]).toEqual([route.path(ids), []]);
      await eventually(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
    await context.close();
  });
});

describe.skipIf(path === undefined)('a promotion', () => {
  test('can be prepared without a mouse, and axe finds nothing in its dialog', async () => {
    const { page, context } = await openSignedIn(browser, host, `/agents/${PRIVATE}`);
    await page.getByTestId('promote-open').focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Promote…' });
    await dialog.getByTestId('gate').waitFor();
    await eventually(() => dialog.getByRole('button', { name: 'Ask 1 person' }).isEnabled()).toBe(true);
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await eventually(() => page.evaluate('document.activeElement.dataset.testid')).toBe('promote-open');
    await context.close();
  });
});

describe.skipIf(path === undefined)('settings', () => {
  test('are kept, and single keys that are switched off do nothing', async () => {
    const { page, context } = await openSignedIn(browser, host, '/settings');
    await eventually(() => page.locator('dd[data-testid=who]').textContent()).toBe('lead');
    await page.getByLabel('Single-key shortcuts').selectOption('off');
    await page.getByLabel('Theme', { exact: true }).selectOption('dark');
    await page.getByLabel('Density of rows').selectOption('compact');
    await page.goto(`${host.url}/runs`);
    await page.locator('#row-1').waitFor();
    await eventually(() => page.locator('html').getAttribute('data-theme')).toBe('dark');
    expect((await page.locator('#row-1').boundingBox())?.height).toBe(28);
    await page.getByRole('grid', { name: 'Runs' }).focus();
    await page.keyboard.press('j');
    await eventually(() => page.locator('#row-0').getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('ArrowDown');
    await page.locator('#row-1[aria-selected=true]').waitFor();
    await context.close();
  });
});

describe.skipIf(path === undefined)('a session', () => {
  test('is worth nothing without the half that the page keeps, and ends with its key', async () => {
    let touchstone: Touchstone | undefined;
    const single = await openWholeHost(CONFIG, {
      wrap: (made) => {
        touchstone = made;
        return made;
      },
    });
    const { page, context } = await openSignedIn(browser, single, '/runs');
    await page.getByTestId('empty').waitFor();
    const [cookie] = await context.cookies();
    const alone = await single.fetch('/v1/host/touchstone/session', {
      key: null,
      headers: { cookie: `${cookie?.name}=${cookie?.value}` },
    });
    expect(alone.status).toBe(401);
    const { keys } = (touchstone as Touchstone).store;
    const owner = { tenant: 'acme', workspace: 'main' };
    const [keyHash, createdAt] = [hashKey(KEY), Date.now()];
    await keys.put({ keyHash, owner, principal: 'lead', roles: ['admin'], createdAt });
    await keys.revoke(keyHash, createdAt);
    await page.getByTestId('sign-in-key').waitFor();
    await eventually(() => new URL(page.url()).searchParams.get('back')).toBe('/runs');
    await context.close();
    await single.close();
  });
});
