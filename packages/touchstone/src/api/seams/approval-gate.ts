import {
  type AgentId,
  asId,
  type DeploymentState,
  type GateId,
  type GatePolicy,
  isHostError,
  isTerminal,
  type Principal,
  type PrincipalId,
  type ResourceName,
  type ScopeName,
  type TransitionRequest,
} from '@touchstone/protocol';
import { choice, object, text, type Wire } from '@touchstone/protocol/schema';
import { GATED_AGENT_ID, hasScope } from '../../app/index.js';
import { scopeOf, targetState } from '../../deployments/index.js';
import type { Run } from '../../ports/index.js';
import { bodyOf, type Call, type Endpoint, endpoint, ok, type Reply } from '../endpoint.js';
import type { Services } from '../services.js';
import { choosePiece, type Piece, piecesOf, proofFor } from './moving.js';
import { eventsOf } from './real-run.js';

const SCENARIOS = ['unauthorized-grant', 'override'] as const;
const scenarioBody = object(
  { scenario: choice(SCENARIOS), principal: text(undefined, { minLength: 1, maxLength: 256 }) },
  { reason: text(undefined, { minLength: 1, maxLength: 512 }) },
);
type GateScenario = Wire<typeof scenarioBody>;
type ScenarioCall = Call<unknown, GateScenario>;

export const approvalGateSeam = (host: Services): Endpoint =>
  endpoint({
    operationId: 'seamApprovalGate',
    route: 'POST /v1/host/sample/governance/approval-gate',
    auth: 'approvals:respond',
    summary: 'Test seam: have someone answer at a gate that stands before a sample deployment',
    body: bodyOf(scenarioBody),
    responses: ok('Whether the gate opened.', { type: 'object' }),
    refusals: ['validation_error', 'INVALID_RESUME_VALUE', 'unavailable'],
    handle: (call) => standAtGate(host, call),
  });

const AGENT = asId<AgentId>(GATED_AGENT_ID);
/** No configuration gives it to anyone: only this seam does, to the one who is to override. */
const OVERRIDER = 'sample-overrider';

/** Every principal with the scope may grant, and one grant is enough. */
const gateTo = (to: DeploymentState): GatePolicy => {
  const gateId = asId<GateId>('touchstone.sample');
  const override = { requiredRole: OVERRIDER };
  return {
    gateId,
    agentId: AGENT,
    to,
    approval: { gateId, requiredScope: 'approvals:respond', quorum: 1, override },
  };
};

async function standAtGate(host: Services, call: ScenarioCall): Promise<Reply> {
  const { owner } = call.principal;
  const run = await askForMove(host, call);
  const { runId } = run;
  const released = run.status === 'waiting-approval' && (await answer(host, call, run));
  const event = (await eventsOf(host, owner, runId)).findLast(({ type }) => type === 'approval.overridden');
  return {
    status: 200,
    body: { released, runId, ...(event && { event }), ...(run.error && { error: run.error.code }) },
  };
}

/** A way that every state has onwards, so that it can be gone again and again: in service, out of it, and back. */
async function askForMove(host: Services, call: ScenarioCall): Promise<Run> {
  const { owner } = call.principal;
  const piece = choosePiece(await piecesOf(host, owner, AGENT, 'stable'), undefined);
  const transition = piece.state === 'active' ? 'pause' : 'promote';
  const proof = await proofFor(host, call, piece, transition);
  const request: TransitionRequest = { version: piece.version, transition, ...proof };
  const to = targetState(request, piece.state);
  const gates = to ? [gateTo(to)] : [];
  const asker = requester(call, piece, request);
  const run = await host.touchstone.deployments.transition(asker, AGENT, request, { gates });
  host.follow(run);
  return run;
}

/** May ask for this one move of the sample agent, and nothing else. */
const requester = ({ principal }: ScenarioCall, { state }: Piece, request: TransitionRequest): Principal => ({
  id: 'sample-requester',
  owner: principal.owner,
  roles: [],
  scopes: new Set([scopeOf(request, state)]),
});

/** Whether the gate opened. A run that still waits is ended. */
async function answer(
  host: Services,
  call: ScenarioCall,
  { runId, waitingNode = '' }: Run,
): Promise<boolean> {
  const { engine, store } = host.touchstone;
  const { owner, id } = call.principal;
  const { scenario, reason } = call.body;
  const said = { decision: 'granted', ...(reason !== undefined && { reason }) };
  const value = scenario === 'override' ? { ...said, override: true } : said;
  try {
    await engine.interrupts.resolve(owner, {
      runId,
      nodeId: waitingNode,
      by: await voter(host, call),
      value,
    });
    return true;
  } catch (error) {
    if (isHostError(error) && error.code === 'forbidden') return false;
    throw error;
  } finally {
    const left = await store.runs.get(owner, runId);
    if (left && !isTerminal(left.status))
      await engine.cancel(owner, runId, id, 'The test seam has its answer.');
  }
}

/** The one who overrides is given the role for it, here and now. Anyone else is who they are, with the roles they have. */
async function voter({ directory }: Services, { principal, body }: ScenarioCall): Promise<Principal> {
  const { owner } = principal;
  const unknown = { id: body.principal, owner, roles: [], scopes: new Set<string>() };
  if (body.scenario === 'override') return { ...unknown, roles: [OVERRIDER] };
  return (await directory(owner, body.principal)) ?? unknown;
}

const name = text(undefined, { minLength: 1, maxLength: 512 });
const questionBody = object({ principal: name, action: name, resource: name });
type Question = Wire<typeof questionBody>;

export const authorizationSeam = (host: Services): Endpoint =>
  endpoint({
    operationId: 'seamAuthorizationDecide',
    route: 'POST /v1/host/sample/authorization/decide',
    auth: 'key',
    summary: 'Test seam: whether a principal of the caller’s workspace may do something',
    body: bodyOf(questionBody),
    responses: ok('The decision.', { type: 'object' }),
    handle: (call) => decide(host, call),
  });

/** A principal without a key has no roles, and without a role nothing is allowed. */
async function decide(
  { directory, touchstone, clock }: Services,
  call: Call<unknown, Question>,
): Promise<Reply> {
  const { owner, id: caller } = call.principal;
  const { principal, action, resource } = call.body;
  const found = await directory(owner, principal);
  const allowed = found !== undefined && hasScope(found, action);
  const reason = found ? `no role of the principal has the scope ${action}` : 'the principal has no role';
  const decided = { principal, action, resource, allowed, ...(!allowed && { reason }) };
  // The principal itself has not asked, and the log shall not say that it has.
  const { seq } = await touchstone.store.audit.append(owner, {
    at: clock.now(),
    principal: asId<PrincipalId>(principal),
    action: asId<ScopeName>(action),
    resource: asId<ResourceName>(resource),
    allowed,
    reason: `asked by ${caller} through a test seam${allowed ? '' : `: ${reason}`}`,
  });
  return { status: 200, body: { ...decided, auditSeq: seq } };
}
