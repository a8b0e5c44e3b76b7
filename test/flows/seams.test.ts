import { check, checkPayload, PAYLOAD_TYPES, type PayloadType } from '@touchstone/protocol/wire';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startToolServer, type ToolServer } from './pack-host.js';
import { KEY, OTHER_KEY } from './processes.js';
import { ECHO_AGENT, echoAgent, echoSuite, openWholeHost, type WholeHost } from './whole-host.js';

// What a conformance suite does to a host through its seams. The answers are held against what everyone can read: the
// runs, the deployments, the audit log.

const keyOf = (principal: string): string => `test-key-of-acme-${principal}-0123456789`;
const SAMPLE = 'local.touchstone.sample';
const STRICT = 'local.touchstone.sample-strict';
const SEARCH = 'local:search';

const CONFIG = {
  keys: [
    { key: KEY, tenant: 'acme', principal: 'lead', roles: ['admin'] },
    { key: keyOf('runner'), tenant: 'acme', principal: 'runner', roles: ['runner'] },
    { key: keyOf('judge'), tenant: 'acme', principal: 'judge', roles: ['approver'] },
    { key: keyOf('nobody'), tenant: 'acme', principal: 'nobody', roles: ['nothing'] },
    { key: OTHER_KEY, tenant: 'globex', principal: 'stranger', roles: ['admin'] },
  ],
  roles: { approver: ['approvals:respond'], nothing: [] },
  agents: [
    echoAgent(),
    echoAgent({ agentId: 'local.test.searcher', toolAllowlist: [SEARCH, 'local:not-there'] }),
  ],
  suites: ['.'],
  limits: { requestsPerMinute: 1_000_000 },
};

const open = (extra: object = {}, testSeams = true): Promise<WholeHost> =>
  openWholeHost(
    { ...CONFIG, ...extra },
    {
      files: { 'echo.mjs': ECHO_AGENT, 'echo.suite.json': JSON.stringify(echoSuite(2)) },
      testSeams,
    },
  );

type Json = { readonly [member: string]: unknown };
type Event = { readonly type: string; readonly payload: Json; readonly sequence: number };
type RunReference = {
  readonly runId: string;
  readonly status: string;
  readonly record: Json & { readonly version: string };
  readonly allowed?: boolean;
  readonly error?: string;
  readonly details?: Json;
  readonly resolvedAgentVersion?: string;
};

const post = (host: WholeHost, path: string, body: unknown, key = KEY): Promise<Response> =>
  host.fetch(`/v1/host/sample/${path}`, { method: 'POST', body, key });
async function seam<T = Json>(host: WholeHost, path: string, body: unknown, key = KEY): Promise<T> {
  const response = await post(host, path, body, key);
  const told = (await response.json()) as T;
  expect({ status: response.status, told }).toMatchObject({ status: 200 });
  return told;
}
const get = async <T = Json>(host: WholeHost, path: string, key = KEY): Promise<T> =>
  (await (await host.fetch(path, { key })).json()) as T;

/** The log of a run through the seam for it, every event as published. */
async function eventsOf(host: WholeHost, runId: string): Promise<readonly Event[]> {
  const { events } = await get<{ events: readonly Event[] }>(
    host,
    `/v1/host/sample/test/runs/${runId}/events`,
  );
  for (const event of events) {
    expect({ type: event.type, issues: check('run-event', event) }).toEqual({ type: event.type, issues: [] });
    if ((PAYLOAD_TYPES as readonly string[]).includes(event.type))
      expect(checkPayload(event.type as PayloadType, event.payload)).toEqual([]);
  }
  return events;
}
const typesOf = async (host: WholeHost, runId: string): Promise<readonly string[]> =>
  (await eventsOf(host, runId)).map(({ type }) => type);
const isDeployment = (type: string): boolean => type.startsWith('deployment.');

type AuditItem = Json & { readonly principal: string; readonly allowed: boolean; readonly runId?: string };
const auditOf = async (host: WholeHost): Promise<readonly AuditItem[]> =>
  (await get<{ items: readonly AuditItem[] }>(host, '/v1/host/touchstone/audit?limit=1000')).items;
const isUnbroken = async (host: WholeHost): Promise<unknown> => (await get(host, '/v1/audit/verify')).valid;

