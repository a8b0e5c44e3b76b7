import { afterEach, describe, expect, it } from 'vitest';
import { PACK_NAME } from '../../packages/touchstone/src/packs/testing/pack-bytes.js';
import { activate, answer, auditOf, move, peopled, recordsOf } from './deployment-host.js';
import {
  AGENT,
  archiveFor,
  createEval,
  deferred,
  echoes,
  evaluate,
  eventsOf,
  install,
  modelConfig,
  type PackShape,
  packUrl,
  readJson,
  SUITE,
  startModelServer,
  VERSION,
} from './pack-host.js';
import { put } from './pack-publishing.js';
import { KEY, OTHER_KEY } from './processes.js';
import { openWholeHost, RUNNER_KEY, type WholeHost } from './whole-host.js';

// Goal: a pack can be taken back, what was measured of it stays, and nothing that serves goes away in silence. Method: the
// whole host over HTTP, with a model on loopback and the deployments that gates let through.

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const openHost = async (
  config: object = {},
  script: Parameters<typeof startModelServer>[0] = echoes,
  options: Parameters<typeof openWholeHost>[1] = {},
): Promise<WholeHost> => {
  const model = await startModelServer(script);
  open.push(model);
  const host = await openWholeHost(modelConfig(model, config), options);
  open.push(host);
  return host;
};

const urlOf = (version = VERSION, name = PACK_NAME) => `/v1/host/touchstone/packs/${name}/-/${version}`;
const remove = (host: WholeHost, version = VERSION, key = KEY) =>
  readJson(host, urlOf(version), { method: 'DELETE', key });
const revoke = (host: WholeHost, version = VERSION, body: object = {}, key = KEY) =>
  readJson(host, `${urlOf(version)}/revoke`, { method: 'POST', body, key });
const send = async (host: WholeHost, version: string, shape: PackShape = {}) =>
  put(
    host,
    await archiveFor({ ...shape, manifest: { version, ...shape.manifest } }),
    packUrl(PACK_NAME, version),
  );
const listOf = async (host: WholeHost, what: string, key = KEY) =>
  (await readJson(host, `/v1/host/touchstone/${what}`, { key })).body.items as readonly {
    readonly [member: string]: unknown;
  }[];
const yanks = async (host: WholeHost) =>
  (await auditOf(host)).filter(({ action }) => action === 'packs:yank');
const serving = { agentId: AGENT, channel: 'stable' };

