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
import { castVote } from '../../deployments/cast-vote.js';
import { ENGINE_VERSION } from '../parts.js';
import { type House, openHouse, owner } from '../testing/bench-house.js';

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
async function begin(house: House, plan: DeploymentPlan | WorkflowPlan): Promise<RunId> {
  made += 1;
  const runId = asId<RunId>(`run-${made}`);
  const workflowId = plan.kind === 'workflow' ? plan.workflowId : 'touchstone.deployment';
  await house.store.runs.create({
    runId,
    owner,
    principal: 'root',
    origin: 'host',
    workflowId,
    plan,
    request: {},
    createdAt: house.clock.now(),
    engineVersion: ENGINE_VERSION,
  });
  await house.engine.drive(owner, runId);
  return runId;
}

const openGated = (
  carryOut: () => Promise<Move | RunError> = async () => ({ next: picture(1), events: [promoted] }),
) => openHouse({ parts: { castVote, carryOut } });

const answer = (house: House, runId: RunId, by: Principal, value: unknown, engine = house.engine) =>
  engine.interrupts.resolve(owner, { runId, nodeId: 'approval', by, value });
const GRANT = { decision: 'granted' };
const statusOf = async (house: House, runId: RunId) => (await house.store.runs.get(owner, runId))?.status;
const typesOf = (events: readonly RunEvent[]): readonly string[] => events.map(({ type }) => type);
const servingOf = (house: House) => house.store.deployments.get(owner, AGENT);
const audited = async (house: House) =>
  (await house.store.audit.read(owner, 0, 99)).map(({ principal, allowed, reason }) => [
    principal,
    allowed,
    reason,
  ]);

async function checkedEvents(house: House, runId: RunId): Promise<readonly RunEvent[]> {
  const events = await house.events(runId);
  for (const { type, payload } of events)
    expect([type, checkPayload(type as PayloadType, payload)]).toEqual([type, []]);
  return events;
}