const transition = (host: WholeHost, body: Json, key = KEY): Promise<RunReference> =>
  seam<RunReference>(host, 'agents/deployment-transition', body, key);
const recordsOf = (host: WholeHost, agentId = SAMPLE): Promise<readonly Json[]> =>
  get<readonly Json[]>(host, `/v1/agents/${agentId}/deployments`);

describe('deployment-transition', () => {
  let host: WholeHost;
  beforeAll(async () => {
    host = await open();
  });
  afterAll(() => host.close());

  it('promotes, again and again, each time on a run of its own', async () => {
    const runs = new Set<string>();
    for (let round = 0; round < 7; round++) {
      const { runId, record, allowed, error } = await transition(host, { scenario: 'promote' });
      runs.add(runId);
      expect({ allowed, error, issues: check('agent-deployment', record) }).toEqual({
        allowed: true,
        error: undefined,
        issues: [],
      });
      expect(record).toMatchObject({ state: 'active', channels: expect.arrayContaining(['stable']) });
      const promoted = (await eventsOf(host, runId)).filter(({ type }) => type === 'deployment.promoted');
      expect(promoted.map(({ payload }) => payload)).toMatchObject([
        { agentId: SAMPLE, toVersion: record.version, toState: 'active', channel: 'stable' },
      ]);
      expect(await recordsOf(host)).toContainEqual(record);
    }
    expect(runs.size).toBe(7);
    expect(await isUnbroken(host)).toBe(true);
  });

  it('promotes for several callers at once', async () => {
    const told = await Promise.all(
      Array.from({ length: 5 }, () => transition(host, { scenario: 'promote', channel: 'canary' })),
    );
    expect(told.map(({ allowed, error }) => ({ allowed, error }))).toEqual(
      told.map(() => ({ allowed: true, error: undefined })),
    );
  });

  it('promotes the only version of an agent again: it steps back first', async () => {
    const asked = { scenario: 'promote', agentId: 'local.test.echo', version: '1.0.0' };
    const [first, second] = [await transition(host, asked), await transition(host, asked)];
    for (const { runId } of [first, second])
      expect(await typesOf(host, runId)).toContain('deployment.promoted');
    expect(second.record).toMatchObject({ agentId: 'local.test.echo', state: 'active' });
  });

  it('refuses a principal without scopes, and leaves the trace of it', async () => {
    const before = await recordsOf(host);
    const { runId, allowed, error, record } = await transition(host, { scenario: 'unauthorized' });
    expect({ allowed, error }).toEqual({ allowed: false, error: 'forbidden' });
    expect(check('agent-deployment', record)).toEqual([]);
    const events = await eventsOf(host, runId);
    expect(events.map(({ type }) => type)).toEqual(['run.started', 'authorization.decided', 'run.failed']);
    expect(events[1]?.payload).toMatchObject({ action: 'deploy:promote', allowed: false });
    expect(await recordsOf(host)).toEqual(before);
    expect((await auditOf(host)).filter((item) => item.runId === runId)).toMatchObject([
      { principal: 'sample-without-roles', action: 'deploy:promote', allowed: false },
    ]);
  });

  it.each([[{}], [{ agentId: 'local.test.echo' }]])(
    'refuses what an evaluation has not shown, also of what serves already: %j',
    async (whom) => {
      const before = await recordsOf(host, SAMPLE);
      const told = await transition(host, { scenario: 'eval-gate-unmet', ...whom });
      expect(told).toMatchObject({
        allowed: false,
        error: 'eval_gate_unmet',
        details: { reason: 'not_passed', suite: 'host.touchstone.evals.sample-unmet@1.0.0' },
      });
      const types = await typesOf(host, told.runId);
      expect(types.at(-1)).toBe('run.failed');
      expect(types.filter(isDeployment)).toEqual([]);
      expect(await recordsOf(host, SAMPLE)).toEqual(before);
    },
  );

  it('refuses a run of another agent as proof, and one that never was', async () => {
    const { runId: evalRunId } = await seam<RunReference>(host, 'agents/eval-run', {
      agentId: 'local.test.echo',
    });
    const reasonFor = async (id: string) =>
      (await transition(host, { scenario: 'eval-gate-unmet', evalRunId: id })).details?.reason;
    expect([await reasonFor(evalRunId), await reasonFor('run-404')]).toEqual(['other_agent', 'not_found']);
  });

  it.each([['stable'], ['canary'], ['latest']])('pins a run to what serves on %s', async (channel) => {
    const told = await transition(host, { scenario: 'channel-pin', channel });
    const started = (await eventsOf(host, told.runId)).find(
      ({ type }) => type === 'agent.invocation.started',
    );
    expect(started?.payload).toMatchObject({
      agentId: SAMPLE,
      resolvedAgentVersion: told.resolvedAgentVersion,
      resolvedChannel: channel,
    });
    expect(told.record).toMatchObject({
      version: told.resolvedAgentVersion,
      channels: expect.arrayContaining([channel]),
    });
  });

  it.each<[string, object]>([
    ['no scenario', {}],
    ['an unknown scenario', { scenario: 'demote' }],
    ['an unknown agent', { scenario: 'promote', agentId: 'local.test.none' }],
    ['an unknown version', { scenario: 'promote', version: '9.9.9' }],
    ['an unknown channel', { scenario: 'channel-pin', channel: 'nightly' }],
    ['a channel nothing is put on', { scenario: 'promote', channel: 'latest' }],
    ['a number for a name', { scenario: 'promote', agentId: 7 }],
  ])('%s: 400', async (_name, body) => {
    const response = await post(host, 'agents/deployment-transition', body);
    const answer = (await response.json()) as Json;
    expect({ status: response.status, error: answer.error }).toEqual({
      status: 400,
      error: 'validation_error',
    });
    expect(check('error-envelope', answer)).toEqual([]);
  });
});

