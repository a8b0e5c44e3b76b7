// A browser process of its own for every measurement: what one page has warmed up is not there for the next.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const PLACES = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

export const findBrowser = () => PLACES.find((place) => place && existsSync(place));

export async function withBrowser(use) {
  const executablePath = findBrowser();
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    return await use(browser);
  } finally {
    await browser.close();
  }
}

const VIEWPORT = { viewport: { width: 1440, height: 900 } };

/** A page, and what went wrong on it. */
export async function openPage(browser, storageState) {
  const context = await browser.newContext({ ...VIEWPORT, ...(storageState && { storageState }) });
  const page = await context.newPage();
  const troubles = [];
  page.on('console', (message) => message.type() === 'error' && troubles.push(message.text()));
  page.on('pageerror', (error) => troubles.push(error.message));
  return { context, page, troubles };
}

/** Reads the cost of a page from the browser: seconds of the main thread, bytes of the heap. */
export async function openMeter(context, page) {
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable');
  const read = async (name) => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find((metric) => metric.name === name).value;
  };
  return {
    taskMs: async () => (await read('TaskDuration')) * 1000,
    async heapBytes() {
      await session.send('HeapProfiler.collectGarbage');
      return read('JSHeapUsedSize');
    },
  };
}

/**
 * Watches for the first element that fits, and answers the promise of the time at which it is painted. The page itself tells: who
 * asks from outside asks now and then, and the time between two questions would be counted as the page's.
 */
export async function watchPaint(page, selector) {
  let tell;
  const painted = new Promise((resolve) => {
    tell = resolve;
  });
  await page.exposeFunction('tellPainted', tell);
  await page.addInitScript(tellWhenPainted, selector);
  return { painted };
}

/** In the browser. */
function tellWhenPainted(selector) {
  const tell = () => globalThis.tellPainted(performance.timeOrigin + performance.now());
  const watcher = new MutationObserver(() => {
    if (document.querySelector(selector) === null) return;
    watcher.disconnect();
    requestAnimationFrame(() => setTimeout(tell));
  });
  watcher.observe(document, { childList: true, subtree: true });
}
