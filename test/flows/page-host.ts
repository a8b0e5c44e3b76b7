import { asId, type RunId } from '@touchstone/protocol';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { findBrowser, openBrowser, openContext } from './browser.js';
import { KEY } from './processes.js';
import { openWholeHost, type WholeHost } from './whole-host.js';

/** What an answer must never become on the page. */
export const HOSTILE = `<script>globalThis.taken = 1</script><img src=x onerror="globalThis.taken = 1">[a](javascript:alert(1))\u202e`;

const WRONG_BEFORE = ['order-3', 'refund-1'];
const WRONG_AFTER = ['refund-1', 'refund-2', 'refund-3', 'refund-4', 'refund-5', 'refund-6'];
const agentCode = (wrong: readonly string[]): string => `export default ({ q }) => {
  if (q === 'tone-1') return ${JSON.stringify(HOSTILE)};
  return ${JSON.stringify(wrong)}.includes(q) ? 'no, ' + q : q;
};`;

const IDS = ['order', 'refund', 'invoice', 'tone'].flatMap((slice) =>
  Array.from({ length: slice === 'tone' ? 1 : 12 }, (_, at) => `${slice}-${at + 1}`),
);
export const golden = (taskId: string) => ({
  taskId,
  input: { q: taskId },
  expected: { kind: 'golden', match: { strategy: 'exact', value: taskId } },
});
export const pageSuite = (tasks: readonly object[], name = 'support') => ({
  suiteId: `local.shop.evals.${name}`,
  version: '1.0.0',
  modes: ['golden'],
  thresholds: { passScore: 0.8 },
  tasks,
});

export type PageHost = WholeHost & {
  /** Runs of version 1.7.2 and 1.8.0 of the same agent; the second one is worse. */
  readonly before: RunId;
  readonly after: RunId;
  evaluate(suiteId: string, version: string): Promise<RunId>;
};

/** A host with two runs to look at. `more` are agents beside the one of these runs, and files that they are made of. */
export async function openPageHost(
  config: object = {},
  more: { readonly agents?: readonly object[]; readonly files?: { readonly [path: string]: string } } = {},
): Promise<PageHost> {
  const agents = ['1.7.2', '1.8.0'].map((version) => ({
    agentId: 'local.shop.support',
    version,
    run: { kind: 'module', path: `./${version}.mjs` },
  }));
  const files = {
    '1.7.2.mjs': agentCode(WRONG_BEFORE),
    '1.8.0.mjs': agentCode(WRONG_AFTER),
    ...more.files,
  };
  const host = await openWholeHost({ agents: [...agents, ...(more.agents ?? [])], ...config }, { files });
  const evaluate = async (suiteId: string, version: string): Promise<RunId> => {
    const client = host.client();
    const agentId = `local.shop.support@${version}`;
    const { runId } = await client.runs.create({ mode: 'eval', evalSuiteRef: suiteId, agentId });
    await client.waitForScorecard(asId<RunId>(runId));
    return asId<RunId>(runId);
  };
  const suite = pageSuite(IDS.map(golden));
  await host.client().suites.install(suite as never);
  const before = await evaluate(suite.suiteId, '1.7.2');
  return { ...host, evaluate, before, after: await evaluate(suite.suiteId, '1.8.0') };
}

export type OpenPage = {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the page asked for, by full address. */
  readonly requests: readonly string[];
  /** What it logged, threw, or was kept from doing. */
  readonly troubles: readonly string[];
};

export async function newPage(browser: Browser, options: BrowserContextOptions = {}): Promise<OpenPage> {
  const context = await openContext(browser, { viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  const requests: string[] = [];
  const troubles: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => message.type() === 'error' && troubles.push(message.text()));
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('dialog', (dialog) => troubles.push(dialog.message()));
  return { page, context, requests, troubles };
}

/** A page that has signed in and shows an address. */
export async function openSignedIn(
  browser: Browser,
  host: Pick<WholeHost, 'url'>,
  path: string,
  options: BrowserContextOptions & { readonly key?: string } = {},
): Promise<OpenPage> {
  const { key = KEY, ...rest } = options;
  const opened = await newPage(browser, rest);
  const { page } = opened;
  await page.goto(`${host.url}/sign-in?back=${encodeURIComponent(path)}`);
  await page.getByTestId('sign-in-key').fill(key);
  await page.getByTestId('sign-in-submit').click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  return opened;
}

export type Pages<Host> = {
  readonly host: Host;
  readonly browser: Browser;
  readonly isSkipped: boolean;
};

/** A host and a browser, for all tests of a file. Neither is there where no browser is. */
export function setUpPagesOf<Host extends { close(): Promise<void> }>(
  open: () => Promise<Host>,
): Pages<Host> {
  const path = findBrowser();
  const opened: { host?: Host; browser?: Browser } = {};
  beforeAll(async () => {
    if (path === undefined) return;
    [opened.host, opened.browser] = await Promise.all([open(), openBrowser(path)]);
  });
  afterAll(async () => {
    await opened.browser?.close();
    await opened.host?.close();
  });
  return {
    isSkipped: path === undefined,
    get host() {
      return opened.host as Host;
    },
    get browser() {
      return opened.browser as Browser;
    },
  };
}

/** A host with two runs and a browser. */
export const setUpPages = (): Pages<PageHost> => setUpPagesOf(openPageHost);
