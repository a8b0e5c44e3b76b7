import {
  type AgentDeployments,
  type AgentId,
  type AuthorizationDecided,
  asId,
  type DeploymentIntent,
  type DeploymentPlan,
  type Digest,
  HostError,
  type Owner,
  type Principal,
  type PrincipalId,
  type ReasonLabel,
  type ResourceName,
  type RunError,
  type ScopeName,
  type TransitionRequest,
  validationError,
} from '@touchstone/contract';
import { decideTransition, matchingGates, scopeOf, stateOf, targetState } from '../../scorecard/index.js';
import { hasScope } from '../principal.js';
import { unmetEvidence } from './evidence.js';
import { claimOf, type DecisionParts, servingNow } from './serving.js';

/** Who may, then what it would do, then who has to agree and what has to be shown. */
export async function planTransition(
  parts: DecisionParts,
  principal: Principal,
  agentId: AgentId,
  request: TransitionRequest,
): Promise<DeploymentPlan> {
  const serving = await servingNow(parts, principal.owner, agentId);
  const authorization = authorize(principal, agentId, request, serving);
  const asked = { kind: 'deployment', agentId, request, authorization } as const;
  if (!authorization.allowed) return { ...asked, refused: forbidden(authorization) };
  const intent = await intend(parts, principal, agentId, request, serving).catch(async (error) => {
    await noteRefusal(parts, principal, authorization);
    throw error;
  });
  const claim = claimOf(agentId, request, intent.digest);
  const proof = {
    owner: principal.owner,
    principal: principal.id,
    claim,
    request,
    serving,
    evals: intent.evals,
  };
  // Nobody is asked to agree to what could not be proven anyway. It is proven once more when it is carried out.
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
  { store, clock }: DecisionParts,
  { owner }: Principal,
  { principal, action, resource }: AuthorizationDecided,
): Promise<void> {
  const reason = 'not possible as asked';
  await store.audit.append(owner, { at: clock.now(), principal, action, resource, allowed: false, reason });
}

async function intend(
  parts: DecisionParts,
  { owner }: Principal,
  agentId: AgentId,
  request: TransitionRequest,
  serving: AgentDeployments,
): Promise<DeploymentIntent> {
  const digest = await digestOf(parts, owner, agentId, request, serving);
  const to = targetState(request, stateOf(serving, request.version));
  const gates = to ? matchingGates(parts.gates, owner.tenant, agentId, to) : [];
  const approvals = gates.flatMap(({ approval }) => approval ?? []);
  const evals = gates.flatMap(({ requiredEval }) => requiredEval ?? []);
  const approvalGateId = approvals.at(-1)?.gateId;
  const decided = decideTransition(serving, request, { digest, ...(approvalGateId && { approvalGateId }) });
  if (decided.kind === 'illegal') throw validationError([decided.issue]);
  return { digest, expected: decided.move.events, approvals, evals };
}

/** A version that is gone from the host can still be taken out of service; only forward it cannot go. */
async function digestOf(
  parts: DecisionParts,
  owner: Owner,
  agentId: AgentId,
  { version }: TransitionRequest,
  serving: AgentDeployments,
): Promise<Digest> {
  const found = await parts.agents.find(owner, `${agentId}@${version}`);
  const recorded = serving.versions.find((one) => one.version === version);
  const digest = found?.facts.digest ?? recorded?.digest;
  if (digest !== undefined) return digest;
  if ((await parts.agents.versions(owner, agentId)).length === 0 && serving.revision === 0)
    throw new HostError('not_found', 'There is no such agent.');
  const message = `There is no version ${version} of this agent. Install it first.`;
  throw validationError([{ pointer: '/version', message }]);
}