describe('deployment-transition gives nobody a right they have not', () => {
  let host: WholeHost;
  beforeAll(async () => {
    host = await open();
  });
  afterAll(() => host.close());

  it('whoever may not promote is told so, with the run, whatever the scenario', async () => {
    for (const scenario of ['promote', 'eval-gate-unmet', 'channel-pin']) {
      for (const key of [keyOf('runner'), keyOf('nobody')]) {
        const told = await transition(host, { scenario }, key);
        expect(told).toMatchObject({ allowed: false, error: 'forbidden' });
        expect((await typesOf(host, told.runId)).filter(isDeployment)).toEqual([]);
      }
    }
    expect((await recordsOf(host)).map(({ state }) => state)).toEqual(['draft', 'draft', 'draft']);
  });

  it('whoever may not start runs starts none from a channel', async () => {
    await transition(host, { scenario: 'promote' });
    const asked = { scenario: 'channel-pin' };
    const refused = await post(host, 'agents/deployment-transition', asked, keyOf('nobody'));
    expect(refused.status).toBe(403);
    expect(await transition(host, asked, keyOf('runner'))).toMatchObject({ resolvedAgentVersion: '1.2.0' });
  });

  it('of one tenant moves nothing of another', async () => {
    const records = await get<readonly Json[]>(host, `/v1/agents/${SAMPLE}/deployments`, OTHER_KEY);
    expect(records.map(({ state }) => state)).toEqual(['draft', 'draft', 'draft']);
  });
});

describe('deployment-transition on a host with gates', () => {
  const demanded = { agentId: '*', to: 'active', requiredEval: { suite: 'local.test.evals.echo' } };

  it('brings the proof that a gate for everything asks for, each time', async () => {
    const host = await open({ gates: [demanded] });
    for (let round = 0; round < 5; round++) {
      const { runId, record } = await transition(host, { scenario: 'promote' });
      const promoted = (await eventsOf(host, runId)).find(({ type }) => type === 'deployment.promoted');
      expect(promoted?.payload.evalRunId).toBe(record.evalRunId);
      expect(await get(host, `/v1/runs/${record.evalRunId}/eval-summary`)).toMatchObject({
        suiteId: 'local.test.evals.echo',
        passed: true,
      });
    }
    const unmet = await transition(host, { scenario: 'eval-gate-unmet' });
    expect(unmet).toMatchObject({ error: 'eval_gate_unmet', allowed: false });
    await host.close();
  });

  it('answers what happened when people have to be asked, or the proof cannot be had', async () => {
    const approval = { requiredRole: 'admin' };
    const host = await open({
      gates: [
        { agentId: SAMPLE, to: 'active', approval },
        { agentId: 'local.test.*', to: 'test', requiredEval: { suite: 'local.test.evals.not-there' } },
      ],
    });
    const held = await transition(host, { scenario: 'promote' });
    expect(held).toMatchObject({ status: 'waiting-approval', record: { state: 'staged' } });
    expect(held).not.toHaveProperty('allowed');
    const types = await typesOf(host, held.runId);
    expect(types.at(-1)).toBe('node.suspended');
    expect(types.filter(isDeployment)).toEqual([]);
    const unproven = await transition(host, { scenario: 'promote', agentId: 'local.test.echo' });
    expect(unproven).toMatchObject({
      allowed: false,
      error: 'eval_gate_unmet',
      details: { reason: 'no_eval_run' },
    });
    await host.close();
  });

  it('works where nothing is evaluated', async () => {
    const host = await open({ evalSuite: false });
    expect(await transition(host, { scenario: 'promote' })).toMatchObject({ allowed: true });
    expect(await transition(host, { scenario: 'eval-gate-unmet' })).toMatchObject({
      error: 'eval_gate_unmet',
      details: { reason: 'not_found' },
    });
    await host.close();
  });
});

