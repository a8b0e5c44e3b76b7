import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostError, Issue } from '@touchstone/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashKey } from '../principal.js';
import { configFrom, loadConfig, parseConfig } from './config.js';
import { completeTenantLimits } from './tenant-limits.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchstone-config-'));
});
afterEach(() => rm(folder, { recursive: true }));

const write = (name: string, text: string) => writeFile(join(folder, name), text);
async function issuesOf(loading: Promise<unknown>): Promise<readonly Issue[]> {
  const error = await loading.then(
    () => undefined,
    (thrown: HostError) => thrown,
  );
  expect(error?.code).toBe('validation_error');
  return (error?.details?.issues ?? []) as readonly Issue[];
}

describe('without a file', () => {
  it('everything has its default', async () => {
    expect(await loadConfig(undefined, folder)).toEqual({
      baseDir: folder,
      keys: [],
      judges: [],
      roles: {
        admin: ['*'],
        runner: ['runs:create', 'runs:read', 'runs:cancel', 'suites:write', 'agents:write'],
        releaser: ['deploy:promote', 'deploy:rollback', 'deploy:pause', 'runs:read'],
        operator: ['host:usage', 'metrics:read'],
      },
      prices: {},
      agents: [],
      tools: [],
      providers: {},
      mcpServers: {},
      trust: {},
      modelClasses: {},
      models: {},
      regression: { tolerance: 0 },
      datasets: {},
      packs: [],
      registries: [],
      audit: {},
      suites: [],
      scorers: {},
      trustedProxies: [],
      page: { origins: [], insecure: false },
      evalSuite: {},
      egress: { allowHosts: [], allowPrivate: false, dnsServers: [] },
      limits: {
        maxRequestBodyBytes: 16_777_216,
        maxBodyValues: 50_000,
        maxUnreadBytes: 268_435_456,
        requestsPerMinute: 6_000,
        perTenant: completeTenantLimits(),
      },
      gates: [],
      retention: {},
      telemetry: { otel: false, content: false },
      troubles: [],
    });
  });

  it('that was named, nothing is loaded', async () => {
    await expect(loadConfig('missing.json', folder)).rejects.toMatchObject({ code: 'validation_error' });
  });
});

