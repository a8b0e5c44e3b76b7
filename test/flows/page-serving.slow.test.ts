import { request } from 'node:http';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { eventually, findBrowser, openBrowser } from './browser.js';
import { newPage } from './page-host.js';
import { kill, type Serving, serve, temporaryFolder } from './processes.js';
import { openWholeHost, type WholeHost } from './whole-host.js';

// Goal: the page is served with everything that keeps it safe, and the link of `serve` signs the person at the machine in, once.

type Answer = {
  readonly status: number;
  readonly headers: { readonly [name: string]: unknown };
  readonly body: string;
};

/** `fetch` sets the name of the host by itself. */
const ask = (url: string, headers: { [name: string]: string }): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { headers: { accept: 'text/html', ...headers } }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      );
    });
    sent.on('error', reject).end();
  });

describe('the page', () => {
  let host: WholeHost;
  beforeAll(async () => {
    host = await openWholeHost();
  });
  afterAll(() => host.close());

  it('is sent for every address that a person opens, with a policy that lets nothing else in', async () => {
    for (const path of ['/', '/runs', '/runs/run-1/tasks/t', '/nowhere']) {
      const { status, headers, body } = await ask(host.url + path, {});
      expect([path, status]).toEqual([path, 200]);
      expect(body).toContain('<div id="page">');
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'permissions-policy': 'camera=(), microphone=(), geolocation=(), clipboard-read=()',
        vary: 'Accept-Encoding',
      });
    }
  });

  it('is no answer to a program, nor under the paths of the API', async () => {
    expect((await ask(`${host.url}/runs`, { accept: 'application/json' })).status).toBe(400);
    expect((await ask(`${host.url}/runs`, { accept: '*/*' })).status).toBe(400);
    expect((await ask(`${host.url}/`, { accept: '*/*' })).body).toContain('<div id="page">');
    expect((await ask(`${host.url}/`, { accept: 'application/json' })).status).toBe(400);
    expect((await ask(`${host.url}/v1/nowhere`, {})).status).toBe(404);
    expect((await ask(`${host.url}/.well-known/nowhere`, {})).body).not.toContain('<div');
    expect((await ask(`${host.url}/assets/nowhere.js`, {})).status).not.toBe(200);
  });

  it('brings files that a browser keeps for good, compressed as it likes', async () => {
    const { body } = await ask(`${host.url}/`, {});
    const [script = ''] = /\/assets\/[\w-]+\.js/.exec(body) ?? [];
    const encodings = await Promise.all(
      ['gzip, deflate, br', 'gzip', 'identity'].map(async (accepted) => {
        const { headers } = await ask(host.url + script, { 'accept-encoding': accepted });
        expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
        return headers['content-encoding'];
      }),
    );
    expect(encodings).toEqual(['br', 'gzip', undefined]);
    const { etag } = (await ask(`${host.url}/`, {})).headers;
    expect((await ask(`${host.url}/`, { 'if-none-match': String(etag) })).status).toBe(304);
  });

  it('is not there under a name that is not this host’s', async () => {
    const { port } = new URL(host.url);
    expect((await ask(`${host.url}/`, { host: `evil.example:${port}` })).status).toBe(421);
    expect((await ask(`${host.url}/`, { host: '127.0.0.1:9' })).status).toBe(421);
    expect((await ask(`${host.url}/`, { host: `localhost:${port}` })).status).toBe(200);
  });

  it('is not there when the operator wants none', async () => {
    const bare = await openWholeHost({ page: false });
    expect((await ask(`${bare.url}/`, {})).status).toBe(400);
    await bare.close();
  });
});

const browserPath = findBrowser();
describe.skipIf(browserPath === undefined)('the link of a host without keys', () => {
  const folder = temporaryFolder();
  let serving: Serving;
  let browser: Browser;
  let link: string;
  beforeAll(async () => {
    serving = await serve([], folder.path);
    link = await serving.told('open');
    browser = await openBrowser(browserPath as string);
  });
  afterAll(async () => {
    await browser?.close();
    await kill(serving);
    folder.remove();
  });

  test('signs in once and is cleaned out of the address', async () => {
    expect(link).toMatch(new RegExp(`^${serving.url}/open#[\\w-]{43}$`));
    const { page, context } = await newPage(browser);
    await page.goto(link);
    await page.getByTestId('empty').waitFor();
    await eventually(() => page.url()).toBe(`${serving.url}/`);
    await eventually(() => page.getByTestId('who').textContent()).toBe('operator');
    const [cookie] = await context.cookies();
    const alone = await ask(`${serving.url}/v1/host/touchstone/runs`, {
      cookie: `touchstone=${cookie?.value}`,
    });
    expect(alone.status).toBe(401);
    await context.close();

    const second = await newPage(browser);
    await second.page.goto(link);
    await second.page.getByTestId('error').waitFor();
    await eventually(() => second.page.getByTestId('error').getAttribute('data-code')).toBe(
      'unauthenticated',
    );
    await second.context.close();
  });
});
