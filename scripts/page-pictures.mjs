// node scripts/page-pictures.mjs [--all <folder>] [--only <name>]
// Takes the pictures of docs/images from a real host with made-up data: a support desk in four versions, its suite, a judge, a gate and
// people who review. With --all every page and every state of it in both themes and three widths, to look at before a release.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createClient } from '@touchstone/sdk';
import { chromium } from 'playwright-core';
import { statesOf } from './page-pictures/states.mjs';
import {
  AGENT,
  configOf,
  drawn,
  KEYS,
  keyOf,
  SUITE,
  startModel,
  suite,
  VERSIONS,
} from './page-pictures/world.mjs';

const { values } = parseArgs({ options: { all: { type: 'string' }, only: { type: 'string' } } });
const COMMAND = fileURLToPath(new URL('../packages/touchstone/bin/touchstone.js', import.meta.url));
const IMAGES = fileURLToPath(new URL('../docs/images/', import.meta.url));
const BROWSERS = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'];

async function withHost(use) {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-pictures-'));
  const model = await startModel();
  writeFileSync(join(folder, 'touchstone.config.json'), JSON.stringify(configOf(model.baseUrl)));
  const child = spawn(process.execPath, [COMMAND, 'serve', '--port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  try {
    for await (const line of createInterface({ input: child.stdout })) return await use(line.split(' ')[1]);
  } finally {
    child.kill('SIGTERM');
    await ended;
    model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Everything that the pictures show. */
async function fill(url) {
  const as = (name) => createClient({ baseUrl: url, key: keyOf(name) });
  const client = as(KEYS.asks);
  await client.suites.install(suite);
  const evaluate = async (version, more = {}) => {
    const { runId } = await client.runs.create({
      mode: 'eval',
      evalSuiteRef: SUITE,
      agentId: `${AGENT}@${version}`,
      configurable: { concurrency: 16, ...more },
    });
    await client.waitForScorecard(runId);
    return runId;
  };
  const people = [as(KEYS.grants), as(KEYS.reviews)];
  const runs = {};
  for (const version of VERSIONS.slice(0, 3)) {
    runs[version] = await evaluate(version, runs['1.6.0'] && { baselineRunId: runs['1.6.0'] });
    if (version === '1.7.2') await client.baselines.bless(runs[version]);
    runs.approval = await promote(
      client,
      version,
      runs[version],
      version === '1.7.2' ? people.slice(1) : people,
    );
  }
  runs['1.8.0'] = await evaluate('1.8.0', { baselineRunId: runs['1.7.2'] });
  for (const name of [KEYS.reviews, KEYS.asks]) await label(as(name), runs['1.7.2'], name);
  return runs;
}

/** The next version is asked for in steps; people grant it unless it is to wait for them. */
async function promote(client, version, evalRunId, people) {
  for (const toState of ['test', 'staged'])
    await client.deployments.transition(AGENT, { version, transition: 'promote', toState });
  const { runId } = await client.deployments.transition(AGENT, {
    version,
    transition: 'promote',
    toState: 'active',
    channel: 'stable',
    evalRunId,
  });
  for (const person of people) await person.interrupts.resolve(runId, 'approval', { decision: 'granted' });
  return runId;
}

/** Labels of a person who mostly reads what is there. */
async function label(client, runId, who) {
  const { items } = await client.review.list({ source: 'sample', n: 1000, seed: 7, runId });
  const late = items.filter(({ taskId }) => taskId.startsWith('delay')).slice(0, 30);
  for (const { taskId, answers } of late) {
    const [{ result }] = (await client.task(runId, taskId)).invocations;
    for (const { id, met } of result.criteria) {
      const isMet = met === 1;
      const says = drawn(who, taskId, id) < 0.08 ? !isMet : isMet;
      const label = `review:${says ? 'met' : 'unmet'}:${id}`;
      await client.runs.annotate(runId, {
        target: { eventId: answers[0] },
        signal: { kind: 'label', label },
      });
    }
  }
}

const PAGES = ({ runs }) => ({
  today: '/',
  runs: '/runs',
  run: `/runs/${runs['1.8.0']}?outcome=failed`,
  task: `/runs/${runs['1.8.0']}?outcome=failed&task=refund-003`,
  'task-page': `/runs/${runs['1.8.0']}/tasks/delay-001`,
  report: `/runs/${runs['1.8.0']}/report`,
  events: `/runs/${runs['1.8.0']}/events`,
  about: `/runs/${runs['1.8.0']}/about`,
  compare: `/compare?runs=${runs['1.7.2']},${runs['1.8.0']}`,
  matrix: `/compare?runs=${VERSIONS.map((version) => runs[version])}&view=matrix`,
  answers: `/compare?runs=${runs['1.7.2']},${runs['1.8.0']}&view=answers`,
  suites: '/suites',
  suite: `/suites/${SUITE}`,
  history: `/suites/${SUITE}/history`,
  'suite-matrix': `/suites/${SUITE}/matrix`,
  agents: '/agents',
  agent: `/agents/${AGENT}`,
  approvals: '/approvals',
  review: `/review?source=low-agreement&runId=${runs['1.7.2']}`,
  judges: '/judges',
  audit: '/audit',
  settings: '/settings',
});

/** Those of the documentation. */
const KEPT = ['task', 'compare', 'history', 'agent', 'review'];
const WIDTHS = { 1440: 900, 1024: 768, 390: 844 };

async function shoot(browser, url, pages, { folder, theme, width }) {
  const context = await browser.newContext({
    viewport: { width, height: WIDTHS[width] },
    colorScheme: theme,
    deviceScaleFactor: values.all ? 1 : 1.5,
  });
  const page = await context.newPage();
  await page.goto(`${url}/sign-in`);
  await page.getByTestId('sign-in-key').fill(keyOf(KEYS.grants));
  await page.getByTestId('sign-in-submit').click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  for (const [name, [path, act]] of pages) {
    await page.goto('about:blank');
    await page.goto(url + path);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => undefined);
    await act?.(page);
    await page.screenshot({
      path: join(folder, values.all ? `${name}-${theme}-${width}.png` : `${name}.png`),
    });
  }
  await context.close();
}

const executablePath = BROWSERS.find((path) => path && existsSync(path));
if (!executablePath) throw new Error('There is no Chromium. Install it, or name one in CHROMIUM.');
const folder = values.all ?? IMAGES;
mkdirSync(folder, { recursive: true });
await withHost(async (url) => {
  const runs = await fill(url);
  const pages = Object.entries(PAGES({ runs })).map(([name, path]) => [name, [path]]);
  const all = [...pages, ...Object.entries(statesOf({ runs, approval: runs.approval }))];
  const chosen = all.filter(([name]) =>
    values.only ? name === values.only : values.all || KEPT.includes(name),
  );
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  const looks = values.all
    ? ['light', 'dark'].flatMap((theme) => [1440, 1024, 390].map((width) => ({ theme, width })))
    : [{ theme: 'light', width: 1440 }];
  for (const look of looks) await shoot(browser, url, chosen, { folder, ...look });
  await browser.close();
});
