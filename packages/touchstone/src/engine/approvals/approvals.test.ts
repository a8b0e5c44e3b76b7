import {
  type AgentDeployments,
  type AgentId,
  type ApprovalPolicy,
  asId,
  type DeploymentEvent,
  type DeploymentPlan,
  type Digest,
  type GateId,
  type Move,
  type Principal,
  type PrincipalId,
  type ResourceName,
  type RunError,
  type RunId,
  type ScopeName,
  type Version,
  type WorkflowPlan,
} from '@touchstone/protocol';
import type { RunEvent } from '@touchstone/protocol/bodies';
import { checkPayload, type PayloadType } from '@touchstone/protocol/wire';
import { expect, test } from 'vitest';
import { append } from '../../app/testing/fake-engine.js';
import { castVote } from '../../deployments/cast-vote.js';
import { ENGINE_VERSION } from '../parts.js';
import { type Bench, openBench, owner } from '../testing/bench.js';
import { childIdOf } from './child-flow.js';

// Goal: a run that asks people says everything in order, does what it was let do once, and can be put down and taken up
// anywhere in between. Method: the real store and the real vote; only what a move does is made up.
const AGENT = asId<AgentId>('local.test.agent');
const VERSION = asId<Version>('1.0.0');
const GATE: ApprovalPolicy = { gateId: asId<GateId>('*:active'), requiredRole: 'approver', quorum: 2 };
const promoted: DeploymentEvent = {
  type: 'deployment.promoted',
  payload: { agentId: AGENT, toVersion: VERSION, toState: 'active' },
};
const picture = (revision: number): AgentDeployments => ({
  agentId: AGENT,
  revision,
  versions: [{ version: VERSION, state: 'active', digest: asId<Digest>('sha256:a') }],
  channels: {},
});
const person = (id: string, roles: readonly string[] = ['approver']): Principal => ({
  id,
  owner,
  roles,
  scopes: new Set(),
});

type Options = {
  readonly approvals?: readonly ApprovalPolicy[];
  readonly refused?: RunError;
  readonly allowed?: boolean;
};
const planOf = ({ approvals = [], refused, allowed = true }: Options): DeploymentPlan => ({
  kind: 'deployment',
  agentId: AGENT,
  request: { version: VERSION, transition: 'promote', toState: 'active' },
  authorization: {
    principal: asId<PrincipalId>('root'),
    action: asId<ScopeName>('deploy:promote'),
    resource: asId<ResourceName>('agents/x@1.0.0'),
    allowed,
  },
  ...(refused
    ? { refused }
    : { intent: { digest: asId<Digest>('sha256:a'), expected: [promoted], approvals, evals: [] } }),
});

let made = 0;
async function begin(bench: Bench, plan: DeploymentPlan | WorkflowPlan): Promise<RunId> {
  made += 1;
  const runId = asId<RunId>(`run-${made}`);
  const workflowId = plan.kind === 'workflow' ? plan.workflowId : 'touchstone.deployment';
  await bench.store.runs.create({
    runId,
    owner,
    principal: 'root',
    origin: 'host',
    workflowId,
    plan,
    request: {},
    createdAt: bench.clock.now(),
    engineVersion: ENGINE_VERSION,
  });
  await bench.engine.drive(owner, runId);
  return runId;
}

const openGated = (
  carryOut: () => Promise<Move | RunError> = async () => ({ next: picture(1), events: [promoted] }),
) => openBench({ parts: { castVote, carryOut } });

const answer = (bench: Bench, runId: RunId, by: Principal, value: unknown, engine = bench.engine) =>
  engine.interrupts.resolve(owner, { runId, nodeId: 'approval', by, value });
const GRANT = { decision: 'granted' };
const statusOf = async (bench: Bench, runId: RunId) => (await bench.store.runs.get(owner, runId))?.status;
const typesOf = (events: readonly RunEvent[]): readonly string[] => events.map(({ type }) => type);
const servingOf = (bench: Bench) => bench.store.deployments.get(owner, AGENT);
const audited = async (bench: Bench) =>
  (await bench.store.audit.read(owner, 0, 99)).map(({ principal, allowed, reason }) => [
    principal,
    allowed,
    reason,
  ]);

