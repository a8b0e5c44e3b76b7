import { join } from 'node:path';
import type { RunId } from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import { createTouchstone } from '../../packages/touchstone/src/app/compose.js';
import { parseConfig } from '../../packages/touchstone/src/app/config/config.js';
import { systemClock } from '../../packages/touchstone/src/app/system.js';
import { storeOfTests } from '../setup/flow-store.js';
import {
  AGENT,
  activate,
  askPeople,
  auditOf,
  CANARY,
  expectSoundAudit,
  keyOf,
  logOf,
  managementRuns,
  SUITE,
  stage,
  startDeploymentHost,
  typesOf,
  untilStatus,
} from './deployment-host.js';
import { readJson } from './pack-host.js';
import { KEY, OTHER_KEY } from './processes.js';
import type { WholeHost } from './whole-host.js';

const OPERATOR_KEY = 'test-key-of-the-operator-0123456789';
const OPERATOR = { keys: [{ key: OPERATOR_KEY, tenant: 'house', principal: 'ops', roles: ['operator'] }] };

const evaluation = (version = '1.0.0', extra: object = {}) => ({
  mode: 'eval',
  evalSuiteRef: `${SUITE}@1.0.0`,
  agentId: `${AGENT}@${version}`,
  ...extra,
});
async function evaluated(host: WholeHost, version?: string, extra?: object): Promise<RunId> {
  const { body } = await readJson(host, '/v1/runs', { method: 'POST', body: evaluation(version, extra) });
  const runId = body.runId as RunId;
  await untilStatus(host, runId, 'completed');
  return runId;
}
const remove = (host: WholeHost, path: string, key?: string) =>
  host.fetch(`/v1/host/touchstone/runs/${path}`, { method: 'DELETE', ...(key && { key }) });
const prune = async (host: WholeHost, body: object, key?: string) =>
  (await readJson(host, '/v1/host/touchstone/runs:prune', { method: 'POST', body, ...(key && { key }) }))
    .body;

const READS = (runId: string): readonly string[] => [
  `/v1/runs/${runId}`,
  `/v1/runs/${runId}/events`,
  `/v1/runs/${runId}/events/poll`,
  `/v1/runs/${runId}/eval-summary`,
  `/v1/runs/${runId}/annotations`,
  `/v1/runs/${runId}/debug-bundle`,
  `/v1/runs/${runId}:diff?against=${runId}`,
  `/v1/host/touchstone/runs/${runId}/report`,
  `/v1/host/touchstone/runs/${runId}/results`,
  `/v1/host/touchstone/runs/${runId}/scorecard`,
  `/v1/host/touchstone/runs/${runId}/tasks/t-0`,
  `/v1/host/touchstone/runs/${runId}/progress`,
];

describe('DELETE of a run', () => {
  it('makes every read of it answer as for a run that never was, and is in the audit log', async () => {
    const host = await startDeploymentHost();
    const [runId, other] = [await evaluated(host), await evaluated(host)];
    for (const path of READS(runId)) expect((await host.fetch(path)).status, path).toBe(200);
    expect((await remove(host, runId)).status).toBe(204);
    for (const [at, path] of READS(runId).entries()) {
      const [gone, never] = [await readJson(host, path), await readJson(host, READS('run-never')[at] ?? '')];
      expect(gone, path).toEqual(never);
      expect(gone.status).toBe(404);
    }
    expect((await remove(host, runId)).status).toBe(404);
    expect((await readJson(host, '/v1/host/touchstone/runs')).body.items).toMatchObject([{ runId: other }]);
    await expect(host.client().runs.remove(runId)).rejects.toMatchObject({ status: 404 });
    expect((await auditOf(host)).at(-1)).toMatchObject({
      principal: 'lead',
      action: 'runs:delete',
      resource: `runs/${runId}`,
      runId,
      allowed: true,
    });
    await expectSoundAudit(host);
  });

  it('is refused to another tenant as for an absent run, and without the scope', async () => {
    const host = await startDeploymentHost();
    const runId = await evaluated(host);
    expect((await remove(host, runId, OTHER_KEY)).status).toBe(404);
    expect((await remove(host, `${runId}/bodies`, OTHER_KEY)).status).toBe(404);
    expect((await remove(host, runId, keyOf('runner'))).status).toBe(403);
    expect((await host.fetch(`/v1/runs/${runId}`)).status).toBe(200);
    expect((await auditOf(host)).at(-1)).toMatchObject({ action: 'runs:delete', allowed: false });
  });

  it('waits for nobody: a run that has not ended stays, and goes on', async () => {
    const slow = 'export default () => new Promise(() => {});\n';
    const agents = [
      { agentId: 'local.test.slow', version: '1.0.0', run: { kind: 'module', path: './s.mjs' } },
    ];
    const host = await startDeploymentHost({ config: { agents }, host: { files: { 's.mjs': slow } } });
    const { body } = await readJson(host, '/v1/runs', {
      method: 'POST',
      body: { ...evaluation(), agentId: 'local.test.slow' },
    });
    const runId = body.runId as string;
    await untilStatus(host, runId, 'running');
    for (const path of [runId, `${runId}/bodies`]) {
      const refused = await remove(host, path);
      expect(refused.status).toBe(409);
      expect(await refused.json()).toMatchObject({
        error: 'run_state_conflict',
        details: { runStatus: 'running' },
      });
    }
    expect(await prune(host, { keep: 0 })).toEqual({
      removed: [],
      kept: [{ runId, reason: 'unfinished' }],
      more: false,
    });
    await readJson(host, `/v1/runs/${runId}/cancel`, { method: 'POST', body: {} });
    await untilStatus(host, runId, 'cancelled');
    expect((await remove(host, runId)).status).toBe(204);
  });
});

