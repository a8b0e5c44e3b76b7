import {
  type AgentDeployments,
  type AgentId,
  type AuthorizationDecided,
  asId,
  type DeploymentIntent,
  type DeploymentPlan,
  HostError,
  type Move,
  type Owner,
  type Principal,
  type PrincipalId,
  type ReasonLabel,
  type ResourceName,
  type RunError,
  type ScopeName,
  type TransitionRequest,
  validationError,
} from '@touchstone/protocol';
import { decideTransition, scopeOf, stateOf } from '../../deployments/index.js';
import { hasScope } from '../principal.js';
import { unmetEvidence } from './evidence.js';
import {
  agentNow,
  claimOf,
  type DecisionParts,
  type DigestFacts,
  demandsNow,
  servingNow,
} from './serving.js';

/** Who may, then what it would do, then who has to agree and what has to be shown. */
export async function planTransition(
  parts: DecisionParts,
  principal: Principal,
  agentId: AgentId,
  request: TransitionRequest,
): Promise<DeploymentPlan> {
  const { owner } = principal;
  const before = await servingNow(parts, owner, agentId);
  const authorization = authorize(principal, agentId, request, before);
  const asked = { kind: 'deployment', agentId, request, authorization } as const;
  if (!authorization.allowed) {
    const refused = forbidden(authorization);
    // Beyond what is recorded one by one, there is no run either.
    if (parts.refusals.take(principal, authorization.action)) return { ...asked, refused };
    throw new HostError('forbidden', refused.message, refused.details);
  }
  const { intent, move } = await intend(parts, principal, agentId, request, before).catch(async (error) => {
    await noteRefusal(parts, principal, authorization);
    throw error;
  });
  const claim = claimOf(agentId, request, intent);
  const { evals } = intent;
  const proof = { owner, principal: principal.id, claim, request, before, next: move.next, evals };
  // Approvers are not asked about a move whose evidence is missing. The evidence is checked again when the move is executed.
  const refused = await unmetEvidence(parts, proof);
  return refused ? { ...asked, refused } : { ...asked, intent };
}

function authorize(
  principal: Principal,
  agentId: AgentId,
  request: TransitionRequest,
  serving: AgentDeployments,
): AuthorizationDecided {
  const action = asId<ScopeName>(scopeOf(request, stateOf(serving, request.version)));
  const allowed = hasScope(principal, action);
  return {
    principal: asId<PrincipalId>(principal.id),
    action,
    resource: asId<ResourceName>(`agents/${agentId}@${request.version}`),
    allowed,
    ...(!allowed && { reason: asId<ReasonLabel>(`no role of the principal has the scope ${action}`) }),
  };
}

const forbidden = ({ action }: AuthorizationDecided): RunError => ({
  code: 'forbidden',
  message: `The principal may not do this: it needs the scope ${action}.`,
  details: { scopeRequired: action },
});

/** What cannot be done at all is no run; that it was asked for is written down all the same. */
async function noteRefusal(
  { store, clock, refusals }: DecisionParts,
  by: Principal,
  { principal, action, resource }: AuthorizationDecided,
): Promise<void> {
  if (!refusals.take(by, action)) return;
  const reason = 'not possible as asked';
  await store.audit.append(by.owner, {
    at: clock.now(),
    principal,
    action,
    resource,
    allowed: false,
    reason,
  });
}

async function intend(
  parts: DecisionParts,
  { owner }: Principal,
  agentId: AgentId,
  request: TransitionRequest,
  before: AgentDeployments,
): Promise<{ readonly intent: DeploymentIntent; readonly move: Move }> {
  const agent = await agentFactsOf(parts, owner, agentId, request, before);
  const demands = demandsNow(parts, owner, before, request);
  const decided = await decideMove(parts, owner, before, request, { ...demands, digest: agent.digest });
  if (decided.kind === 'illegal') throw validationError([decided.issue]);
  return { intent: { ...agent, expected: decided.move.events, ...demands }, move: decided.move };
}

/** The same question when it is asked for and when it is carried out. */
export async function decideMove(
  { agents }: Pick<DecisionParts, 'agents'>,
  owner: Owner,
  before: AgentDeployments,
  request: TransitionRequest,
  { digest, approvals }: Pick<DeploymentIntent, 'digest' | 'approvals'>,
) {
  const approvalGateId = approvals.at(-1)?.gateId;
  const [present, revoked] = await Promise.all([
    agents.versions(owner, before.agentId),
    agents.revoked(owner, before.agentId),
  ]);
  // A rollback passes over what is revoked as over what is gone.
  const installed = present.filter((each) => !revoked.includes(each));
  return decideTransition(before, request, { digest, installed, ...(approvalGateId && { approvalGateId }) });
}

/** A version that is gone from the host can still be taken out of service; only forward it cannot go. */
export async function agentFactsOf(
  parts: DecisionParts,
  owner: Owner,
  agentId: AgentId,
  { version, transition }: TransitionRequest,
  before: AgentDeployments,
): Promise<DigestFacts> {
  const now = await agentNow(parts, owner, agentId, version);
  if (now !== undefined) return now;
  const recorded = before.versions.find((one) => one.version === version);
  if (recorded && transition !== 'promote') return { digest: recorded.digest };
  if ((await parts.agents.versions(owner, agentId)).length === 0 && before.revision === 0)
    throw new HostError('not_found', 'There is no such agent.');
  const message = `There is no version ${version} of this agent here, or its files cannot be read. Install it first.`;
  throw validationError([{ pointer: '/version', message }]);
}
