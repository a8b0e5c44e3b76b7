import { once } from 'node:events';
import { Agent, createServer, get, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { boundConnections } from './bounded-connections.js';

const MOST = 4;
let server: Server;
let port: number;
let closed: number;
let opened: Socket[];
let release: () => void;

beforeEach(async () => {
  closed = 0;
  opened = [];
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  server = createServer(async (request, response) => {
    if (request.url === '/slow') await released;
    response.end('done');
  });
  boundConnections(server, MOST, () => {
    closed += 1;
  });
  server.listen(0);
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterEach(() => {
  release();
  for (const socket of opened) socket.destroy();
  server.closeAllConnections();
  server.close();
});

/** A connection from one of the addresses of this machine. It says nothing. */
async function open(localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  opened.push(socket);
  await once(socket, 'connect');
  return socket;
}

const openNow = (): Promise<number> =>
  new Promise((resolve) => server.getConnections((_, count) => resolve(count)));

const asked = async (path: string, localAddress: string, agent?: Agent): Promise<string> => {
  const sent = get({ port, path, host: '127.0.0.1', localAddress, ...(agent && { agent }) });
  const [response] = await once(sent, 'response');
  return text(response);
};

it('connections that say nothing do not keep others out', async () => {
  for (let count = 0; count < 3 * MOST; count += 1) await open();
  await expect.poll(openNow).toBe(MOST);
  expect(await asked('/', '127.0.0.1')).toBe('done');
  expect(closed).toBe(2 * MOST + 1);
});

it('the address that has most connections loses one, and not who has been quiet for longer', async () => {
  const agent = new Agent({ keepAlive: true });
  expect(await asked('/', '127.0.0.2', agent)).toBe('done');
  for (let count = 0; count < 3 * MOST; count += 1) await open();
  await expect.poll(() => closed).toBe(2 * MOST + 1);
  const [kept] = Object.values(agent.freeSockets).flat();
  expect(await asked('/', '127.0.0.2', agent)).toBe('done');
  expect(Object.values(agent.freeSockets).flat()).toEqual([kept]);
  agent.destroy();
});

it('a request that is under way keeps its connection, and the newest goes when all are busy', async () => {
  const slow = Array.from({ length: MOST }, () => asked('/slow', '127.0.0.1'));
  await expect.poll(openNow).toBe(MOST);
  // The server has to have read the requests, too.
  await new Promise((resolve) => setTimeout(resolve, 100));
  const late = await open();
  await once(late, 'close');
  expect(closed).toBe(1);
  release();
  expect(await Promise.all(slow)).toEqual(Array(MOST).fill('done'));
});
