import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createClient } from '@touchstone/sdk';
import { createTouchstone } from '../../packages/touchstone/src/app/compose.js';
import { parseConfig } from '../../packages/touchstone/src/app/config/config.js';
import { systemClock, systemIds } from '../../packages/touchstone/src/app/system.js';
import type { Touchstone } from '../../packages/touchstone/src/app/touchstone.js';
import type { Clock, Random } from '../../packages/touchstone/src/ports/index.js';
import { createLog, startHost } from '../../packages/touchstone/src/server/index.js';
import { storeOfTests } from '../setup/flow-store.js';
import { KEY, OTHER_KEY, temporaryFolder } from './processes.js';

export const ACME_SIDE_KEY = 'test-key-of-acme-side-0123456789';
/** Of acme too, with a role that may run and read but not publish. */
export const RUNNER_KEY = 'test-key-of-acme-runner-0123456789';

/** Of a role that reads the numbers of the whole host, and nothing of a tenant. */
export const OPERATOR_KEY = 'test-key-of-operator-0123456789';

export type WholeHost = {
  readonly url: string;
  readonly logs: string[];
  readonly folder: string;
  fetch(path: string, options?: FetchOptions): Promise<Response>;
  client(key?: string): ReturnType<typeof createClient>;
  /** Ends the host and leaves its folder, for those who look at what is in it. */
  stop(): Promise<void>;
  close(): Promise<void>;
};
export type FetchOptions = {
  method?: string;
  key?: string | null;
  /** Bytes go out as an archive, texts as they are, anything else as JSON. */
  body?: unknown;
  headers?: { [name: string]: string };
};

type HostOptions = {
  readonly files?: { readonly [name: string]: string | Buffer };
  readonly testSeams?: boolean;
  /** Variables the host finds; none of this process's own. */
  readonly env?: NodeJS.ProcessEnv;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Changes the host before the server is built around it. */
  readonly wrap?: (touchstone: Touchstone) => Touchstone;
};

/** The real host in this process: real store, engine, worker threads and sockets; only the log is caught. */
export async function openWholeHost(config: object = {}, options: HostOptions = {}): Promise<WholeHost> {
  const folder = temporaryFolder();
  const logs: string[] = [];
  // A host that does not start has nobody to clear its folder away afterwards.
  const host = await startIn(folder.path, config, options, logs).catch((error: unknown) => {
    folder.remove();
    throw error;
  });
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= host.close();
    return stopped;
  };
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
          ...(body !== undefined && { 'content-type': mediaTypeOf(body) }),
          ...headers,
        },
        ...(body !== undefined && { body: bytesOf(body) }),
      }),
    stop,
    async close() {
      await stop();
      folder.remove();
    },
  };
}

async function startIn(folder: string, config: object, options: HostOptions, logs: string[]) {
  const { files = {}, testSeams = false, env = {}, clock = systemClock, random = Math.random } = options;
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const log = await createLog('info', { write: (line) => void logs.push(line) });
  const shared = {
    config: parseConfig({ keys: KEYS, ...storeOfTests(folder), ...config }, folder),
    log,
    clock,
    testSeams,
  };
  const dataDir = join(folder, 'data');
  const touchstone = await createTouchstone({ ...shared, dataDir, origin: 'host', env, random });
  return startHost({ ...shared, touchstone: options.wrap?.(touchstone) ?? touchstone, ids: systemIds });
}

/** The metrics, as the operator reads them. */
export async function metricsOf(host: Pick<WholeHost, 'fetch'>): Promise<string> {
  const response = await host.fetch('/v1/host/touchstone/metrics', { key: OPERATOR_KEY });
  if (response.status !== 200) throw new Error(`The metrics were not answered: ${response.status}.`);
  return response.text();
}

const mediaTypeOf = (body: unknown): string =>
  Buffer.isBuffer(body) ? 'application/gzip' : 'application/json';
const bytesOf = (body: unknown): string | Uint8Array<ArrayBuffer> => {
  if (Buffer.isBuffer(body)) return new Uint8Array(body);
  return typeof body === 'string' ? body : JSON.stringify(body);
};

/** Two tenants, a second workspace of the first, and the operator. */
const KEYS = [
  { key: KEY, tenant: 'acme', roles: ['admin'] },
  { key: RUNNER_KEY, tenant: 'acme', roles: ['runner'] },
  { key: ACME_SIDE_KEY, tenant: 'acme', workspace: 'side', roles: ['admin'] },
  { key: OTHER_KEY, tenant: 'globex', roles: ['admin'] },
  { key: OPERATOR_KEY, tenant: 'house', roles: ['operator'] },
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
