// Whole hosts with two tenants, the agents they ask, and runs of each.
import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createClient } from '@touchstone/sdk';
import { readJson } from './pack-host.js';
import { KEY, OTHER_KEY, temporaryFolder } from './processes.js';
import { OPERATOR_KEY, openWholeHost, type WholeHost } from './whole-host.js';

/** What a test has opened, to be closed after it. */
export const open: { close(): Promise<void> }[] = [];
export async function closeAll(): Promise<void> {
  for (const one of open.splice(0).reverse()) await one.close();
}

export type HostClient = Pick<WholeHost, 'fetch' | 'client'>;
export type Answering = (response: ServerResponse, body: { readonly input: unknown }) => void;
export const answer: Answering = (response, { input }) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ output: input }));
};

/** One server for both tenants, as a gateway is; each path answers in its own way. */
export async function startGateway(paths: { readonly [path: string]: Answering }): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answering = paths[request.url ?? ''] ?? answer;
    answering(response, JSON.parse(Buffer.concat(chunks).toString('utf8')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function startHost(egress: object = {}, more: object = {}): Promise<WholeHost> {
  const host = await openWholeHost({ egress: { allowPrivate: true, ...egress }, ...more });
  open.push(host);
  return host;
}

const suiteOf = (tenant: string, tasks: number) => ({
  suiteId: `local.${tenant}.evals.echo`,
  version: '1.0.0',
  modes: ['golden'],
  tasks: Array.from({ length: tasks }, (_, index) => ({
    taskId: `t-${index}`,
    input: `q${index}`,
    expected: { kind: 'golden', match: { strategy: 'exact', value: `q${index}` } },
  })),
});

type RunOptions = {
  readonly tasks?: number;
  readonly concurrency?: number;
  /** Members of the suite that are not the usual ones. */
  readonly suite?: object;
  /** The schemas of the agent. */
  readonly handoff?: object;
};

/** Installs an agent and a suite of the tenant, and starts a run. */
export async function startRun(
  host: HostClient,
  tenant: string,
  key: string,
  url: string,
  { tasks = 3, suite = {}, handoff, ...configurable }: RunOptions = {},
): Promise<string> {
  const agentId = `local.${tenant}.bot`;
  const run = { kind: 'http', url };
  const agent = { agentId, version: '1.0.0', run, ...(handoff && { handoff }) };
  await host.fetch(`/v1/host/touchstone/agents/${agentId}`, { method: 'PUT', key, body: agent });
  const client = host.client(key);
  await client.suites.install({ ...suiteOf(tenant, tasks), ...suite } as never);
  const created = await client.runs.create({
    mode: 'eval',
    evalSuiteRef: `local.${tenant}.evals.echo@1.0.0`,
    agentId,
    configurable,
  });
  return created.runId;
}

export async function summaryOf(host: HostClient, runId: string, key: string) {
  await host.client(key).waitForScorecard(runId as never);
  return (await readJson(host, `/v1/runs/${runId}/eval-summary`, { key })).body;
}

/** The folder of a host for two tenants. */
export function projectFolder(more: object = {}): string {
  const folder = temporaryFolder();
  open.push({ close: async () => folder.remove() });
  const keys = [
    { key: KEY, tenant: 'acme', roles: ['admin'] },
    { key: OTHER_KEY, tenant: 'globex', roles: ['admin'] },
    { key: OPERATOR_KEY, tenant: 'host', roles: ['operator'] },
  ];
  const config = { keys, egress: { allowPrivate: true }, ...more };
  writeFileSync(join(folder.path, 'touchstone.config.json'), JSON.stringify(config));
  return folder.path;
}

/** The host at an address, as far as these tests use one. */
export const hostAt = (url: string): HostClient => ({
  client: (key = KEY) => createClient({ baseUrl: url, key }),
  fetch: (path, { method = 'GET', key = KEY, body } = {}) =>
    fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
});

export async function untilRunning(host: HostClient, runId: string, key = KEY): Promise<void> {
  for (;;) {
    const { body } = await readJson(host, `/v1/runs/${runId}`, { key });
    if ((body as { status?: string }).status === 'running') return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