describe('live-invoke and dispatch', () => {
  let host: WholeHost;
  let search: ToolServer;
  beforeAll(async () => {
    search = await startToolServer(() => ({ found: true }));
    const tools = [{ toolId: SEARCH, kind: 'http', url: search.url, tenants: ['acme'] }];
    host = await open({ tools });
  });
  afterAll(async () => {
    await host.close();
    await search.close();
  });

  const invoke = (body: Json = {}) =>
    seam<RunReference & { outcome: string; invocationId: string }>(host, 'agents/live-invoke', body);

  it('an invocation is bracketed, under one id', async () => {
    const { runId, invocationId, outcome } = await invoke({ source: 'run-api' });
    const events = await eventsOf(host, runId);
    const agents = events.filter(({ type }) => type.startsWith('agent.'));
    expect([agents[0]?.type, agents.at(-1)?.type]).toEqual([
      'agent.invocation.started',
      'agent.invocation.completed',
    ]);
    expect(agents[0]?.payload).toMatchObject({ invocationId, source: 'run-api' });
    expect(agents.at(-1)?.payload).toMatchObject({ invocationId, outcome, schemaValidated: true });
    expect(outcome).toBe('completed');
  });

  it('an answer that breaks the return schema fails the invocation, and the run', async () => {
    const told = await invoke({ returnSchemaRef: 'conformance-strict-handoff', forceInvalidResult: true });
    expect(told.outcome).toBe('failed');
    const events = await eventsOf(host, told.runId);
    const ended = events.find(({ type }) => type === 'agent.invocation.completed');
    expect(ended?.payload).toMatchObject({ outcome: 'failed', schemaValidated: false });
    expect(events.at(-1)).toMatchObject({ type: 'run.failed', payload: { error: { code: 'agent_failed' } } });
  });

  it('a tool outside the allowlist is not called, though the agent tries', async () => {
    const { runId } = await invoke({ attemptTool: SEARCH });
    const events = await eventsOf(host, runId);
    expect(events.map(({ type }) => type)).not.toContain('agent.toolCalled');
    expect(events.find(({ type }) => type === 'agent.decided')?.payload).toMatchObject({
      decision: { text: `${SEARCH}: forbidden` },
    });
    expect(search.requests).toEqual([]);
  });

  type Dispatched = RunReference & {
    readonly agentId: string;
    readonly toolSurface: readonly string[];
    readonly confidence?: number;
    readonly threshold?: number;
    readonly result?: unknown;
    readonly events: readonly (Event & { readonly agentId: string })[];
  };
  const dispatch = (agentId: string, body: Json) =>
    seam<Dispatched>(host, `agents/${agentId}/dispatch`, body);

  it('every agent of the inventory takes a turn, and its events carry its name', async () => {
    const { agents } = await get<{ agents: readonly { agentId: string }[] }>(host, '/v1/agents');
    expect(agents.length).toBeGreaterThan(3);
    for (const { agentId } of agents) {
      const told = await dispatch(agentId, { task: {}, validateHandoff: false, availableTools: [] });
      expect(told).toMatchObject({ agentId, status: 'completed' });
      const types = told.events.map(({ type }) => type);
      expect(types).toEqual(expect.arrayContaining(['agent.reasoned', 'agent.decided']));
      expect(new Set(told.events.map((event) => event.agentId))).toEqual(new Set([agentId]));
    }
  });

  it('a turn tells its answer and the tools it was really offered', async () => {
    const told = await dispatch('local.test.searcher', { task: { a: 1 }, availableTools: ['local:other'] });
    expect(told).toMatchObject({ toolSurface: [SEARCH], result: { a: 1 } });
    const [started] = told.events;
    expect(started?.payload).toMatchObject({ toolSurfaceCount: told.toolSurface.length });
  });

  it('a turn of little confidence escalates', async () => {
    expect(await dispatch(STRICT, { task: { text: 'x', confidence: 0.4 } })).toMatchObject({
      status: 'escalated',
      confidence: 0.4,
      threshold: 0.5,
      result: { text: 'x' },
    });
    expect(await dispatch(STRICT, { task: { confidence: 0.6 } })).toMatchObject({ status: 'completed' });
  });

  it('a turn without a valid answer has no result', async () => {
    const told = await dispatch(STRICT, { task: { forceInvalidResult: true } });
    expect(told).toMatchObject({ status: 'failed', error: 'agent_failed' });
    expect(told).not.toHaveProperty('result');
  });

  it.each<[string, string, object]>([
    ['a source this host does not offer', 'agents/live-invoke', { source: 'chat-mention' }],
    ['a flag that is none', 'agents/live-invoke', { forceInvalidResult: 'yes' }],
    ['an unknown agent', 'agents/live-invoke', { agentId: 'local.test.none' }],
    ['an unknown agent, for it is not the seam that is missing', 'agents/local.test.none/dispatch', {}],
    ['a task that is no object', `agents/${SAMPLE}/dispatch`, { task: 'x' }],
    ['a task that breaks the agent’s schema', `agents/${STRICT}/dispatch`, { task: { text: 1 } }],
  ])('%s: 400, and nothing is created', async (_name, path, body) => {
    const runs = async () =>
      (await get<{ items: unknown[] }>(host, '/v1/host/touchstone/runs?limit=200')).items;
    const before = (await runs()).length;
    const response = await post(host, path, body);
    expect({ status: response.status, error: ((await response.json()) as Json).error }).toEqual({
      status: 400,
      error: 'validation_error',
    });
    expect((await runs()).length).toBe(before);
  });
});