describe('pruning', () => {
  it('keeps what is blessed and what a deployment rests on, says so, and removes the rest', async () => {
    const host = await startDeploymentHost();
    const [old, blessed, proof, recent] = [
      await evaluated(host),
      await evaluated(host),
      await evaluated(host, '1.0.0', {}),
      await evaluated(host, '2.0.0'),
    ];
    await host.fetch('/v1/host/touchstone/baselines', { method: 'POST', body: { runId: blessed } });
    await activate(host, '1.0.0', { evalRunId: proof });
    const moves = (await managementRuns(host)).map(({ runId }) => runId);
    const expected = {
      removed: [recent, old],
      kept: [
        ...moves.map((runId) => ({ runId, reason: 'evidence', by: `${AGENT}@1.0.0` })),
        { runId: proof, reason: 'evidence', by: `${AGENT}@1.0.0` },
        { runId: blessed, reason: 'blessed' },
      ],
      more: false,
    };
    expect(await prune(host, { keep: 0, dryRun: true })).toEqual(expected);
    expect((await host.fetch(`/v1/runs/${old}`)).status).toBe(200);
    for (const runId of [proof, blessed]) {
      const refused = await remove(host, runId);
      expect(refused.status).toBe(409);
      expect(await refused.json()).toMatchObject({ error: 'conflict', details: { runId } });
      expect((await remove(host, `${runId}/bodies`)).status).toBe(409);
    }
    expect(await prune(host, { keep: 0 })).toEqual(expected);
    for (const runId of [old, recent]) expect((await host.fetch(`/v1/runs/${runId}`)).status).toBe(404);
    for (const runId of [proof, blessed, ...moves])
      expect((await host.fetch(`/v1/runs/${runId}`)).status).toBe(200);
    const removals = (await auditOf(host)).filter(({ action }) => action === 'runs:delete');
    expect(removals.map(({ runId }) => runId)).toEqual([recent, old]);
  });

  it('lets the newest of each suite and agent stay, and touches no other owner', async () => {
    const host = await startDeploymentHost();
    const [first, second] = [await evaluated(host), await evaluated(host)];
    const elsewhere = await readJson(host, '/v1/runs', {
      method: 'POST',
      key: OTHER_KEY,
      body: evaluation(),
    });
    await untilStatus(
      { fetch: (path, options) => host.fetch(path, { ...options, key: OTHER_KEY }) },
      elsewhere.body.runId as string,
      'completed',
    );
    expect(await prune(host, { olderThan: '1d', keep: 0 })).toMatchObject({ removed: [] });
    expect(await prune(host, { keep: 1 })).toEqual({ removed: [first], kept: [], more: false });
    expect((await host.fetch(`/v1/runs/${second}`)).status).toBe(200);
    expect((await host.fetch(`/v1/runs/${elsewhere.body.runId}`, { key: OTHER_KEY })).status).toBe(200);
  });

  it.each([
    [{}, '/'],
    [{ olderThan: '90 days' }, '/olderThan'],
    [{ olderThan: '0d' }, '/olderThan'],
    [{ keep: -1 }, '/keep'],
    [{ keep: 1, force: true }, '/'],
  ])('%j is refused', async (body, pointer) => {
    const host = await startDeploymentHost();
    const refused = await prune(host, body);
    expect(refused).toMatchObject({ error: 'validation_error' });
    expect(String(refused.message)).toContain(pointer);
  });
});

