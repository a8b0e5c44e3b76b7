import {
  asId,
  type CompileProfile,
  type ContractReport,
  type Digest,
  HostError,
  type JsonObject,
} from '@touchstone/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import type { CompiledDefinition } from '../../../app/catalogue/compile-definition.js';
import { expectRefusal } from '../../../app/testing/scorecards.js';
import { createTestHost, KEYS, type TestHost, type TestHostOptions } from '../../../app/testing/test-host.js';
import { parseSuite } from '../../../suites/parse-suite.js';

const PATH = '/v1/host/touchstone/profiles:compile';
const document: JsonObject = {
  suiteId: 'local.acme.evals.a',
  version: '1.0.0',
  modes: ['golden'],
  tasks: [
    { taskId: 't', input: 'x', expected: { kind: 'golden', match: { strategy: 'exact', value: 'x' } } },
  ],
};
const contract = { contractVersion: 1 } as unknown as CompiledDefinition['pinned']['contract'];
const compiled = (installed?: 'created' | 'same'): CompiledDefinition => ({
  suite: parseSuite(document),
  document,
  pinned: { contract, digest: asId<Digest>('sha256:0') },
  warnings: [{ code: 'odd', message: 'Odd.', pointer: '/evaluation', line: 3 }],
  ...(installed && { installed }),
});

let host: TestHost | undefined;
afterEach(() => host?.close());
type Compile = (wish: CompileProfile) => Promise<CompiledDefinition>;
async function open(compile: Compile, options: TestHostOptions = {}): Promise<TestHost> {
  host = await createTestHost({
    wrap: (touchstone) => ({ ...touchstone, compileDefinition: (_, wish) => compile(wish) }),
    ...options,
  });
  return host;
}

describe('compiling over HTTP', () => {
  it.each([
    [undefined, 200, undefined],
    ['same', 200, 'local.acme.evals.a@1.0.0'],
    ['created', 201, 'local.acme.evals.a@1.0.0'],
  ] as const)('answers for a suite that is %s with %d', async (installed, status, suiteRef) => {
    const wishes: CompileProfile[] = [];
    const { request } = await open(async (wish) => {
      wishes.push(wish);
      return compiled(installed);
    });
    const body = {
      definition: { a: 1 },
      rows: [1, 'x'],
      agent: 'b',
      install: true,
      targetAgentId: 'local.acme.b',
      suiteName: 'b',
    };
    const answer = await request('POST', PATH, { body });
    expect(answer.status).toBe(status);
    expect(wishes).toEqual([body]);
    expect(answer.json()).toEqual({
      suite: document,
      contract,
      digest: 'sha256:0',
      warnings: compiled().warnings,
      ...(suiteRef && { suiteRef }),
    });
  });

  it('passes a refusal on with its places', async () => {
    const issues = [{ pointer: '/evaluation/x', message: 'No.', line: 2, column: 5 }];
    const { request } = await open(async () => {
      throw new HostError('validation_error', 'No.', { code: 'no_tasks', issues });
    });
    const answer = await request('POST', PATH, { body: { definition: {} } });
    expect(expectRefusal(answer, 400, 'validation_error').details).toMatchObject({
      code: 'no_tasks',
      issues,
    });
  });

  it('may find that a dataset is away, and says so in its description', async () => {
    const { request } = await open(async () => {
      throw new HostError('unavailable', 'Later.', { code: 'dataset_unavailable' });
    });
    expectRefusal(await request('POST', PATH, { body: { definition: {} } }), 503, 'unavailable');
    const { paths } = (await request('GET', '/v1/openapi.json')).json() as {
      readonly paths: { readonly [path: string]: { readonly post: { readonly responses: object } } };
    };
    expect(paths[PATH]?.post.responses).toHaveProperty('503');
  });

  it('is for those who may write suites', async () => {
    const { request } = await open(async () => compiled());
    const body = { definition: {} };
    expectRefusal(await request('POST', PATH, { body, key: null }), 401, 'unauthenticated');
    for (const key of [KEYS.reader, KEYS.none])
      expectRefusal(await request('POST', PATH, { body, key }), 403, 'forbidden');
  });
});

describe('the report over HTTP', () => {
  const path = '/v1/host/touchstone/runs/run-1/contract-report';
  const report = { runId: 'run-1', verdict: 'pass' } as unknown as ContractReport;
  const reporting: TestHostOptions = {
    wrap: (touchstone) => ({ ...touchstone, contractReport: async () => report }),
  };

  it('is for those who may read runs', async () => {
    const { request } = await open(async () => compiled(), reporting);
    expect((await request('GET', path, { key: KEYS.reader })).json()).toEqual(report);
    expectRefusal(await request('GET', path, { key: KEYS.none }), 403, 'forbidden');
  });

  it('is nowhere on a host that does not evaluate', async () => {
    const { request } = await open(async () => compiled(), { ...reporting, config: { evalSuite: false } });
    expectRefusal(await request('GET', path), 404, 'not_found');
  });
});
