import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock, type ManualClock } from '../../../app/testing/manual-clock.js';
import { createFetching, refusalOf, textOf } from './testing/fetching.js';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

let answers: { [path: string]: Answer };
let requests: string[];
let base: string;
let port: number;
let close: () => Promise<void>;

beforeEach(async () => {
  answers = { '/rows.csv': (response) => response.end('input\na\n') };
  requests = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    const answer = answers[(request.url ?? '').split('?')[0] ?? ''];
    if (answer) answer(response, request);
    else response.writeHead(404).end('CANARY');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  base = `http://127.0.0.1:${port}`;
  close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  };
});
afterEach(() => close());

const redirect =
  (location: string, status = 302): Answer =>
  (response) =>
    response.writeHead(status, { location }).end();

describe('who may reach what', () => {
  it('the operator reads from this machine by http', async () => {
    const { open } = createFetching();
    const opened = await open(`http://localhost:${port}/rows.csv`);
    expect(opened.name).toBe('rows.csv');
    expect(await textOf(opened)).toBe('input\na\n');
  });

  it('a tenant does not, and nobody reads from other machines by http', async () => {
    const { open } = createFetching();
    const urls = [
      `${base}/rows.csv`,
      `http://localhost:${port}/rows.csv`,
      `http://data.example:${port}/rows.csv`,
    ];
    for (const url of urls) {
      expect(await refusalOf(open(url, { trust: 'tenant' }))).toMatchObject({ code: 'dataset_refused' });
    }
    expect(await refusalOf(open(`http://data.example:${port}/rows.csv`))).toMatchObject({
      code: 'dataset_refused',
    });
    expect(requests).toEqual([]);
  });

  it.each(['127.0.0.1', '169.254.169.254', '10.0.0.1', '::1', '::ffff:127.0.0.1'])(
    'a name that leads to %s is not followed, whoever asks',
    async (address) => {
      const names = { 'data.example': address };
      for (const setup of [{ names }, { names, config: { allowHttp: true } }]) {
        for (const trust of ['operator', 'tenant'] as const) {
          for (const scheme of setup.config ? ['http', 'https'] : ['https']) {
            const refusal = await refusalOf(
              createFetching(setup).open(`${scheme}://data.example:${port}/rows.csv`, { trust }),
            );
            expect(refusal).toMatchObject({ code: 'dataset_refused' });
            expect(refusal.message).toContain('not public');
          }
        }
      }
      expect(requests).toEqual([]);
    },
  );

  it('private addresses and a list of hosts are the choice of the operator', async () => {
    const { read } = createFetching({ egress: { allowPrivate: true } });
    expect(await read(`http://data.example:${port}/rows.csv`, { trust: 'tenant' })).toBe('input\na\n');
    const listed = createFetching({ egress: { allowPrivate: true, allowHosts: ['other.example'] } });
    const refusal = await refusalOf(listed.open(`http://data.example:${port}/rows.csv`, { trust: 'tenant' }));
    expect(refusal.message).toContain('allowlist');
  });
});

