import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServices, pathOf, type ServiceOptions, type Services } from '../api/index.js';
import { answerProbe, createReadiness, type Readiness } from './health.js';

export type WorkerOptions = Pick<
  ServiceOptions,
  'touchstone' | 'config' | 'log' | 'clock' | 'version' | 'env'
> & {
  /** Where probes are answered; nowhere when absent. */
  readonly health?: { readonly address: string; readonly port: number };
};

export type RunningWorker = {
  /** Where probes are answered. */
  readonly healthUrl?: string;
  /** Takes up nothing more, finishes what is being executed within the time, lets go of all runs, and closes the store. */
  close(drainMs: number): Promise<void>;
};

const ALIVE_MS = 3_600_000;

/** A host without an API: it takes up runs, executes them, and posts their events to webhooks. */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { touchstone, clock, health } = options;
  const services = createServices(options);
  const readiness = createReadiness(touchstone.store, clock, services.log);
  const server = health && (await listen(services, readiness, health));
  // While the database is away there may be nothing else that keeps the process alive.
  const alive = setInterval(() => undefined, ALIVE_MS);
  services.webhooks.start();
  return {
    ...(server && { healthUrl: server.url }),
    async close(drainMs) {
      readiness.stop();
      await touchstone.engine.drain(drainMs);
      await touchstone.engine.shutdown();
      await services.webhooks.stop();
      server?.close();
      await touchstone.close();
      clearInterval(alive);
    },
  };
}

type HealthServer = { readonly url: string; close(): void };

async function listen(
  services: Services,
  readiness: Readiness,
  { address, port }: NonNullable<WorkerOptions['health']>,
): Promise<HealthServer> {
  const server: Server = createServer((request, response) => {
    answer(services, readiness, request, response).catch(() => response.destroy());
  });
  server.listen(port, address);
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${address.includes(':') ? `[${address}]` : address}:${taken}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(
  services: Services,
  readiness: Readiness,
  { method = '', url = '' }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = pathOf(url);
  if (method === 'GET' && path === '/metrics') {
    const { text, mediaType } = await services.renderMetrics();
    response.writeHead(200, { 'content-type': mediaType, 'cache-control': 'no-store' }).end(text);
    return;
  }
  const probe = await answerProbe(method, path, readiness);
  const { status, body } = probe ?? { status: 404, body: { status: 'unknown path' } };
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}
