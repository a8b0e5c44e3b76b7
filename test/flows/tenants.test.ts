import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEY, OTHER_KEY } from './processes.js';
import {
  ACME_SIDE_KEY,
  ECHO_AGENT,
  echoAgent,
  echoSuite,
  openWholeHost,
  type WholeHost,
} from './whole-host.js';

// Goal: for every route of the host, a foreign id is answered like an absent one. Method: take the routes from the
// host's own OpenAPI document, so that a new one cannot be forgotten; fill in the ids of something that exists for
// acme, and of something that exists for nobody; ask as another tenant and as another workspace; compare the answers.
let host: WholeHost;
let runId: string;
const AGENT = 'local.acme.private';

beforeAll(async () => {
  const config = { agents: [echoAgent()], egress: { allowPrivate: true } };
  host = await openWholeHost(config, { files: { 'echo.mjs': ECHO_AGENT }, testSeams: true });
  const client = host.client();
  await client.suites.install(echoSuite(2) as never);
  await host.fetch(`/v1/host/touchstone/agents/${AGENT}`, {
    method: 'PUT',
    body: { agentId: AGENT, version: '1.0.0', run: { kind: 'http', url: 'http://127.0.0.1:9/' } },
  });
  const created = await client.runs.create({
    mode: 'eval',
    evalSuiteRef: 'local.test.evals.echo@1.0.0',
    agentId: 'local.test.echo',
  });
  runId = created.runId;
  await client.waitForScorecard(created.runId as never);
});
afterAll(() => host.close());

type Operation = { readonly method: string; readonly path: string; readonly security?: readonly object[] };

async function operations(): Promise<readonly Operation[]> {
  const document = (await (await host.fetch('/v1/openapi.json')).json()) as {
    paths: { [path: string]: { [method: string]: Operation } };
  };
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );
}

const fill = (path: string, ids: { [name: string]: string }): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? 'conformance-noop'));

/** An answer without what may differ: ids echoed back and the time of day. */
async function answer(
  path: string,
  operation: Operation,
  key: string,
  ids: { [name: string]: string },
): Promise<unknown> {
  const body = bodyFor(operation, ids);
  const response = await host.fetch(path, {
    method: operation.method,
    key,
    ...(body !== undefined && { body }),
  });
  let text = await response.text();
  for (const id of Object.values(ids)) text = text.replaceAll(id, '<id>');
  return { status: response.status, text };
}

function bodyFor({ method, path }: Operation, ids: { [name: string]: string }): unknown {
  if (method === 'GET') return undefined;
  if (path === '/v1/runs:bulk-cancel') return { runIds: [ids.runId] };
  if (path === '/v1/runs') return { mode: 'eval', evalSuiteRef: ids.suiteRef, agentId: ids.agentId };
  return {};
}

const theirs = () => ({ runId, taskId: 'e-0', suiteRef: 'local.test.evals.echo@1.0.0', agentId: AGENT });
const nobodys = () => ({
  runId: 'run-00000000000000000000000000',
  taskId: 'e-9',
  suiteRef: 'local.test.evals.none@1.0.0',
  agentId: 'local.acme.nothing',
});

describe('tenants never meet', () => {
  it('on every route with a name in it, a foreign id is answered like an absent one', async () => {
    const checked: string[] = [];
    for (const operation of await operations()) {
      const named =
        operation.path.includes('{') ||
        operation.path === '/v1/runs:bulk-cancel' ||
        (operation.path === '/v1/runs' && operation.method === 'POST');
      // Putting one's own agent or test run is not reading someone else's.
      if (!named || operation.path.startsWith('/v1/workflows/') || operation.method === 'PUT') continue;
      for (const key of [OTHER_KEY, ACME_SIDE_KEY]) {
        const foreign = await answer(fill(operation.path, theirs()), operation, key, theirs());
        const absent = await answer(fill(operation.path, nobodys()), operation, key, nobodys());
        expect({ operation: operation.path, ...(foreign as object) }).toEqual({
          operation: operation.path,
          ...(absent as object),
        });
      }
      checked.push(`${operation.method} ${operation.path}`);
    }
    expect(checked.length).toBeGreaterThanOrEqual(14);
  });

  it('the same routes answer their owner', async () => {
    const reads = (await operations()).filter(
      ({ method, path }) => method === 'GET' && path.includes('{') && !path.startsWith('/v1/workflows/'),
    );
    for (const operation of reads) {
      const response = await host.fetch(fill(operation.path, theirs()), {
        key: KEY,
        headers: { connection: 'close' },
      });
      expect({ path: operation.path, status: response.status }).toEqual({
        path: operation.path,
        status: 200,
      });
      await response.body?.cancel();
    }
  });

  it('lists hold only what is the caller’s own or the host’s', async () => {
    for (const key of [OTHER_KEY, ACME_SIDE_KEY]) {
      const lists = ['/v1/host/touchstone/runs', '/v1/host/touchstone/suites', '/v1/agents'];
      for (const path of lists) {
        const text = await (await host.fetch(path, { key })).text();
        for (const id of [runId, 'local.test.evals.echo', AGENT]) expect(`${path} ${text}`).not.toContain(id);
      }
    }
  });

  it('without a key every route but discovery is 401, and says nothing else', async () => {
    for (const operation of await operations()) {
      const isOpen = operation.security?.length === 0;
      const body = operation.method === 'GET' ? {} : { body: {} };
      const response = await host.fetch(fill(operation.path, theirs()), {
        method: operation.method,
        key: null,
        ...body,
      });
      expect({ path: operation.path, unauthenticated: response.status === 401 }).toEqual({
        path: operation.path,
        unauthenticated: !isOpen,
      });
      await response.body?.cancel();
    }
  });
});