describe('a file', () => {
  it.each([
    ['touchstone.config.json', '{"suites":["./evals"]}'],
    ['touchstone.config.yaml', 'suites: ["./evals"]'],
    ['touchstone.config.yml', 'suites:\n  - ./evals'],
    ['touchstone.config.ts', 'const suites: string[] = ["./evals"];\nexport default { suites };'],
    ['touchstone.config.mjs', 'export default { suites: ["./evals"] };'],
  ])('%s is found and read', async (name, text) => {
    await write(name, text);
    const config = await loadConfig(undefined, folder);
    expect(config).toMatchObject({ suites: ['./evals'], baseDir: folder, file: join(folder, name) });
  });

  it('named elsewhere brings its own folder', async () => {
    await write('other.json', '{}');
    expect((await loadConfig(join(folder, 'other.json'), '/')).baseDir).toBe(folder);
  });

  it('beside another one is refused', async () => {
    await write('touchstone.config.json', '{}');
    await write('touchstone.config.yaml', '{}');
    await expect(loadConfig(undefined, folder)).rejects.toThrow('more than one config file');
  });

  it('with an unknown member is refused with its place', async () => {
    await write('touchstone.config.json', '{\n  "suites": [],\n  "limits": {\n    "maxBody": 1\n  }\n}');
    expect(await issuesOf(loadConfig(undefined, folder))).toEqual([
      expect.objectContaining({ pointer: '/limits/maxBody', line: 4, column: 5 }),
    ]);
    await write('touchstone.config.json', '{}');
    await write('b.yaml', 'egress:\n  allowHosts: []\n  allowAll: true\n');
    expect(await issuesOf(loadConfig('b.yaml', folder))).toEqual([
      expect.objectContaining({ pointer: '/egress/allowAll', line: 3, column: 3 }),
    ]);
  });

  it('is gone through from top to bottom, and along each line', async () => {
    await write('a.json', '{ "zebra": 1, "suites": "x",\n  "keys": 1, "limits": 2, "roles": 3 }');
    const issues = await issuesOf(loadConfig('a.json', folder));
    expect(issues.map(({ pointer }) => pointer)).toEqual(['/zebra', '/suites', '/keys', '/limits', '/roles']);
  });

  it('with thousands of unknown members is refused with a hundred of them, read once for all their places', async () => {
    const members = Array.from({ length: 5_000 }, (_, at) => `"m${at}": ${at}`);
    await write('a.json', `{\n${members.join(',\n')}\n}`);
    await write('b.yaml', members.join('\n'));
    for (const name of ['a.json', 'b.yaml']) {
      const issues = await issuesOf(loadConfig(name, folder));
      const first = name === 'a.json' ? 2 : 1;
      expect(issues).toHaveLength(101);
      expect(issues[99]).toMatchObject({ pointer: '/m99', line: first + 99 });
      expect(issues[100]).toMatchObject({ pointer: '', message: 'and 4900 more' });
    }
    const asked: number[] = [];
    const locate = (all: readonly Issue[]): readonly Issue[] => {
      asked.push(all.length);
      return all;
    };
    expect(() => configFrom({ value: { nope: 1, no: 2 }, locate }, 'a.json')).toThrow('/nope');
    expect(asked).toEqual([2]);
  });

  it('that is not valid is refused with its place, without being quoted', async () => {
    await write('a.json', '{\n  "keys": [{ "key": "tulip" "tenant": "x" }]\n}');
    await write('b.yaml', 'keys: [{ key: tulip\nroles: ]');
    for (const [name, format] of [
      ['a.json', 'JSON'],
      ['b.yaml', 'YAML'],
    ] as const) {
      const error = (await loadConfig(name, folder).catch((thrown) => thrown)) as HostError;
      expect(error.code).toBe('validation_error');
      expect(error.message + JSON.stringify(error.details)).not.toContain('tulip');
      expect(error.details).toEqual({
        file: join(folder, name),
        issues: [expect.objectContaining({ message: expect.stringContaining(format), line: 2 })],
      });
    }
  });

  it.each([
    ['a.ts', 'type A = 1;\n\nthrow new TypeError("no tulips\\nat all");', 3, 'TypeError: no tulips'],
    ['b.mjs', '// first\nexport default { suites: nope };', 2, 'ReferenceError: nope is not defined'],
    ['c.ts', 'export default {\n  suites: ["a" "b"],\n};', 2, 'ParseError: Unexpected token'],
    ['d.mjs', 'throw "tulip";', undefined, 'something that is not an Error'],
  ])(
    '%s that is a program with a mistake is refused with what it threw, and where',
    async (name, text, line, words) => {
      await write(name, text);
      const [issue, ...more] = await issuesOf(loadConfig(name, folder));
      expect(more).toEqual([]);
      expect(issue?.line).toBe(line);
      expect(issue?.message).toContain(words);
      expect(issue?.message).not.toContain('at all');
    },
  );
});

describe('keys', () => {
  const key = { key: 'k', tenant: 'acme', roles: ['admin'] };
  const pointers = (keys: readonly object[]) => {
    try {
      parseConfig({ keys }, '/');
      return [];
    } catch (error) {
      const { details = {} } = error as HostError;
      return (details.issues as Issue[]).map(({ pointer }) => pointer);
    }
  };

  it('are kept as hashes only, and each is a principal of its own', () => {
    const rest = { tenant: 'acme', workspace: 'main', roles: ['admin'] };
    const config = parseConfig({ keys: [key, { ...key, key: undefined, keyHash: hashKey('other') }] }, '/');
    expect(config.keys).toEqual([
      { ...rest, keyHash: hashKey('k'), principal: `key-${hashKey('k').slice(7, 15)}` },
      { ...rest, keyHash: hashKey('other'), principal: `key-${hashKey('other').slice(7, 15)}` },
    ]);
    expect(JSON.stringify(config)).not.toContain('"k"');
  });

  it.each([
    ['no secret', { tenant: 'acme', roles: ['admin'] }, ['/keys/0']],
    ['two secrets', { ...key, keyHash: hashKey('k') }, ['/keys/0']],
    ['a hash of another kind', { ...key, key: undefined, keyHash: 'md5:00' }, ['/keys/0/keyHash']],
    ['a tilde in the tenant', { ...key, tenant: '~host' }, ['/keys/0/tenant']],
    ['a slash in the workspace', { ...key, workspace: 'a/b' }, ['/keys/0/workspace']],
    ['a long principal', { ...key, principal: 'x'.repeat(65) }, ['/keys/0/principal']],
    ['no roles', { ...key, roles: [] }, ['/keys/0/roles']],
    ['an unknown role', { ...key, roles: ['admin', 'king'] }, ['/keys/0/roles/1']],
    ['an inherited role', { ...key, roles: ['constructor'] }, ['/keys/0/roles/0']],
  ])('with %s are refused', (_, given, expected) => {
    expect(pointers([given])).toEqual(expected);
  });

  it('may have roles of their own', () => {
    const config = parseConfig(
      { roles: { reader: ['runs:read'], runner: ['runs:create'] }, keys: [{ ...key, roles: ['reader'] }] },
      '/',
    );
    expect(config.roles).toMatchObject({ admin: ['*'], reader: ['runs:read'], runner: ['runs:create'] });
  });
});