describe('test/emit-provider-usage', () => {
  let host: WholeHost;
  beforeAll(async () => {
    host = await open();
  });
  afterAll(() => host.close());
  const PATH = 'test/emit-provider-usage';
  const usage = { provider: 'anthropic', model: 'm-1', inputTokens: 200, outputTokens: 80, totalTokens: 280 };
  type Usage = Event & { readonly causationId?: string; readonly nodeId?: string };
  const usagesOf = async (runId: string, key = KEY) =>
    (
      await get<{ events: readonly Usage[] }>(
        host,
        `/v1/host/sample/test/runs/${runId}/events?type=provider.usage`,
        key,
      )
    ).events;

  it('has exactly one event, of the call, the node and the cause that were named', async () => {
    const runId = 'r-pu-1';
    const correlationId = `${runId}:node-1:turn-0:pu-1`;
    const payload = { ...usage, nodeId: 'node-1' };
    await seam(host, PATH, { runId, payload, correlationId, nodeId: 'node-1' });
    expect(await usagesOf(runId)).toMatchObject([{ payload, causationId: correlationId, nodeId: 'node-1' }]);
    const events = await eventsOf(host, runId);
    expect(events.map(({ type }) => type)).toEqual([
      'run.started',
      'node.started',
      'provider.usage',
      'node.completed',
      'run.completed',
    ]);
    const again = await post(host, PATH, { runId, payload });
    expect([again.status, await again.json()]).toMatchObject([409, { error: 'conflict' }]);
    expect(await usagesOf(runId)).toHaveLength(1);
  });

  it('does not need a node or a cause', async () => {
    await seam(host, PATH, { runId: 'r-pu-2', payload: usage });
    const [event] = await usagesOf('r-pu-2');
    expect(event?.payload).toEqual(usage);
    expect(event).not.toHaveProperty('causationId');
  });

  it('stays with its caller: another tenant that names the same run has a run of its own', async () => {
    await seam(host, PATH, { runId: 'r-pu-3', payload: usage });
    expect(await usagesOf('r-pu-3', OTHER_KEY)).toEqual([]);
    await seam(host, PATH, { runId: 'r-pu-3', payload: { ...usage, inputTokens: 1 } }, OTHER_KEY);
    expect(await usagesOf('r-pu-3', OTHER_KEY)).toMatchObject([{ payload: { inputTokens: 1 } }]);
    expect(await usagesOf('r-pu-3')).toMatchObject([{ payload: { inputTokens: 200 } }]);
  });

  it.each<[string, object, string]>([
    ['a credential', { ...usage, nodeId: 'secret:tenant:byok:v1' }, 'provider_usage_credential_leak'],
    ['a member of its own', { ...usage, credentialRef: 'x' }, 'validation_error'],
    ['no output', { provider: 'p', model: 'm', inputTokens: 1 }, 'validation_error'],
    ['half a token', { ...usage, inputTokens: 100.5 }, 'validation_error'],
  ])('refuses a payload with %s, and writes nothing', async (_name, payload, error) => {
    const response = await post(host, PATH, { runId: 'r-pu-4', payload });
    expect([response.status, await response.json()]).toMatchObject([400, { error }]);
    expect(await usagesOf('r-pu-4')).toEqual([]);
  });

  it('is the only way to its workflow, which no list has', async () => {
    const body = { workflowId: 'conformance-provider-usage', inputs: { usage } };
    expect((await host.fetch('/v1/runs', { method: 'POST', body })).status).toBe(400);
    const { fixtures } = await get<{ fixtures: readonly string[] }>(host, '/.well-known/openwop');
    expect(fixtures).not.toContain('conformance-provider-usage');
    expect((await host.fetch('/v1/workflows/conformance-provider-usage')).status).toBe(404);
  });
});