async function checkedEvents(bench: Bench, runId: RunId): Promise<readonly RunEvent[]> {
  const events = await bench.events(runId);
  for (const { type, payload } of events)
    expect([type, checkPayload(type as PayloadType, payload)]).toEqual([type, []]);
  return events;
}

test('a move that nobody has to agree to is one commit, with its events, its record and its audit', async () => {
  const bench = await openGated();
  const runId = await begin(bench, planOf({}));
  const events = await checkedEvents(bench, runId);
  expect(typesOf(events)).toEqual([
    'run.started',
    'authorization.decided',
    'deployment.promoted',
    'run.completed',
  ]);
  expect(await servingOf(bench)).toEqual(picture(1));
  expect(await audited(bench)).toEqual([
    ['root', true, undefined],
    ['root', true, 'deployment.promoted'],
  ]);
});

test.each([
  [
    'who may not',
    { allowed: false, refused: { code: 'forbidden', message: 'No.' } },
    [['root', false, undefined]],
  ],
  [
    'what is not proven',
    { refused: { code: 'eval_gate_unmet', message: 'No.', details: { reason: 'too_old' } } },
    [
      ['root', true, undefined],
      ['root', false, 'eval_gate_unmet: too_old'],
    ],
  ],
] as const)('%s leaves a trace and moves nothing', async (_, options, trace) => {
  const bench = await openGated();
  const runId = await begin(bench, planOf(options));
  expect(typesOf(await checkedEvents(bench, runId))).toEqual([
    'run.started',
    'authorization.decided',
    'run.failed',
  ]);
  expect(await servingOf(bench)).toBeUndefined();
  expect(await audited(bench)).toEqual(trace);
});

test('a gate opens when enough different people have granted, and not before', async () => {
  const bench = await openGated();
  const runId = await begin(bench, planOf({ approvals: [GATE] }));
  expect(await statusOf(bench, runId)).toBe('waiting-approval');
  await expect(answer(bench, runId, person('mallory', ['admin']), GRANT)).rejects.toMatchObject({
    code: 'forbidden',
  });
  await answer(bench, runId, person('alice'), GRANT);
  await expect(answer(bench, runId, person('alice'), GRANT)).rejects.toMatchObject({
    code: 'interrupt_already_resolved',
  });
  await expect(answer(bench, runId, person('bob'), { decision: 'perhaps' })).rejects.toMatchObject({
    code: 'INVALID_RESUME_VALUE',
  });
  expect([await statusOf(bench, runId), await servingOf(bench)]).toEqual(['waiting-approval', undefined]);
  await answer(bench, runId, person('bob'), { action: 'accept' });
  expect([await statusOf(bench, runId), await servingOf(bench)]).toEqual(['completed', picture(1)]);
  const events = await checkedEvents(bench, runId);
  expect(
    typesOf(events).filter((type) => type.startsWith('approval.') || type.startsWith('deployment.')),
  ).toEqual(['approval.granted', 'approval.granted', 'deployment.promoted']);
  await expect(answer(bench, runId, person('carol'), GRANT)).rejects.toMatchObject({
    code: 'interrupt_already_resolved',
  });
});

test('a principal who has no say leaves ten traces in a run, however often it tries', async () => {
  const bench = await openGated();
  const runId = await begin(bench, planOf({ approvals: [GATE] }));
  for (const id of ['mallory', 'eve'])
    for (let n = 0; n < 15; n += 1)
      await expect(answer(bench, runId, person(id, ['admin']), GRANT)).rejects.toMatchObject({
        code: 'forbidden',
      });
  const denied = (await bench.events(runId)).filter(({ type }) => type === 'authorization.decided').slice(1);
  expect(denied).toHaveLength(20);
  expect((await audited(bench)).filter(([, allowed]) => allowed === false)).toHaveLength(20);
});

