import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../app/system.js';
import { expectRefusal } from '../../app/testing/scorecards.js';
import { createTestHost, KEYS, type TestHost } from '../../app/testing/test-host.js';

const suite = {
  suiteId: 'core.acme.evals.echo',
  version: '1.0.0',
  modes: ['golden'],
  tasks: [
    { taskId: 't', input: 'x', expected: { kind: 'golden', match: { strategy: 'exact', value: 'x' } } },
  ],
};

let host: TestHost;
let runId: string;
beforeAll(async () => {
  // The many refusals of this file would be rate-limited; on a fast clock they lie far apart.
  const clock = { ...systemClock, elapsed: () => systemClock.elapsed() * 1_000 };
  host = await createTestHost({ testSeams: true, clock });
  await host.request('POST', '/v1/host/touchstone/suites', { body: suite });
  const body = { mode: 'eval', evalSuiteRef: 'core.acme.evals.echo', agentId: 'local.acme.echo' };
  runId = (await host.request('POST', '/v1/runs', { body })).json<{ runId: string }>().runId;
});
afterAll(() => host.close());

const GUARDED: readonly (readonly [string, string, string])[] = [
  ['POST', '/v1/runs', 'runs:create'],
  ['GET', '/v1/runs/{run}', 'runs:read'],
  ['GET', '/v1/runs/{run}/events', 'runs:read'],
  ['GET', '/v1/runs/{run}/events/poll', 'runs:read'],
  ['GET', '/v1/runs/{run}/eval-summary', 'runs:read'],
  ['POST', '/v1/runs/{run}/cancel', 'runs:cancel'],
  ['POST', '/v1/runs/{run}:pause', 'runs:cancel'],
  ['POST', '/v1/runs/{run}:resume', 'runs:cancel'],
  ['POST', '/v1/runs:bulk-cancel', 'runs:cancel'],
  ['POST', '/v1/runs/{run}:fork', 'runs:create'],
  ['GET', '/v1/runs/{run}:diff', 'runs:read'],
  ['POST', '/v1/runs/{run}/annotations', 'runs:annotate'],
  ['GET', '/v1/runs/{run}/annotations', 'runs:read'],
  ['GET', '/v1/runs/{run}/debug-bundle', 'runs:read'],
  ['GET', '/v1/runs/{run}/artifacts/gate', 'artifacts:read'],
  ['POST', '/v1/runs/{run}/interrupts/gate', 'approvals:respond'],
  ['POST', '/v1/host/touchstone/runs/{run}/interrupts/gate/tokens', 'approvals:respond'],
  ['GET', '/v1/audit/verify', 'audit:read'],
  ['GET', '/v1/host/touchstone/audit', 'audit:read'],
  ['POST', '/v1/host/touchstone/audit/checkpoints', 'audit:read'],
  ['GET', '/v1/host/touchstone/audit/checkpoints', 'audit:read'],
  ['POST', '/v1/webhooks', 'webhooks:manage'],
  ['DELETE', '/v1/webhooks/hook', 'webhooks:manage'],
  ['GET', '/v1/host/touchstone/webhooks', 'webhooks:manage'],
  ['POST', '/v1/host/touchstone/profiles:compile', 'suites:write'],
  ['GET', '/v1/host/touchstone/runs/{run}/contract-report', 'runs:read'],
  ['GET', '/v1/workflows/conformance-noop', 'manifest:read'],
  ['POST', '/v1/host/touchstone/suites', 'suites:write'],
  ['GET', '/v1/host/touchstone/suites', 'runs:read'],
  ['GET', '/v1/host/touchstone/suites/core.acme.evals.echo', 'runs:read'],
  ['GET', '/v1/host/touchstone/suites/core.acme.evals.echo/head', 'runs:read'],
  ['GET', '/v1/host/touchstone/suites/core.acme.evals.echo/signature', 'runs:read'],
  ['POST', '/v1/host/touchstone/suites:check', 'suites:write'],
  ['GET', '/v1/host/touchstone/keys', 'keys:read'],
  ['PUT', '/v1/host/touchstone/agents/local.acme.mine', 'agents:write'],
  ['PUT', '/v1/host/touchstone/packs/vendor.acme.support/-/1.0.0.tgz', 'packs:publish'],
  ['GET', '/v1/host/touchstone/packs', 'runs:read'],
  ['DELETE', '/v1/host/touchstone/packs/vendor.acme.support/-/1.0.0', 'packs:yank'],
  ['POST', '/v1/host/touchstone/packs/vendor.acme.support/-/1.0.0/revoke', 'packs:yank'],
  ['GET', '/v1/host/touchstone/runs', 'runs:read'],
  ['DELETE', '/v1/host/touchstone/runs/{run}', 'runs:delete'],
  ['DELETE', '/v1/host/touchstone/runs/{run}/bodies', 'runs:delete'],
  ['POST', '/v1/host/touchstone/runs:prune', 'runs:delete'],
  ['GET', '/v1/host/touchstone/usage', 'host:usage'],
  ['GET', '/v1/host/touchstone/runs/{run}/tasks', 'runs:read'],
  ['GET', '/v1/host/touchstone/runs/{run}/facets', 'runs:read'],
  ['GET', '/v1/host/touchstone/runs/{run}/task-views', 'runs:read'],
  ['GET', '/v1/host/touchstone/runs/{run}/bodies', 'runs:read'],
  ['GET', '/v1/host/touchstone/runs/{run}/tasks/t', 'runs:read'],
  ['GET', '/v1/host/touchstone/runs/{run}/tasks/t/events', 'runs:read'],
  ['POST', '/v1/host/touchstone/runs/{run}/tasks:search', 'runs:read'],
  ['GET', '/v1/host/touchstone/runs/{run}/progress', 'runs:read'],
  ['GET', '/v1/host/touchstone/runs/{run}/report', 'runs:read'],
  ['GET', '/v1/host/touchstone/runs/{run}/results', 'runs:read'],
  ['GET', '/v1/host/touchstone/runs/{run}/scorecard', 'runs:read'],
  ['GET', '/v1/host/touchstone/runs/{run}/summary-totals', 'runs:read'],
  ['GET', '/v1/host/touchstone/runs/{run}/overrides', 'runs:read'],
  ['GET', '/v1/host/touchstone/review', 'runs:read'],
  ['GET', '/v1/host/touchstone/agreement', 'runs:read'],
  ['GET', '/v1/host/touchstone/runs/{run}/calibration', 'runs:read'],
  ['GET', '/v1/host/touchstone/labels', 'runs:read'],
  ['POST', '/v1/host/touchstone/judges', 'suites:write'],
  ['GET', '/v1/host/touchstone/judges', 'runs:read'],
  ['GET', '/v1/host/touchstone/judges/core.acme.judges.tone', 'runs:read'],
  ['POST', '/v1/host/touchstone/runs:preview', 'runs:create'],
  ['POST', '/v1/host/touchstone/runs:compare', 'runs:read'],
  ['POST', '/v1/host/touchstone/runs:compare-judges', 'runs:read'],
  ['POST', '/v1/host/touchstone/runs:looks', 'runs:read'],
  ['GET', '/v1/host/touchstone/baselines', 'runs:read'],
  ['POST', '/v1/host/touchstone/baselines', 'baselines:write'],
  ['GET', '/v1/host/touchstone/suites/core.acme.evals.echo/history', 'runs:read'],
  ['GET', '/v1/host/touchstone/suites/core.acme.evals.echo/tasks', 'runs:read'],
  ['GET', '/v1/host/touchstone/suites/core.acme.evals.echo/tasks/t', 'runs:read'],
  ['GET', '/v1/host/touchstone/matrix', 'runs:read'],
  ['GET', '/v1/host/touchstone/counts', 'runs:read'],
  ['GET', '/v1/host/touchstone/agents/local.acme.mine/versions', 'runs:read'],
  ['GET', '/v1/host/touchstone/agents/local.acme.mine/gates', 'runs:read'],
  ['POST', '/v1/host/touchstone/runs/{run}:rejudge', 'runs:create'],
  ['GET', '/v1/host/touchstone/metrics', 'metrics:read'],
  ['GET', '/v1/host/touchstone/workers', 'metrics:read'],
  ['GET', '/v1/host/sample/test/runs/{run}/events', 'runs:read'],
  ['POST', '/v1/host/sample/test/emit-provider-usage', 'runs:create'],
  ['POST', '/v1/host/sample/agents/eval-run', 'runs:create'],
  ['POST', '/v1/host/sample/agents/live-invoke', 'runs:create'],
  ['POST', '/v1/host/sample/agents/local.acme.echo/dispatch', 'runs:create'],
  ['POST', '/v1/host/sample/governance/approval-gate', 'approvals:respond'],
];
const concrete = (path: string) => path.replace('{run}', runId);

