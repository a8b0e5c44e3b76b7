import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createConnections, createIdleConnections } from './connections.js';

/** A server, and clients that share one limit on connections that wait for a request. */
async function start(limit: number) {
  let opened = 0;
  let open = 0;
  const server = createServer((_request, response) => response.end('{}'));
  server.on('connection', (socket) => {
    opened += 1;
    open += 1;
    socket.on('close', () => {
      open -= 1;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const idle = createIdleConnections(limit);
  const clients = [createConnections(idle), createConnections(idle)];
  onTestFinished(() => {
    for (const client of clients) client.close();
    server.closeAllConnections();
    server.close();
  });
  const request = (client: number): Promise<void> =>
    new Promise((resolve, reject) => {
      get(url, { agent: clients[client]?.to(url) }, (response) => {
        response.resume().on('end', () => setImmediate(resolve));
      }).on('error', reject);
    });
  return { request, opened: () => opened, open: () => open, server };
}

it('connections that wait for a request are used again, and the oldest are closed beyond the limit', async () => {
  const { request, opened, open, server } = await start(2);
  await request(0);
  await request(0);
  expect(opened()).toBe(1);
  const closed = new Promise((resolve) => {
    server.on('connection', (socket) => socket.on('close', resolve));
  });
  await Promise.all([request(0), request(0), request(1), request(1)]);
  await closed;
  await expect.poll(open, { timeout: 60_000 }).toBe(2);
});