describe('a run without its content', () => {
  it('shows scores as before and no answer, says that they were removed, and refuses what needs them', async () => {
    const host = await startDeploymentHost();
    const [runId, other] = [await evaluated(host), await evaluated(host)];
    const scores = async () => [
      (await readJson(host, `/v1/runs/${runId}/eval-summary`)).body,
      (await readJson(host, `/v1/host/touchstone/runs/${runId}/report`)).body,
      (await readJson(host, `/v1/host/touchstone/runs/${runId}/results`)).body,
      (await readJson(host, `/v1/host/touchstone/runs/${runId}/scorecard`)).body,
      (
        await readJson(host, '/v1/host/touchstone/runs:compare', {
          method: 'POST',
          body: { before: runId, after: other },
        })
      ).body,
    ];
    const [before, events] = [await scores(), await logOf(host, runId)];
    expect(JSON.stringify(events)).toContain(CANARY);
    expect((await remove(host, `${runId}/bodies`)).status).toBe(204);

    expect(await scores()).toEqual(before);
    const left = await logOf(host, runId);
    expect(JSON.stringify(left)).not.toContain(CANARY);
    expect(typesOf(left)).toEqual(typesOf(events));
    const at = expect.stringMatching(/^\d{4}-/);
    const snapshot = await readJson(host, `/v1/runs/${runId}`);
    expect(snapshot.body.touchstone).toMatchObject({ bodiesRemovedAt: at });
    const task = (await readJson(host, `/v1/host/touchstone/runs/${runId}/tasks/t-0`)).body;
    expect(task).toMatchObject({ bodiesRemovedAt: at, score: 1, passed: true });
    expect((task.invocations as readonly object[])[0]).not.toHaveProperty('output');

    const posted = (path: string, body: object) => readJson(host, path, { method: 'POST', body });
    for (const refused of [
      await posted(`/v1/runs/${runId}:fork`, { mode: 'replay' }),
      await posted(`/v1/runs/${runId}:fork`, { mode: 'branch', fromSeq: 0 }),
      await posted(`/v1/host/touchstone/runs/${runId}:rejudge`, {}),
      await readJson(host, `/v1/runs/${runId}:diff?against=${other}`),
      await readJson(host, `/v1/runs/${other}:diff?against=${runId}`),
    ])
      expect(refused).toMatchObject({
        status: 410,
        body: { error: 'bodies_removed', details: { runId, bodiesRemovedAt: at } },
      });
    expect(await prune(host, { keep: 0, bodiesOnly: true })).toEqual({
      removed: [other],
      kept: [],
      more: false,
    });
    expect((await auditOf(host)).slice(-2)).toMatchObject([
      { resource: `runs/${runId}/bodies` },
      { resource: `runs/${other}/bodies` },
    ]);
  });
});