describe('redirects', () => {
  const setup = { egress: { allowPrivate: true } };

  it('are followed three times and named by where they end', async () => {
    answers['/1'] = redirect('/2', 301);
    answers['/2'] = redirect(`${base}/3`, 307);
    answers['/3'] = redirect('rows.csv', 303);
    answers['/0'] = redirect('/1');
    const { open } = createFetching(setup);
    const opened = await open(`${base}/1`);
    expect([opened.name, await textOf(opened)]).toEqual(['rows.csv', 'input\na\n']);
    expect((await refusalOf(open(`${base}/0`))).message).toContain('more than 3 times');
  });

  it('are checked anew', async () => {
    answers['/away'] = redirect(`http://metadata.example:${port}/rows.csv`);
    answers['/secret'] = redirect(`http://user:hunter2@127.0.0.1:${port}/rows.csv`);
    answers['/nowhere'] = redirect('http://');
    answers['/ftp'] = redirect('ftp://127.0.0.1/rows.csv');
    for (const path of ['/away', '/secret', '/nowhere', '/ftp']) {
      const refusal = await refusalOf(createFetching().open(`${base}${path}`));
      expect(refusal).toMatchObject({ kind: 'validation_error', code: 'dataset_refused' });
      expect(refusal.message).not.toMatch(/hunter2|metadata/);
    }
    expect(requests.filter((path) => path === '/rows.csv')).toEqual([]);
  });

  it('a server elsewhere cannot send the operator to a service of this machine', async () => {
    answers['/out'] = redirect(`http://localhost:${port}/rows.csv`);
    // The host list stands for the outside: it admits the name elsewhere and not this machine's own.
    const { open } = createFetching({ egress: { allowPrivate: true, allowHosts: ['data.example'] } });
    expect((await refusalOf(open(`http://data.example:${port}/out`))).message).toContain('allowlist');
    expect(requests).toEqual(['/out']);
  });
});

