import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@touchstone/sdk';
import { createTouchstone } from '../../packages/touchstone/src/host/compose.js';
import { parseConfig } from '../../packages/touchstone/src/host/config.js';
import { createLog, startHost } from '../../packages/touchstone/src/host/index.js';
import { systemClock, systemIds } from '../../packages/touchstone/src/host/system.js';
import { KEY, OTHER_KEY, temporaryFolder } from './processes.js';

export const ACME_SIDE_KEY = 'test-key-of-acme-side-0123456789';

export type WholeHost = {
  readonly url: string;
  readonly logs: string[];
  readonly folder: string;
  fetch(path: string, options?: FetchOptions): Promise<Response>;
  client(key?: string): ReturnType<typeof createClient>;
  close(): Promise<void>;
};
type FetchOptions = {
  method?: string;
  key?: string | null;
  body?: unknown;
  headers?: { [name: string]: string };
};

/** The real host in this process: real store, engine, worker threads and sockets; only the log is caught. */
export async function openWholeHost(
  config: object = {},
  options: { files?: { [name: string]: string }; testSeams?: boolean } = {},
): Promise<WholeHost> {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(options.files ?? {}))
    writeFileSync(join(folder.path, name), text);
  const logs: string[] = [];
  const log = await createLog('info', { write: (line) => void logs.push(line) });
  const parsed = parseConfig({ keys: KEYS, ...config }, folder.path);
  const touchstone = await createTouchstone({
    config: parsed,
    dataDir: join(folder.path, 'data'),
    origin: 'host',
    testSeams: options.testSeams ?? false,
    log,
  });
  const host = await startHost({
    touchstone,
    config: parsed,
    log,
    clock: systemClock,
    ids: systemIds,
    testSeams: options.testSeams ?? false,
  });
  return {
    url: host.url,
    logs,
    folder: folder.path,
    client: (key = KEY) => createClient({ baseUrl: host.url, key }),
    fetch: (path, { method = 'GET', key = KEY, body, headers = {} } = {}) =>
      fetch(host.url + path, {
        method,
        headers: {
          ...(key !== null && { authorization: `Bearer ${key}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    async close() {
      await host.close();
      folder.remove();
    },
  };
}

/** Two tenants, and a second workspace of the first. */
const KEYS = [
  { key: KEY, tenant: 'acme', roles: ['admin'] },
  { key: ACME_SIDE_KEY, tenant: 'acme', workspace: 'side', roles: ['admin'] },
  { key: OTHER_KEY, tenant: 'globex', roles: ['admin'] },
];

/** A suite of golden tasks whose inputs are their own answers. */
export const echoSuite = (tasks: number, extra: object = {}): object => ({
  suiteId: 'local.test.evals.echo',
  version: '1.0.0',
  modes: ['golden'],
  tasks: Array.from({ length: tasks }, (_, i) => ({
    taskId: `e-${i}`,
    input: `say ${i}`,
    expected: { kind: 'golden', match: { strategy: 'exact', value: `say ${i}` } },
  })),
  ...extra,
});

export const ECHO_AGENT = 'export default (input) => input;\n';
export const echoAgent = (extra: object = {}): object => ({
  agentId: 'local.test.echo',
  version: '1.0.0',
  run: { kind: 'module', path: './echo.mjs' },
  ...extra,
});