describe('authorization/decide', () => {
  let host: WholeHost;
  beforeAll(async () => {
    host = await open();
  });
  afterAll(() => host.close());

  it.each<[string, string, boolean]>([
    ['lead', 'runs:cancel', true],
    ['runner', 'runs:cancel', true],
    ['runner', 'deploy:promote', false],
    ['judge', 'approvals:respond', true],
    ['nobody', 'runs:read', false],
    ['stranger', 'runs:read', false],
    ['conformance-unseeded-principal', 'runs:cancel', false],
  ])('%s, %s: %s, by the roles they have in this workspace', async (principal, action, allowed) => {
    const resource = `run-of-${principal}`;
    const told = await seam(host, 'authorization/decide', { principal, action, resource }, keyOf('nobody'));
    expect(told).toMatchObject({ principal, action, resource, allowed });
    const items = (await auditOf(host)).filter(
      (item) => item.resource === resource && item.action === action,
    );
    expect(items).toMatchObject([
      { seq: told.auditSeq, principal, allowed, reason: expect.stringContaining('asked by nobody') },
    ]);
    expect(await isUnbroken(host)).toBe(true);
  });

  it.each<[object]>([
    [{}],
    [{ principal: 'lead', action: 'runs:read' }],
    [{ principal: '', action: 'runs:read', resource: 'x' }],
  ])('%j: 400, and nothing is written down', async (body) => {
    const before = (await auditOf(host)).length;
    expect((await post(host, 'authorization/decide', body)).status).toBe(400);
    expect((await auditOf(host)).length).toBe(before);
  });
});

