import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

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