it('every member of the documented config is accepted, and those without effect are named', () => {
  const documented = {
    keys: [{ key: 'k', tenant: 'acme', workspace: 'main', principal: 'ci', roles: ['admin'] }],
    roles: { admin: ['*'] },
    providers: {
      local: {
        kind: 'openai-compatible',
        baseUrl: 'http://127.0.0.1:8000/v1',
        apiKeyEnv: 'LOCAL_KEY',
        tenants: ['acme'],
      },
    },
    modelClasses: { general: 'local/small-1' },
    models: { 'gpt-4-turbo': 'local/judge-1' },
    prices: { 'local/small-1': { inputPerMTok: 0.5, outputPerMTok: 1.5 } },
    judge: { model: 'local/judge-1', votes: 1 },
    agents: [
      {
        agentId: 'local.acme.support',
        version: '1.0.0',
        tenant: 'acme',
        run: { kind: 'http', url: 'http://127.0.0.1:9000/' },
      },
    ],
    tools: [
      {
        toolId: 'local:kb.search',
        kind: 'http',
        url: 'http://127.0.0.1/',
        safetyTier: 'read',
        tenants: ['acme'],
      },
    ],
    mcpServers: { files: { command: 'x', args: [], tenants: ['acme'] } },
    packs: ['./packs'],
    suites: ['./evals'],
    trust: { policy: 'verified', keys: [], packs: [] },
    store: 'sqlite:x.db',
    evalSuite: { modes: [], maxTasksPerSuite: 10_000, maxCostUsdPerSuite: 5 },
    gates: [
      {
        agentId: '*',
        to: 'active',
        requiredEval: { suite: 'acme.evals.x', requiredPassScore: 0.9 },
        approval: { requiredRole: 'admin', quorum: 1 },
      },
    ],
    egress: { allowHosts: [], allowPrivate: false },
    limits: { maxRequestBodyBytes: 16_777_216 },
  };
  const config = parseConfig(documented, '/');
  expect(config.gates.map(({ gateId }) => gateId)).toEqual(['*:active']);
  expect(config.evalSuite).toEqual({ maxTasksPerSuite: 10_000, maxCostUsdPerSuite: 5 });
  expect(parseConfig({ evalSuite: false }, '/').evalSuite).toBe(false);
});

it.each([
  [null, ''],
  [[], ''],
  [{ suites: 'evals' }, '/suites'],
  [{ evalSuite: true }, '/evalSuite'],
  [{ evalSuite: { modes: ['golden', 'golden'] } }, '/evalSuite/modes'],
  [{ limits: { requestsPerMinute: 0 } }, '/limits/requestsPerMinute'],
  [{ limits: { perTenant: { activeRuns: 0 } } }, '/limits/perTenant/activeRuns'],
  [{ limits: { perTenant: { openInvocations: 0 } } }, '/limits/perTenant/openInvocations'],
  [{ egress: { dnsServers: ['10.0.0.2', 'dns.example'] } }, '/egress/dnsServers/1'],
  [{ limits: { maxRequestBodyBytes: 1.5e6 + 0.5 } }, '/limits/maxRequestBodyBytes'],
  [{ store: 'mysql://x' }, '/store'],
  [{ modelClasses: { vast: 'x' } }, '/modelClasses/vast'],
  [{ prices: { m: { inputPerMTok: -1, outputPerMTok: 1 } } }, '/prices/m/inputPerMTok'],
  [{ agents: [{ agentId: 'x' }] }, '/agents/0/run'],
])('%j is refused at %j', (value, pointer) => {
  expect(() => parseConfig(value, '/')).toThrow(
    expect.objectContaining({
      details: expect.objectContaining({ issues: [expect.objectContaining({ pointer })] }),
    }),
  );
});

it('the store is what a variable holds, and its absence is told', () => {
  const source = { value: { store: 'env:DATABASE_URL' }, locate: (issues: readonly Issue[]) => issues };
  const url = 'postgres://ann:secret@db/evals';
  expect(configFrom(source, '/x/c.json', { DATABASE_URL: url }).store).toBe(url);
  expect(() => configFrom(source, '/x/c.json', {})).toThrow('DATABASE_URL');
});