test('a no sends the round back: the question is asked anew and earlier grants no longer count', async () => {
  const bench = await openGated();
  const runId = await begin(bench, planOf({ approvals: [GATE] }));
  await answer(bench, runId, person('alice'), GRANT);
  await answer(bench, runId, person('bob'), { decision: 'rejected', reason: 'not on a Friday' });
  expect(await statusOf(bench, runId)).toBe('waiting-approval');
  await answer(bench, runId, person('bob'), GRANT);
  expect(await statusOf(bench, runId)).toBe('waiting-approval');
  await answer(bench, runId, person('alice'), GRANT);
  expect(await statusOf(bench, runId)).toBe('completed');
  const asked = (await checkedEvents(bench, runId)).filter(({ type }) => type === 'node.suspended');
  expect(asked.map(({ payload }) => (payload as { interruptId: string }).interruptId)).toEqual([
    'interrupt-1',
    'interrupt-2',
  ]);
});

test('several gates are passed one after the other', async () => {
  const bench = await openGated();
  const second = { gateId: asId<GateId>('risk'), requiredRole: 'risk', quorum: 1 };
  const runId = await begin(bench, planOf({ approvals: [{ ...GATE, quorum: 1 }, second] }));
  await answer(bench, runId, person('alice'), GRANT);
  expect((await bench.store.runs.get(owner, runId))?.waitingNode).toBe('approval-2');
  await expect(answer(bench, runId, person('alice'), GRANT)).rejects.toMatchObject({
    code: 'interrupt_already_resolved',
  });
  const risk = { runId, nodeId: 'approval-2', by: person('rita', ['risk']), value: GRANT };
  await bench.engine.interrupts.resolve(owner, risk);
  expect(await statusOf(bench, runId)).toBe('completed');
});

test('silence is a no: the clock rejects, and no answer comes after it', async () => {
  const bench = await openGated();
  const runId = await begin(bench, planOf({ approvals: [{ ...GATE, timeoutSec: 60 }] }));
  await answer(bench, runId, person('alice'), GRANT);
  await bench.clock.advance(60_001);
  await expect(answer(bench, runId, person('bob'), GRANT)).rejects.toMatchObject({
    code: 'interrupt_already_resolved',
  });
  const events = await checkedEvents(bench, runId);
  expect(events.at(-1)).toMatchObject({
    type: 'run.failed',
    payload: { error: { code: 'approval_timeout' } },
  });
  expect(events.find(({ type }) => type === 'approval.rejected')?.payload).toMatchObject({
    reason: 'timeout',
  });
  expect(await servingOf(bench)).toBeUndefined();
});

test('a run that waits can be cancelled, and nobody can answer it then', async () => {
  const bench = await openGated();
  const runId = await begin(bench, planOf({ approvals: [GATE] }));
  await bench.engine.cancel(owner, runId, 'root');
  await bench.engine.drive(owner, runId);
  expect(await statusOf(bench, runId)).toBe('cancelled');
  await expect(answer(bench, runId, person('alice'), GRANT)).rejects.toMatchObject({
    code: 'interrupt_cancelled',
  });
});

test('another process goes on where this one stopped: nothing is asked, counted or done twice', async () => {
  const bench = await openGated();
  const runId = await begin(bench, planOf({ approvals: [GATE] }));
  await answer(bench, runId, person('alice'), GRANT);
  await bench.engine.shutdown();
  const other = bench.reopen();
  await other.adopt();
  expect(await statusOf(bench, runId)).toBe('waiting-approval');
  await answer(bench, runId, person('bob'), GRANT, other);
  const events = typesOf(await bench.events(runId));
  expect(events.filter((type) => type === 'interrupt.requested')).toHaveLength(1);
  expect(events.filter((type) => type === 'deployment.promoted')).toHaveLength(1);
});