describe.each(GUARDED)('%s %s', (method, path, scope) => {
  it('needs a key', async () => {
    for (const key of [null, 'wrong']) {
      const answer = await host.request(method, concrete(path), { key });
      expectRefusal(answer, 401, 'unauthenticated');
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
    }
  });

  it(`needs the scope ${scope}`, async () => {
    const { details } = expectRefusal(
      await host.request(method, concrete(path), { key: KEYS.none }),
      403,
      'forbidden',
    );
    expect(details).toEqual({ scopeRequired: scope });
  });
});

it('the table above is complete', async () => {
  const { paths } = (await host.request('GET', '/v1/openapi.json')).json<{
    paths: { [path: string]: { [method: string]: { 'x-scope'?: string } } };
  }>();
  const scoped = Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap((operation) => operation['x-scope'] ?? []),
  );
  expect(scoped.sort()).toEqual(GUARDED.map(([, , scope]) => scope).sort());
});

it.each([['/v1/agents'], ['/v1/agents/local.acme.echo']])('%s asks for any key', async (path) => {
  expectRefusal(await host.request('GET', path, { key: null }), 401, 'unauthenticated');
  expect((await host.request('GET', path, { key: KEYS.none })).status).toBe(200);
});

it.each([['test/reset'], ['agents/deployment-transition'], ['authorization/decide']])(
  'the seam %s asks for any key',
  async (path) => {
    const post = (key: string | null) => host.request('POST', `/v1/host/sample/${path}`, { key, body: [] });
    expectRefusal(await post(null), 401, 'unauthenticated');
    expectRefusal(await post(KEYS.none), 400, 'validation_error');
  },
);