describe('what comes back', () => {
  it.each([
    [401, 'validation_error', 'dataset_denied'],
    [403, 'validation_error', 'dataset_denied'],
    [404, 'validation_error', 'dataset_not_found'],
    [410, 'validation_error', 'dataset_not_found'],
    [400, 'validation_error', 'dataset_refused'],
    [204, 'validation_error', 'dataset_refused'],
    [206, 'validation_error', 'dataset_refused'],
    [429, 'unavailable', 'dataset_unavailable'],
    [503, 'unavailable', 'dataset_unavailable'],
  ])('status %d is %s, %s', async (status, kind, code) => {
    answers['/rows.csv'] = (response) =>
      response.writeHead(status).end(status === 204 ? undefined : 'CANARY');
    const refusal = await refusalOf(createFetching().open(`${base}/rows.csv?who=CANARY`));
    expect(refusal).toMatchObject({ kind, code });
    expect(refusal.message).toContain(String(status));
    expect(refusal.message).not.toMatch(/CANARY|127\.0\.0\.1/);
  });

  it('compressed answers are refused, whatever they would become', async () => {
    answers['/rows.csv'] = (response, request) => {
      expect(request.headers['accept-encoding']).toBe('identity');
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(1_000_000)));
    };
    expect((await refusalOf(createFetching().open(`${base}/rows.csv`))).message).toContain('compressed');
  });

  it('an answer that is too large is refused by its head, or as soon as it is', async () => {
    const { open, read } = createFetching({ config: { maxBytes: 10 } });
    answers['/told'] = (response) => response.writeHead(200, { 'content-length': 11 }).end('x'.repeat(11));
    expect(await refusalOf(open(`${base}/told`))).toMatchObject({ code: 'dataset_too_large' });
    const closed = new Promise<void>((resolve) => {
      answers['/endless'] = (response) => {
        response.on('close', resolve);
        const write = (): void =>
          void (response.destroyed || response.write('x'.repeat(8), () => setImmediate(write)));
        write();
      };
    });
    expect(await refusalOf(read(`${base}/endless`))).toMatchObject({ code: 'dataset_too_large' });
    await closed;
  });

  it('a body that is cut off is an error and not a shorter dataset', async () => {
    answers['/length'] = (response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('input\na\n', () => response.destroy());
    };
    answers['/chunked'] = (response) => void response.write('input\na\n', () => response.destroy());
    for (const path of ['/length', '/chunked']) {
      expect(await refusalOf(createFetching().read(`${base}${path}`))).toMatchObject({
        kind: 'unavailable',
        code: 'dataset_unavailable',
      });
    }
  });

  it('no connection is an error that may pass', async () => {
    await close();
    expect(await refusalOf(createFetching().open(`${base}/rows.csv`))).toMatchObject({
      code: 'dataset_unavailable',
    });
    close = async () => undefined;
  });

  it('a server that says nothing is left when the time is over', async () => {
    const clock = createManualClock();
    const asked = new Promise<void>((resolve) => {
      answers['/slow'] = () => resolve();
    });
    const opening = refusalOf(createFetching({ clock, config: { timeoutMs: 1_000 } }).open(`${base}/slow`));
    await asked;
    await clock.advance(1_000);
    expect(await opening).toMatchObject({ kind: 'unavailable', code: 'dataset_timeout' });
    expect(clock.sleeping).toBe(0);
  });

  /** Opens an answer that stops after its first bytes, and reads those. */
  async function readFirst(options: { clock: ManualClock; signal?: AbortSignal }) {
    const left = new Promise<void>((resolve) => {
      answers['/slow'] = (response) => {
        response.on('close', resolve);
        response.write('input\n');
      };
    });
    const { clock, ...open } = options;
    const opened = await createFetching({ clock, config: { timeoutMs: 1_000 } }).open(`${base}/slow`, open);
    const iterator = opened.bytes[Symbol.asyncIterator]();
    await iterator.next();
    return { rest: iterator.next(), left };
  }

  it('a server that stops in the middle is left when the time is over', async () => {
    const clock = createManualClock();
    const { rest, left } = await readFirst({ clock });
    const refusal = refusalOf(rest);
    await clock.advance(1_000);
    expect(await refusal).toMatchObject({ kind: 'unavailable', code: 'dataset_timeout' });
    await left;
    expect(clock.sleeping).toBe(0);
  });

  it('whoever asked can give up, and then everything is let go', async () => {
    const clock = createManualClock();
    const giveUp = new AbortController();
    const { signal } = giveUp;
    const { rest, left } = await readFirst({ clock, signal });
    const refused = expect(rest).rejects.toThrow('enough');
    giveUp.abort(new Error('enough'));
    await refused;
    await left;
    expect(clock.sleeping).toBe(0);
    await expect(createFetching().open(`${base}/rows.csv`, { signal })).rejects.toThrow('enough');
  });

  it('a reader that leaves, and one that never comes, let the server go', async () => {
    const clock = createManualClock();
    const left = [0, 1].map(
      (index) =>
        new Promise<void>((resolve) => {
          answers[`/${index}`] = (response) => {
            response.on('close', resolve);
            response.write('input\n');
          };
        }),
    );
    const { open } = createFetching({ clock });
    for await (const _ of (await open(`${base}/0`)).bytes) break;
    (await open(`${base}/1`)).close();
    await Promise.all(left);
    expect(clock.sleeping).toBe(0);
  });

  it('a slow reader holds the server back', async () => {
    let written = 0;
    const block = Buffer.alloc(64 * 1024, 'x');
    answers['/large'] = (response) => {
      const write = (): void => {
        while (!response.destroyed && written < 4_000) {
          written += 1;
          if (!response.write(block)) return void response.once('drain', write);
        }
        response.end();
      };
      write();
    };
    const { open } = createFetching();
    const opened = await open(`${base}/large`);
    const iterator = opened.bytes[Symbol.asyncIterator]();
    await iterator.next();
    // Further requests are answered meanwhile: had nothing held it back, all of it would have been written by then.
    for (let other = 0; other < 20; other += 1) await textOf(await open(`${base}/rows.csv`));
    expect(written).toBeLessThan(1_000);
    await iterator.return?.();
  });
});

describe('buckets that are web addresses', () => {
  it('are read below that address, without a guard, and their redirects with one', async () => {
    answers['/base/a%20b/%231.csv'] = (response) => response.end('found');
    answers['/base/away.csv'] = redirect(`http://data.example:${port}/rows.csv`);
    answers['/base/near.csv'] = redirect('/rows.csv');
    const { open, read } = createFetching({ config: { prefixes: { 'gs://data/': `${base}/base/` } } });
    expect(await read('gs://data/a b/#1.csv')).toBe('found');
    expect(await read('gs://data/near.csv')).toBe('input\na\n');
    expect(await refusalOf(open('gs://data/away.csv'))).toMatchObject({ code: 'dataset_refused' });
  });
});
