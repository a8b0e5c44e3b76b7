import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestHost, type TestHost } from '../app/testing/test-host.js';
import { routerPath } from './paths.js';

type Operation = {
  operationId: string;
  summary: string;
  parameters: { name: string; in: string }[];
  responses: { [status: string]: { description: string; content: object } };
};
type Document = {
  openapi: string;
  paths: { [path: string]: { [method: string]: Operation } };
  components: { schemas: { [name: string]: object } };
};

let host: TestHost;
let document: Document;
let operations: { path: string; method: string; operation: Operation }[];
beforeAll(async () => {
  host = await createTestHost({ testSeams: true });
  document = (await host.request('GET', '/v1/openapi.json', { key: null })).json<Document>();
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
});
afterAll(() => host.close());

/** The router's own list: lines of a tree, each with what it adds to the path of its parent. */
function routedPaths(): string[] {
  const found: string[] = [];
  const parents: string[] = [];
  for (const line of host.app.printRoutes({ commonPrefix: false }).split('\n')) {
    const match = line.match(/^((?:│ {3}| {4})*)(?:├── |└── )(.*?)(?: \(([A-Z, ]+)\))?$/);
    if (!match) continue;
    const depth = (match[1] as string).length / 4;
    parents[depth] = (parents[depth - 1] ?? '') + match[2];
    for (const method of match[3]?.split(', ') ?? []) found.push(`${method} ${parents[depth]}`);
  }
  return found.sort();
}

describe('the document', () => {
  it('names every route of the router, and nothing else', () => {
    // The tree prints a doubled colon as the single one it stands for, except where a parameter comes before it.
    const single = (path: string) => path.replaceAll('::', ':');
    const documented = operations.map(({ path, method }) => `${method} ${single(routerPath(path))}`).sort();
    // The router answers HEAD wherever it answers GET; that is HTTP's rule, not an operation of ours.
    const routed = routedPaths().filter((path) => !path.startsWith('HEAD '));
    expect(documented).toEqual(routed.map(single).sort());
    expect(documented.length).toBeGreaterThan(20);
  });

  it('gives every operation its own id, a summary, a success and a refusal', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operation } of operations) {
      const statuses = Object.keys(operation.responses);
      expect(operation.summary).not.toBe('');
      expect(statuses.some((status) => status.startsWith('2'))).toBe(true);
      expect(statuses.some((status) => status.startsWith('4'))).toBe(true);
      for (const response of Object.values(operation.responses)) expect(response.description).not.toBe('');
    }
  });

  it('declares every parameter of every path', () => {
    for (const { path, operation } of operations) {
      const declared = operation.parameters.filter((one) => one.in === 'path').map(({ name }) => name);
      expect(declared).toEqual([...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]));
    }
  });

  it('points only at what it contains', () => {
    const text = JSON.stringify(document);
    const refs = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] as string);
    expect(refs.length).toBeGreaterThan(10);
    for (const ref of refs) {
      const target = ref
        .slice(2)
        .split('/')
        .reduce<unknown>((node, part) => (node as { [key: string]: unknown })?.[part], document);
      expect(target, ref).toBeDefined();
    }
    expect(text).not.toContain('"$id"');
  });

  it('leaves the test seams out of a host that has none', async () => {
    const plain = await createTestHost();
    expect((await plain.request('GET', '/v1/openapi.json')).text).not.toContain('/v1/host/sample');
    await plain.close();
  });
});

it.each([['/.well-known/openwop'], ['/v1/openapi.json']])(
  '%s is not sent twice to who has it',
  async (path) => {
    const first = await host.request('GET', path, { key: null });
    expect(first.headers).toMatchObject({
      'cache-control': 'public, max-age=300',
      'content-type': 'application/json; charset=utf-8',
    });
    const etag = first.headers.etag as string;
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await host.request('GET', path, { key: null, headers: { 'if-none-match': tag } });
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag]);
    }
    expect(
      (await host.request('GET', path, { key: null, headers: { 'if-none-match': '"other"' } })).status,
    ).toBe(200);
  },
);
