import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import { expect } from 'vitest';

/** Where Chromium usually is; `CHROMIUM` names another place. */
const PLACES = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** The browser of this machine. Says so when there is none; where everything is required, that is an error. */
export function findBrowser(): string | undefined {
  const found = PLACES.find((place) => place !== undefined && existsSync(place));
  if (found !== undefined) return found;
  if (process.env.TOUCHSTONE_REQUIRE_ALL)
    throw new Error('Chromium is required here, and is not installed: apt-get install chromium');
  process.stderr.write('There is no Chromium: the tests that open a page in a browser are skipped.\n');
  return undefined;
}

export const openBrowser = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });

/** Bounds a wait for something that never comes; a busy machine takes long. */
const PATIENCE_MS = 120_000;

export async function openContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

/** Holds what is read against what is expected, again and again until it fits: a page is drawn some time after what it is drawn for. */
export const eventually = (read: () => unknown): ReturnType<typeof expect.poll> =>
  expect.poll(read, { timeout: PATIENCE_MS, interval: 20 });