describe('removing a pack', () => {
  it('takes its agents and suites along, and leaves everything that was measured', async () => {
    const host = await openHost();
    await install(host);
    const { runId, summary } = await evaluate(host);
    const answer = await remove(host);
    expect(answer).toMatchObject({
      status: 200,
      body: { name: PACK_NAME, version: VERSION, digest: expect.stringMatching(/^sha256:/), agents: [AGENT] },
    });
    expect(await listOf(host, 'packs')).toEqual([]);
    expect(await listOf(host, 'suites')).toEqual([]);
    expect(await readJson(host, `/v1/agents/${AGENT}`)).toMatchObject({ status: 404 });
    expect(await createEval(host)).toMatchObject({ status: 400, body: { error: 'validation_error' } });
    for (const [path, body] of [
      [`/v1/runs/${runId}/eval-summary`, summary],
      [`/v1/runs/${runId}`, { status: 'completed' }],
      [`/v1/host/touchstone/runs/${runId}/tasks/t-0`, { taskId: 't-0' }],
      [`/v1/host/touchstone/runs/${runId}/report`, {}],
    ] as const)
      expect(await readJson(host, path)).toMatchObject({ status: 200, body });
    expect(await yanks(host)).toMatchObject([
      { allowed: true, resource: `packs/${PACK_NAME}@${VERSION}`, reason: 'removed' },
    ]);
  });

  it('is for those who may, and only for what is theirs', async () => {
    const host = await openHost();
    await install(host);
    expect(await remove(host, VERSION, RUNNER_KEY)).toMatchObject({ status: 403 });
    for (const answer of [await remove(host, VERSION, OTHER_KEY), await remove(host, '9.9.9')])
      expect(answer).toMatchObject({ status: 404, body: { error: 'not_found' } });
    expect(await remove(host, 'latest')).toMatchObject({ status: 400, body: { error: 'invalid_version' } });
    expect(await readJson(host, urlOf(VERSION, 'local.acme.x'), { method: 'DELETE' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_pack_scope' },
    });
    expect(await listOf(host, 'packs')).toHaveLength(1);
    expect(await remove(host)).toMatchObject({ status: 200 });
    expect(await remove(host)).toMatchObject({ status: 404 });
  });

  it('lets the same content come back under the version, and no other', async () => {
    const host = await openHost();
    await install(host);
    await remove(host);
    const other = await send(host, VERSION, { manifest: { description: 'Another one.' } });
    expect(other).toMatchObject({ status: 409, body: { error: 'conflict' } });
    await install(host);
    expect((await evaluate(host)).summary).toMatchObject({ passed: true });
    expect(await remove(host)).toMatchObject({ status: 200 });
  });

  it('keeps a suite that was there before, or that another version brings as well', async () => {
    const host = await openHost();
    const suites = async () =>
      (await listOf(host, 'suites')).map(({ suiteId, version }) => `${suiteId}@${version}`);
    await send(host, '1.0.0');
    await send(host, '1.1.0');
    await remove(host, '1.1.0');
    expect(await suites()).toEqual([`${SUITE}@1.0.0`]);
    await remove(host, '1.0.0');
    expect(await suites()).toEqual([]);
    const [task] = [{ taskId: 't-0', input: 'hello' }];
    const match = { strategy: 'contains', value: 'hello' };
    const suite = {
      suiteId: SUITE,
      version: '1.0.0',
      targetAgentId: AGENT,
      modes: ['golden'],
      tasks: [{ ...task, expected: { kind: 'golden', match } }],
    };
    await readJson(host, '/v1/host/touchstone/suites', { method: 'POST', body: suite });
    expect(await send(host, '1.2.0')).toMatchObject({ status: 201 });
    await remove(host, '1.2.0');
    expect(await suites()).toEqual([`${SUITE}@1.0.0`]);
  });

  it('is refused while a version serves or could serve again, and says how it can be done', async () => {
    const host = await openHost(peopled());
    await install(host);
    await activate(host, VERSION, serving);
    const refusal = (state: string) => ({
      status: 409,
      body: {
        error: 'conflict',
        message: expect.stringContaining(`${AGENT}@${VERSION} of this pack is ${state}`),
        details: { reason: 'serving', serving: [{ agentId: AGENT, version: VERSION, state }] },
      },
    });
    expect(await remove(host)).toMatchObject(refusal('active'));
    await move(host, VERSION, { agentId: AGENT, transition: 'pause' });
    expect(await remove(host)).toMatchObject(refusal('paused'));
    expect(await yanks(host)).toMatchObject([{ allowed: false }, { allowed: false }]);
    await move(host, VERSION, { agentId: AGENT });
    await move(host, VERSION, { agentId: AGENT, transition: 'deprecate' });
    expect(await remove(host)).toMatchObject({ status: 200 });
    expect(await recordsOf(host, AGENT)).toMatchObject([{ version: VERSION, state: 'deprecated' }]);
  });

  it('waits for runs that are not over', async () => {
    const gate = deferred();
    const host = await openHost({}, async (request, call) => {
      await gate.promise;
      return echoes(request, call);
    });
    await install(host);
    const { body } = await createEval(host);
    const runId = String(body.runId);
    expect(await remove(host)).toMatchObject({
      status: 409,
      body: { error: 'conflict', details: { reason: 'running', runId } },
    });
    gate.resolve();
    await eventsOf(host, runId);
    expect(await remove(host)).toMatchObject({ status: 200 });
  });

  it('is not for packs of the configuration', async () => {
    const files = { 'packs/support.tgz': await archiveFor() };
    const host = await openHost({ packs: ['./packs'] }, echoes, { files });
    expect(await remove(host)).toMatchObject({
      status: 409,
      body: { error: 'conflict', message: expect.stringContaining('configuration') },
    });
    expect(await listOf(host, 'packs')).toHaveLength(1);
  });
});

describe('revoking a version', () => {
  const REVOKED = { status: 409, body: { error: 'pack_revoked' } };

  it('starts no new run of it, by any name, and lets begun ones end', async () => {
    const gate = deferred();
    let held = false;
    const host = await openHost({}, async (request, call) => {
      if (held) await gate.promise;
      return echoes(request, call);
    });
    await send(host, '1.0.0');
    await send(host, '2.0.0');
    const finished = await evaluate(host, { agentId: `${AGENT}@2.0.0` });
    held = true;
    const running = String((await createEval(host, { agentId: `${AGENT}@2.0.0` })).body.runId);
    expect(await revoke(host, '2.0.0', { reason: 'leaks order numbers' })).toEqual({
      status: 200,
      body: { name: PACK_NAME, version: '2.0.0', installed: true, serving: [] },
    });
    expect(await createEval(host, { agentId: `${AGENT}@2.0.0` })).toMatchObject(REVOKED);
    const branch = { mode: 'branch', fromSeq: 0 };
    expect(
      await readJson(host, `/v1/runs/${finished.runId}:fork`, { method: 'POST', body: branch }),
    ).toMatchObject(REVOKED);
    gate.resolve();
    await eventsOf(host, running);
    expect((await readJson(host, `/v1/runs/${running}`)).body).toMatchObject({ status: 'completed' });
    // A bare name means the highest version that may be run.
    const { snapshot } = await evaluate(host);
    expect(snapshot.touchstone).toMatchObject({ agent: { version: '1.0.0' } });
    await revoke(host, '1.0.0');
    expect(await createEval(host)).toMatchObject(REVOKED);
    const replay = { mode: 'replay', fromSeq: 0 };
    expect(
      (await readJson(host, `/v1/runs/${finished.runId}:fork`, { method: 'POST', body: replay })).status,
    ).toBe(201);
    expect((await yanks(host)).map(({ reason }) => reason)).toEqual([
      'revoked: leaks order numbers',
      'revoked',
    ]);
  });

  it('is seen in the lists, and told once', async () => {
    const host = await openHost();
    await install(host);
    await revoke(host);
    expect(await revoke(host)).toMatchObject({ status: 200 });
    expect(await yanks(host)).toHaveLength(1);
    expect(await listOf(host, 'packs')).toMatchObject([{ version: VERSION, revoked: true }]);
    expect((await readJson(host, `/v1/agents/${AGENT}`)).body.degraded).toEqual(['pack.revoked']);
    expect(await revoke(host, VERSION, {}, RUNNER_KEY)).toMatchObject({ status: 403 });
    expect(await revoke(host, VERSION, { reason: '' })).toMatchObject({ status: 400 });
    expect(await revoke(host, 'newest')).toMatchObject({ status: 400, body: { error: 'invalid_version' } });
  });

  it('keeps it from being installed, also when it never was, and after its removal', async () => {
    const host = await openHost();
    expect(await revoke(host, '3.0.0')).toMatchObject({ body: { installed: false, serving: [] } });
    expect(await send(host, '3.0.0')).toMatchObject(REVOKED);
    await install(host);
    await revoke(host);
    expect(await remove(host)).toMatchObject({ status: 200 });
    expect(await send(host, VERSION)).toMatchObject(REVOKED);
    expect(await send(host, '1.2.1')).toMatchObject({ status: 201 });
  });

  it('concerns its owner alone, be the pack the owner’s or the host’s', async () => {
    const files = { 'packs/support.tgz': await archiveFor() };
    const host = await openHost({ packs: ['./packs'] }, echoes, { files });
    expect(await revoke(host)).toMatchObject({ body: { installed: true } });
    expect(await createEval(host)).toMatchObject(REVOKED);
    expect(await listOf(host, 'packs')).toMatchObject([{ revoked: true }]);
    expect(await createEval(host, {}, OTHER_KEY)).toMatchObject({ status: 201 });
    expect((await listOf(host, 'packs', OTHER_KEY))[0]).not.toHaveProperty('revoked');
  });

  it('closes the channels it serves on, and every way into service but the one back', async () => {
    const host = await openHost(peopled());
    await send(host, '1.0.0');
    await send(host, '2.0.0');
    await activate(host, '1.0.0', serving);
    await activate(host, '2.0.0', { ...serving, canaryPercent: 50 });
    expect(await revoke(host, '2.0.0')).toMatchObject({
      body: { serving: [{ agentId: AGENT, version: '2.0.0', state: 'active' }] },
    });
    const gone = { status: 403, body: { error: 'eval_gate_unmet', details: { reason: 'agent_revoked' } } };
    const asking = { agentId: AGENT, transition: 'adjust-canary' };
    expect(await move(host, '2.0.0', { ...asking, canaryPercent: 60 })).toMatchObject(gone);
    expect(await createEval(host, { agentId: `${AGENT}@latest` })).toMatchObject({
      status: 400,
      body: { error: 'no_active_deployment', details: { reason: 'agent_revoked' } },
    });
    expect(await move(host, '2.0.0', { ...asking, canaryPercent: 10 })).toMatchObject({ status: 200 });
    expect(await move(host, '2.0.0', { agentId: AGENT, transition: 'pause' })).toMatchObject({ status: 200 });
    expect(await move(host, '2.0.0', { agentId: AGENT })).toMatchObject(gone);
    expect((await evaluate(host, { agentId: `${AGENT}@stable` })).snapshot.touchstone).toMatchObject({
      agent: { version: '1.0.0' },
    });
  });

  it('is passed over by a rollback', async () => {
    const host = await openHost(peopled());
    for (const version of ['1.0.0', '2.0.0', '3.0.0']) {
      await send(host, version);
      await activate(host, version, serving);
    }
    await revoke(host, '2.0.0');
    expect(await move(host, '3.0.0', { agentId: AGENT, transition: 'rollback' })).toMatchObject({
      status: 200,
      body: { rollbackPointer: '1.0.0' },
    });
  });

  it('makes its evidence worthless, also for a promotion that waits for approval', async () => {
    const host = await openHost(
      peopled({
        gates: [
          {
            agentId: '*',
            to: 'active',
            requiredEval: { suite: SUITE },
            approval: { requiredRole: 'approver' },
          },
        ],
      }),
    );
    await install(host);
    const { runId: evalRunId } = await evaluate(host);
    for (const toState of ['test', 'staged']) await move(host, VERSION, { agentId: AGENT, toState });
    const asking = { ...serving, toState: 'active', evalRunId };
    const waiting = await move(host, VERSION, asking);
    expect(waiting.status).toBe(202);
    await revoke(host);
    const granted = await answer(host, String(waiting.runId), 'ann');
    expect(granted.status).toBeLessThan(300);
    await eventsOf(host, String(waiting.runId));
    expect((await readJson(host, `/v1/runs/${waiting.runId}`)).body).toMatchObject({
      status: 'failed',
      error: { code: 'eval_gate_unmet', details: { reason: 'agent_revoked' } },
    });
    expect(await move(host, VERSION, asking)).toMatchObject({
      status: 403,
      body: { error: 'eval_gate_unmet', details: { reason: 'agent_revoked' } },
    });
  });
});