describe('governance/approval-gate', () => {
  let host: WholeHost;
  beforeAll(async () => {
    host = await open();
  });
  afterAll(() => host.close());
  type Gate = { readonly released: boolean; readonly runId: string; readonly event?: Event };
  const gate = (body: Json) => seam<Gate>(host, 'governance/approval-gate', body);
  const statusOf = async (runId: string) => (await get(host, `/v1/runs/${runId}`)).status;

  it.each([['conformance-unauthorized-principal'], ['runner'], ['stranger']])(
    'stays closed for %s, who may not grant; the refusal is on record and nothing waits',
    async (principal) => {
      const { released, runId, event } = await gate({ scenario: 'unauthorized-grant', principal });
      expect({ released, event }).toEqual({ released: false, event: undefined });
      const events = await eventsOf(host, runId);
      expect(events.filter(({ type }) => isDeployment(type) || type.startsWith('approval.'))).toEqual([]);
      const denials = events.filter(({ payload }) => payload.principal === principal);
      expect(denials).toMatchObject([{ type: 'authorization.decided', payload: { allowed: false } }]);
      expect((await auditOf(host)).filter((item) => item.runId === runId && !item.allowed)).toMatchObject([
        { principal, action: 'approvals:respond' },
      ]);
      await expect.poll(() => statusOf(runId), { timeout: 60_000 }).toBe('cancelled');
    },
  );

  it('is a real gate: whoever may grant opens it', async () => {
    const { released, runId } = await gate({ scenario: 'unauthorized-grant', principal: 'judge' });
    expect(released).toBe(true);
    const types = await typesOf(host, runId);
    expect(types).toContain('approval.granted');
    expect(types.slice(-2)).toEqual(['deployment.promoted', 'run.completed']);
  });

  it('is overridden with a reason, which the audit log keeps; as often as one likes', async () => {
    for (let round = 0; round < 7; round++) {
      const reason = `emergency ${round}`;
      const principal = 'conformance-owner-principal';
      const { event, released, runId } = await gate({ scenario: 'override', principal, reason });
      expect(released).toBe(true);
      expect(event).toMatchObject({ type: 'approval.overridden', payload: { principal, reason } });
      expect(await eventsOf(host, runId)).toContainEqual(event);
      expect((await typesOf(host, runId)).filter(isDeployment)).toHaveLength(1);
      expect(
        (await auditOf(host)).filter((item) => item.runId === runId && item.principal === principal),
      ).toMatchObject([{ allowed: true, reason: `overridden: ${reason}` }]);
    }
    expect(await isUnbroken(host)).toBe(true);
  });

  it.each<[string, object, string]>([
    ['an override without a reason', { scenario: 'override', principal: 'p' }, 'INVALID_RESUME_VALUE'],
    [
      'an override whose reason says nothing',
      { scenario: 'override', principal: 'p', reason: '  ' },
      'INVALID_RESUME_VALUE',
    ],
    ['an empty reason', { scenario: 'override', principal: 'p', reason: '' }, 'validation_error'],
    ['nobody', { scenario: 'override', reason: 'x' }, 'validation_error'],
    ['an unknown scenario', { scenario: 'open', principal: 'p' }, 'validation_error'],
  ])('%s: 400, and nothing is left waiting', async (_name, body, error) => {
    const before = await recordsOf(host, 'local.touchstone.sample-gated');
    const response = await post(host, 'governance/approval-gate', body);
    expect({ status: response.status, error: ((await response.json()) as Json).error }).toEqual({
      status: 400,
      error,
    });
    const waiting = await get(host, '/v1/host/touchstone/runs?status=waiting-approval');
    expect(waiting.items).toEqual([]);
    expect(await recordsOf(host, 'local.touchstone.sample-gated')).toEqual(before);
  });

  it('does not stand in for the gates of the configuration', async () => {
    const guarded = await open({
      gates: [{ agentId: '*', to: 'test', approval: { requiredRole: 'admin' } }],
    });
    const asked = { scenario: 'override', principal: 'owner', reason: 'emergency' };
    const { event, runId } = await seam<Gate>(guarded, 'governance/approval-gate', asked);
    expect(event?.type).toBe('approval.overridden');
    await expect
      .poll(async () => (await typesOf(guarded, runId)).at(-1), { timeout: 60_000 })
      .toBe('run.cancelled');
    const types = await typesOf(guarded, runId);
    expect(types.filter((type) => type === 'interrupt.requested')).toHaveLength(2);
    expect(types.filter(isDeployment)).toEqual([]);
    await guarded.close();
  });
});

it('without --test-seams there are neither seams nor sample agents', async () => {
  const host = await open({}, false);
  for (const path of [
    'agents/deployment-transition',
    'agents/live-invoke',
    `agents/${SAMPLE}/dispatch`,
    'authorization/decide',
    'governance/approval-gate',
    'test/emit-provider-usage',
  ])
    expect((await post(host, path, {})).status).toBe(404);
  const { agents } = await get<{ agents: readonly { agentId: string }[] }>(host, '/v1/agents');
  expect(agents.map(({ agentId }) => agentId)).toEqual(['local.test.echo', 'local.test.searcher']);
  await host.close();
});