test('a move that lost the race is decided anew, and fails when it would do something else', async () => {
  const decisions: (Move | RunError)[] = [
    { next: picture(7), events: [promoted] },
    { code: 'conflict', message: 'What serves has changed.' },
  ];
  const bench = await openGated(async () => decisions.shift() as Move | RunError);
  const runId = await begin(bench, planOf({}));
  expect(decisions).toEqual([]);
  expect(typesOf(await checkedEvents(bench, runId))).toEqual([
    'run.started',
    'authorization.decided',
    'run.failed',
  ]);
  expect(await servingOf(bench)).toBeUndefined();
});

test.each([
  ['conformance-approval', 'gate', { action: 'accept' }, 'waiting-approval', 'completed'],
  ['conformance-approval', 'gate', { action: 'reject' }, 'waiting-approval', 'failed'],
  ['conformance-clarification', 'ask', { answers: { q1: 'yes' } }, 'waiting-input', 'completed'],
])('%s: node %s answered with %j', async (workflowId, nodeId, value, waits, ends) => {
  const bench = await openGated();
  const runId = await begin(bench, { kind: 'workflow', workflowId });
  expect(await bench.store.runs.get(owner, runId)).toMatchObject({ status: waits, waitingNode: nodeId });
  const by = person('alice');
  for (const wrong of [undefined, null, 7, [], {}, { action: 'edit' }, { answers: { q1: 7 } }])
    await expect(
      bench.engine.interrupts.resolve(owner, { runId, nodeId, by, value: wrong }),
    ).rejects.toMatchObject({
      code: 'INVALID_RESUME_VALUE',
    });
  await expect(
    bench.engine.interrupts.resolve(owner, { runId, nodeId: 'other', by, value }),
  ).rejects.toMatchObject({ code: 'interrupt_not_found' });
  await bench.engine.interrupts.resolve(owner, { runId, nodeId, by, value });
  expect(await statusOf(bench, runId)).toBe(ends);
  await checkedEvents(bench, runId);
});

test("a workflow's own limit counts while it waits", async () => {
  const bench = await openGated();
  const runId = await begin(bench, {
    kind: 'workflow',
    workflowId: 'conformance-approval',
    runTimeoutMs: 5_000,
  });
  await bench.clock.advance(5_001);
  await bench.engine.drive(owner, runId);
  expect(await bench.store.runs.get(owner, runId)).toMatchObject({
    status: 'failed',
    error: { code: 'run_timeout' },
  });
});

const PARENT: WorkflowPlan = {
  kind: 'workflow',
  workflowId: 'conformance-interrupt-parent-child-cancel',
};

test('a run that waits for its child looks by itself, should nobody have told it of the end', async () => {
  const bench = await openGated();
  const runId = await begin(bench, PARENT);
  expect(await statusOf(bench, runId)).toBe('waiting-approval');
  const child = childIdOf(runId);
  await bench.engine.drive(owner, child);
  expect(await statusOf(bench, child)).toBe('waiting-approval');
  // Another process ends the child, and goes down before it has told the parent.
  await append(bench.store, owner, child, [{ type: 'run.completed', at: 1, payload: {} }], 'completed');
  await bench.engine.drive(owner, runId);
  expect(await statusOf(bench, runId)).toBe('waiting-approval');
  await bench.clock.advance(60_001);
  await bench.engine.drive(owner, runId);
  expect(await statusOf(bench, runId)).toBe('completed');
  await checkedEvents(bench, runId);
});

test('a run that is out of time takes its child along', async () => {
  const bench = await openGated();
  const runId = await begin(bench, { ...PARENT, runTimeoutMs: 5_000 });
  await bench.engine.drive(owner, childIdOf(runId));
  await bench.clock.advance(5_001);
  await bench.engine.drive(owner, runId);
  await bench.engine.drive(owner, childIdOf(runId));
  expect(await statusOf(bench, runId)).toBe('failed');
  expect(await statusOf(bench, childIdOf(runId))).toBe('cancelled');
});