it('the rules of the configuration are applied by a host in the background, per tenant', async () => {
  const host = await startDeploymentHost();
  const [runId, blessed] = [await evaluated(host), await evaluated(host)];
  await host.fetch('/v1/host/touchstone/baselines', { method: 'POST', body: { runId: blessed } });
  await host.stop();
  const logs: string[] = [];
  let applied: () => void = () => undefined;
  const log = {
    info(event: string, facts = {}) {
      logs.push(`${event} ${JSON.stringify(facts)}`);
      if (event === 'retention.applied') applied();
    },
    warn: () => undefined,
    error: (event: string) => void logs.push(event),
  };
  const later = { ...systemClock, now: () => Date.now() + 10 * 86_400_000 };
  const owner = { tenant: 'acme', workspace: 'main' };
  const reopened = async (retention: object) => {
    const config = parseConfig({ ...storeOfTests(host.folder), retention }, host.folder);
    const dataDir = join(host.folder, 'data');
    const round = new Promise<void>((resolve) => {
      applied = resolve;
    });
    const touchstone = await createTouchstone({ config, dataDir, origin: 'host', clock: later, log });
    await round;
    await touchstone.close();
    const again = await createTouchstone({ config, dataDir, origin: 'cli', log });
    const runs = await Promise.all([
      again.store.runs.get(owner, runId),
      again.store.runs.get(owner, blessed),
    ]);
    const last = await again.store.audit.last(owner);
    await again.close();
    return { runs, last };
  };
  expect((await reopened({ '*': { olderThan: '1d' }, acme: { olderThan: '11d' } })).runs).toMatchObject([
    { runId },
    { runId: blessed },
  ]);
  expect(await reopened({ '*': { bodiesOlderThan: '9d' } })).toMatchObject({
    runs: [{ runId, bodiesRemovedAt: expect.any(Number) }, { runId: blessed }],
    last: { principal: '~retention', resource: `runs/${runId}/bodies` },
  });
  expect(await reopened({ acme: { olderThan: '9d' } })).toMatchObject({
    runs: [undefined, { runId: blessed }],
    last: { principal: '~retention', resource: `runs/${runId}` },
  });
  expect(logs).toEqual([
    'retention.applied {"removed":0,"kept":0}',
    'retention.applied {"removed":1,"kept":1}',
    'retention.applied {"removed":1,"kept":1}',
  ]);
});

describe('usage', () => {
  it('shows an operator the numbers of every tenant, and no tenant those of others', async () => {
    const host = await startDeploymentHost({
      config: {
        keys: [
          ...OPERATOR.keys,
          { key: KEY, tenant: 'acme', roles: ['admin'] },
          { key: OTHER_KEY, tenant: 'globex', roles: ['admin'] },
        ],
      },
    });
    await evaluated(host);
    const elsewhere = await host.fetch('/v1/runs', { method: 'POST', key: OTHER_KEY, body: evaluation() });
    expect(elsewhere.status).toBe(201);
    const { status, body } = await readJson(host, '/v1/host/touchstone/usage', { key: OPERATOR_KEY });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        items: [
          { tenant: 'acme', workspace: 'main', runs: 1, unfinished: 0, costUsd: 0 },
          { tenant: 'globex', workspace: 'main', runs: 1 },
        ],
      },
    });
    expect(JSON.stringify(body)).not.toMatch(new RegExp(`${CANARY}|${AGENT}|${SUITE}|run-`));
    expect((await host.fetch('/v1/host/touchstone/usage')).status).toBe(403);
    for (const path of ['/v1/host/touchstone/runs', '/v1/host/touchstone/audit'])
      expect((await host.fetch(path, { key: OPERATOR_KEY })).status).toBe(403);
  });
});

describe('publicUrl', () => {
  it('is what links, locations and the OpenAPI document begin with', async () => {
    const publicUrl = 'https://evals.example/touchstone/';
    const host = await startDeploymentHost({ config: { publicUrl } });
    const base = 'https://evals.example/touchstone';
    const response = await host.fetch('/v1/runs', { method: 'POST', body: evaluation() });
    const { runId, statusUrl, eventsUrl } = (await response.json()) as { [member: string]: string };
    expect(response.headers.get('location')).toBe(`${base}/v1/runs/${runId}`);
    expect([statusUrl, eventsUrl]).toEqual([`${base}/v1/runs/${runId}`, `${base}/v1/runs/${runId}/events`]);
    const { body } = await readJson(host, '/v1/openapi.json');
    expect(body.servers).toEqual([{ url: base }]);
  });

  it('is what links to answer a question begin with', async () => {
    const publicUrl = 'https://evals.example';
    const gates = [{ agentId: AGENT, to: 'active', approval: { requiredRole: 'approver' } }];
    const host = await startDeploymentHost({ gates, config: { publicUrl } });
    await stage(host, '1.0.0');
    const runId = await askPeople(host, '1.0.0');
    const { status, body } = await readJson(
      host,
      `/v1/host/touchstone/runs/${runId}/interrupts/approval/tokens`,
      { method: 'POST', body: {} },
    );
    expect(status).toBe(201);
    expect(body.url).toBe(`${publicUrl}/v1/interrupts/${body.token}`);
  });

  it.each([['ftp://x'], ['https://me:pw@evals.example'], ['https://evals.example/?a=1'], ['evals.example']])(
    '%s is refused with its place',
    (publicUrl) => {
      expect(() => parseConfig({ publicUrl }, '/')).toThrow(/\/publicUrl/);
    },
  );
});