it.each([
  ['/v1/host/touchstone/metrics', 'metrics:read'],
  ['/v1/host/touchstone/workers', 'metrics:read'],
  ['/v1/host/touchstone/usage', 'host:usage'],
])('%s, which tells of all tenants, is for the operator and for no admin of one', async (path, scope) => {
  const { details } = expectRefusal(await host.request('GET', path, { key: KEYS.acme }), 403, 'forbidden');
  expect(details).toEqual({ scopeRequired: scope });
  expect((await host.request('GET', path, { key: KEYS.operator })).status).toBe(200);
});

it('rates are decided before scopes', async () => {
  const busy = await createTestHost({ config: { limits: { requestsPerMinute: 2 } } });
  const ask = () => busy.request('GET', '/v1/host/touchstone/runs', { key: KEYS.none });
  expectRefusal(await ask(), 403, 'forbidden');
  expectRefusal(await ask(), 403, 'forbidden');
  const answer = await ask();
  const { details } = expectRefusal(answer, 429, 'rate_limited');
  expect(details).toMatchObject({ scope: 'key' });
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  await busy.close();
});

/** What a request must say besides its path to be about a run at all. */
const NEEDED: { readonly [path: string]: { readonly query?: string; readonly body?: object } } = {
  '/v1/runs/{run}:fork': { body: { mode: 'replay' } },
  '/v1/runs/{run}:diff': { query: '?against=run-404' },
  '/v1/runs/{run}/interrupts/gate': { body: { resumeValue: { action: 'accept' } } },
  '/v1/host/touchstone/runs/{run}/tasks:search': { body: { text: 'x' } },
  '/v1/runs/{run}/annotations': { body: { signal: { kind: 'flag' } } },
};

describe("another tenant's things", () => {
  const asRival = (method: string, path: string, body?: unknown) =>
    host.request(method, concrete(path), { key: KEYS.rival, ...(body !== undefined && { body }) });

  it.each(GUARDED.filter(([, path]) => path.includes('{run}') && !path.includes('/sample/')))(
    '%s %s are absent, in the words for absent ones',
    async (method, path) => {
      const { query = '', body } = NEEDED[path] ?? {};
      const given = method === 'POST' ? body : undefined;
      const foreign = await asRival(method, `${path}${query}`, given);
      expectRefusal(foreign, 404, 'not_found');
      const absent = await asRival(method, `${path.replace('{run}', 'run-404')}${query}`, given);
      expect(foreign.text).toBe(absent.text);
    },
  );

  it('are not listed, not cancelled in bulk, and not seen by the seam', async () => {
    expect((await asRival('GET', '/v1/host/touchstone/runs')).json()).toEqual({ items: [] });
    expect((await asRival('GET', '/v1/host/touchstone/suites')).json()).toEqual({ items: [] });
    const bulk = await asRival('POST', '/v1/runs:bulk-cancel', { runIds: [runId] });
    expect(bulk.json()).toEqual({
      results: [{ runId, ok: false, error: { code: 'not_found', message: expect.any(String) } }],
    });
    expect((await asRival('GET', '/v1/host/sample/test/runs/{run}/events')).json()).toEqual({ events: [] });
    expect((await host.request('GET', `/v1/runs/${runId}`)).json()).toMatchObject({ status: 'pending' });
  });

  it('cannot be run: an unknown suite and a foreign one are refused alike', async () => {
    const run = (evalSuiteRef: string) =>
      asRival('POST', '/v1/runs', { mode: 'eval', evalSuiteRef, agentId: 'local.acme.echo' });
    const foreign = await run('core.acme.evals.echo@1.0.0');
    expectRefusal(foreign, 400, 'validation_error');
    expect(foreign.text).toBe((await run('core.acme.evals.unknown@1.0.0')).text);
  });
});