test('a move that nobody has to agree to is one commit, with its events, its record and its audit', async () => {
  const house = await openGated();
  const runId = await begin(house, planOf({}));
  const events = await checkedEvents(house, runId);
  expect(typesOf(events)).toEqual([
    'run.started',
    'authorization.decided',
    'deployment.promoted',
    'run.completed',
  ]);
  expect(await servingOf(house)).toEqual(picture(1));
  expect(await audited(house)).toEqual([
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
  const house = await openGated();
  const runId = await begin(house, planOf(options));
  expect(typesOf(await checkedEvents(house, runId))).toEqual([
    'run.started',
    'authorization.decided',
    'run.failed',
  ]);
  expect(await servingOf(house)).toBeUndefined();
  expect(await audited(house)).toEqual(trace);
});

test('a gate opens when enough different people have granted, and not before', async () => {
  const house = await openGated();
  const runId = await begin(house, planOf({ approvals: [GATE] }));
  expect(await statusOf(house, runId)).toBe('waiting-approval');
  await expect(answer(house, runId, person('mallory', ['admin']), GRANT)).rejects.toMatchObject({
    code: 'forbidden',
  });
  await answer(house, runId, person('alice'), GRANT);
  await expect(answer(house, runId, person('alice'), GRANT)).rejects.toMatchObject({
    code: 'interrupt_already_resolved',
  });
  await expect(answer(house, runId, person('bob'), { decision: 'perhaps' })).rejects.toMatchObject({
    code: 'INVALID_RESUME_VALUE',
  });
  expect([await statusOf(house, runId), await servingOf(house)]).toEqual(['waiting-approval', undefined]);
  await answer(house, runId, person('bob'), { action: 'accept' });
  expect([await statusOf(house, runId), await servingOf(house)]).toEqual(['completed', picture(1)]);
  const events = await checkedEvents(house, runId);
  expect(
    typesOf(events).filter((type) => type.startsWith('approval.') || type.startsWith('deployment.')),
  ).toEqual(['approval.granted', 'approval.granted', 'deployment.promoted']);
  await expect(answer(house, runId, person('carol'), GRANT)).rejects.toMatchObject({
    code: 'interrupt_already_resolved',
  });
});

test('a no sends the round back: the question is asked anew and earlier grants no longer count', async () => {
  const house = await openGated();
  const runId = await begin(house, planOf({ approvals: [GATE] }));
  await answer(house, runId, person('alice'), GRANT);
  await answer(house, runId, person('bob'), { decision: 'rejected', reason: 'not on a Friday' });
  expect(await statusOf(house, runId)).toBe('waiting-approval');
  await answer(house, runId, person('bob'), GRANT);
  expect(await statusOf(house, runId)).toBe('waiting-approval');
  await answer(house, runId, person('alice'), GRANT);
  expect(await statusOf(house, runId)).toBe('completed');
  const asked = (await checkedEvents(house, runId)).filter(({ type }) => type === 'node.suspended');
  expect(asked.map(({ payload }) => (payload as { interruptId: string }).interruptId)).toEqual([
    'interrupt-1',
    'interrupt-2',
  ]);
});

test('several gates are passed one after the other', async () => {
  const house = await openGated();
  const second = { gateId: asId<GateId>('risk'), requiredRole: 'risk', quorum: 1 };
  const runId = await begin(house, planOf({ approvals: [{ ...GATE, quorum: 1 }, second] }));
  await answer(house, runId, person('alice'), GRANT);
  expect((await house.store.runs.get(owner, runId))?.waitingNode).toBe('approval-2');
  await expect(answer(house, runId, person('alice'), GRANT)).rejects.toMatchObject({
    code: 'interrupt_already_resolved',
  });
  const risk = { runId, nodeId: 'approval-2', by: person('rita', ['risk']), value: GRANT };
  await house.engine.interrupts.resolve(owner, risk);
  expect(await statusOf(house, runId)).toBe('completed');
});

test('silence is a no: the clock rejects, and no answer comes after it', async () => {
  const house = await openGated();
  const runId = await begin(house, planOf({ approvals: [{ ...GATE, timeoutSec: 60 }] }));
  await answer(house, runId, person('alice'), GRANT);
  await house.clock.advance(60_001);
  await expect(answer(house, runId, person('bob'), GRANT)).rejects.toMatchObject({
    code: 'interrupt_already_resolved',
  });
  const events = await checkedEvents(house, runId);
  expect(events.at(-1)).toMatchObject({
    type: 'run.failed',
    payload: { error: { code: 'approval_timeout' } },
  });
  expect(events.find(({ type }) => type === 'approval.rejected')?.payload).toMatchObject({
    reason: 'timeout',
  });
  expect(await servingOf(house)).toBeUndefined();
});

test('a run that waits can be cancelled, and nobody can answer it then', async () => {
  const house = await openGated();
  const runId = await begin(house, planOf({ approvals: [GATE] }));
  await house.engine.cancel(owner, runId, 'root');
  await house.engine.drive(owner, runId);
  expect(await statusOf(house, runId)).toBe('cancelled');
  await expect(answer(house, runId, person('alice'), GRANT)).rejects.toMatchObject({
    code: 'interrupt_cancelled',
  });
});

test('another process goes on where this one stopped: nothing is asked, counted or done twice', async () => {
  const house = await openGated();
  const runId = await begin(house, planOf({ approvals: [GATE] }));
  await answer(house, runId, person('alice'), GRANT);
  await house.engine.shutdown();
  const other = house.reopen();
  await other.adopt();
  expect(await statusOf(house, runId)).toBe('waiting-approval');
  await answer(house, runId, person('bob'), GRANT, other);
  const events = typesOf(await house.events(runId));
  expect(events.filter((type) => type === 'interrupt.requested')).toHaveLength(1);
  expect(events.filter((type) => type === 'deployment.promoted')).toHaveLength(1);
});

test('a move that lost the race is decided anew, and fails when it would do something else', async () => {
  const decisions: (Move | RunError)[] = [
    { next: picture(7), events: [promoted] },
    { code: 'conflict', message: 'What serves has changed.' },
  ];
  const house = await openGated(async () => decisions.shift() as Move | RunError);
  const runId = await begin(house, planOf({}));
  expect(decisions).toEqual([]);
  expect(typesOf(await checkedEvents(house, runId))).toEqual([
    'run.started',
    'authorization.decided',
    'run.failed',
  ]);
  expect(await servingOf(house)).toBeUndefined();
});

test.each([
  ['conformance-approval', 'gate', { action: 'accept' }, 'waiting-approval', 'completed'],
  ['conformance-approval', 'gate', { action: 'reject' }, 'waiting-approval', 'failed'],
  ['conformance-clarification', 'ask', { answers: { q1: 'yes' } }, 'waiting-input', 'completed'],
])('%s: node %s answered with %j', async (workflowId, nodeId, value, waits, ends) => {
  const house = await openGated();
  const runId = await begin(house, { kind: 'workflow', workflowId });
  expect(await house.store.runs.get(owner, runId)).toMatchObject({ status: waits, waitingNode: nodeId });
  const by = person('alice');
  for (const wrong of [undefined, null, 7, [], {}, { action: 'edit' }, { answers: { q1: 7 } }])
    await expect(
      house.engine.interrupts.resolve(owner, { runId, nodeId, by, value: wrong }),
    ).rejects.toMatchObject({
      code: 'INVALID_RESUME_VALUE',
    });
  await expect(
    house.engine.interrupts.resolve(owner, { runId, nodeId: 'other', by, value }),
  ).rejects.toMatchObject({ code: 'interrupt_not_found' });
  await house.engine.interrupts.resolve(owner, { runId, nodeId, by, value });
  expect(await statusOf(house, runId)).toBe(ends);
  await checkedEvents(house, runId);
});

test("a workflow's own limit counts while it waits", async () => {
  const house = await openGated();
  const runId = await begin(house, {
    kind: 'workflow',
    workflowId: 'conformance-approval',
    runTimeoutMs: 5_000,
  });
  await house.clock.advance(5_001);
  await house.engine.drive(owner, runId);
  expect(await house.store.runs.get(owner, runId)).toMatchObject({
    status: 'failed',
    error: { code: 'run_timeout' },
  });
});
