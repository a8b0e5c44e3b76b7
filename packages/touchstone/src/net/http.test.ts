import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFetch } from './fetch.js';
import { createJsonClient, type JsonClient } from './http.js';

type Respond = (response: ServerResponse, path: string) => void;

/** A client and a server on loopback that answers as told, and counts its connections. */
async function start(respond: Respond) {
  let connections = 0;
  const server = createServer((request, response) => {
    request.resume();
    respond(response, request.url ?? '');
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const client = createJsonClient();
  onTestFinished(async () => {
    client.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url, client, connections: () => connections };
}

const never = new AbortController().signal;
const get = (client: JsonClient, url: URL, signal = never) => client.send({ url, signal, maxBytes: 1_000 });

describe('a JSON client', () => {
  it('reads an answer, uses its connection again, and does not quote a failure', async () => {
    const { url, client, connections } = await start((response, path) =>
      response.writeHead(path === '/' ? 200 : 500, { 'retry-after-ms': '1500' }).end('{"secret":1}'),
    );
    const answer = { kind: 'response', status: 200, text: '{"secret":1}', retryAfter: '1.5' };
    expect(await get(client, url)).toEqual(answer);
    expect(await get(client, url)).toEqual(answer);
    expect(connections()).toBe(1);
    expect(await get(client, new URL('/broken', url))).toEqual({ ...answer, status: 500, text: '' });
  });

  it.each<[string, Respond, object]>([
    [
      'is too large',
      (response) => response.end('x'.repeat(1_001)),
      { kind: 'unreadable', reason: 'The answer is larger than 1000 bytes.' },
    ],
    [
      'is cut short',
      (response) => {
        response.writeHead(200, { 'content-length': 10 }).write('x');
        setImmediate(() => response.destroy());
      },
      { kind: 'lost', code: 'ECONNRESET' },
    ],
    [
      'stops being HTTP midway',
      (response) => {
        response.writeHead(200).write('x');
        response.socket?.end('no chunk\r\n');
      },
      { kind: 'unreadable', reason: expect.stringContaining('HPE_') },
    ],
  ])('says so when an answer %s', async (_name, respond, result) => {
    const { url, client } = await start(respond);
    expect(await get(client, url)).toEqual(result);
  });

  it('rejects with the reason of its signal, before and during the answer', async () => {
    const { url, client } = await start((response) => response.writeHead(200).write('x'));
    const controller = new AbortController();
    const answer = get(client, url, controller.signal);
    setTimeout(() => controller.abort('enough'), 20);
    await expect(answer).rejects.toBe('enough');
    await expect(get(client, url, controller.signal)).rejects.toBe('enough');
  });

  it('that wants the status only does not wait for the rest', async () => {
    const { url, client } = await start((response) => response.writeHead(202).write('x'));
    const result = await client.send({ url, signal: never, statusOnly: true });
    expect(result).toEqual({ kind: 'response', status: 202, text: '' });
  });
});

it('an abort after a kept-alive answer ends nothing, read or not', async () => {
  const { url } = await start((response) => response.end('{}'));
  const { fetch, close } = createFetch(1_000);
  onTestFinished(close);
  const controller = new AbortController();
  const [unread, read] = [await fetch(url, controller), await fetch(url, controller)];
  expect(await read.text()).toBe('{}');
  controller.abort();
  await new Promise((resolve) => setImmediate(resolve));
  expect([unread.status, (await fetch(url)).status]).toEqual([200, 200]);
});
