import {
  type AgentDeployments,
  type AgentId,
  type AuthorizationDecided,
  asId,
  type DeploymentIntent,
  type DeploymentPlan,
  type Digest,
  type GatePolicy,
  HostError,
  type Json,
  jsonEqual,
  type Move,
  type Owner,
  type Principal,
  type PrincipalId,
  type ReasonLabel,
  type ResourceName,
  type RunError,
  type ScopeName,
  type TransitionRequest,
  type Version,
  validationError,
} from '@touchstone/contract';
import type { Engine, Ids, Run, RunOrigin } from '@touchstone/contract/ports';
import type { AgentDeploymentWire } from '@touchstone/contract/wire';
import { ENGINE_VERSION } from '../../engine/index.js';
import {
  decideTransition,
  deploymentRecords,
  matchingGates,
  noDeployments,
  scopeOf,
  stateOf,
  targetState,
} from '../../scorecard/index.js';
import { hasScope } from '../principal.js';
import type { AgentVisible } from '../touchstone.js';
import { type EvidenceParts, unmetEvidence } from './evidence.js';

/** Runs that move deployments are all of this workflow. */
export const DEPLOYMENT_WORKFLOW = 'touchstone.deployment';

type DeskParts = EvidenceParts & {
  readonly ids: Pick<Ids, 'runId'>;
  /** Takes secrets out of what people write. */
  readonly mask: (text: string) => Promise<string>;
  readonly gates: readonly GatePolicy[];
  readonly agents: {
    find(owner: Owner, reference: string): Promise<AgentVisible | undefined>;
    versions(owner: Owner, agentId: AgentId): Promise<readonly Version[]>;
  };
  readonly drive: Engine['drive'];
};

export type DeploymentDesk = {
  /** Every version of an agent with its state; undefined when there is no such agent for this owner. */
  list(owner: Owner, agentId: AgentId): Promise<readonly AgentDeploymentWire[] | undefined>;
  /** What became of the request is told by the run: completed, waiting for people, or failed with the reason. */
  transition(
    principal: Principal,
    agentId: AgentId,
    request: TransitionRequest,
    origin: RunOrigin,
    /** Gates besides those of the configuration, asked before them. */
    gates?: readonly GatePolicy[],
  ): Promise<Run>;
};

export function createDeploymentDesk(parts: DeskParts): DeploymentDesk {
  const { store } = parts;
  return {
    async list(owner, agentId) {
      const versions = await parts.agents.versions(owner, agentId);
      const recorded = await store.deployments.get(owner, agentId);
      if (versions.length === 0 && !recorded) return undefined;
      return deploymentRecords(recorded ?? noDeployments(agentId), versions);
    },
    async transition(principal, agentId, asked, origin, gates = []) {
      const { reason } = asked;
      const request = reason ? { ...asked, reason: asId<ReasonLabel>(await parts.mask(reason)) } : asked;
      const bound = { ...parts, gates: [...gates, ...parts.gates] };
      const plan = await planTransition(bound, principal, agentId, request);
      const created = await store.runs.create({
        runId: parts.ids.runId(),
        owner: principal.owner,
        principal: principal.id,
        origin,
        workflowId: DEPLOYMENT_WORKFLOW,
        plan,
        request: {},
        createdAt: parts.clock.now(),
        engineVersion: ENGINE_VERSION,
      });
      const { runId } = created as Run;
      await parts.drive(principal.owner, runId);
      return (await store.runs.get(principal.owner, runId)) as Run;
    },
  };
}

/** Who may, then what it would do, then who has to agree and what has to be shown. */
async function planTransition(
  parts: DeskParts,
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

const servingNow = async ({ store }: DeskParts, owner: Owner, agentId: AgentId): Promise<AgentDeployments> =>
  (await store.deployments.get(owner, agentId)) ?? noDeployments(agentId);

const claimOf = (agentId: AgentId, { version, evalRunId }: TransitionRequest, digest: Digest) => ({
  agentId,
  version,
  digest,
  ...(evalRunId !== undefined && { evalRunId }),
});

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
  { store, clock }: DeskParts,
  { owner }: Principal,
  { principal, action, resource }: AuthorizationDecided,
): Promise<void> {
  const reason = 'not possible as asked';
  await store.audit.append(owner, { at: clock.now(), principal, action, resource, allowed: false, reason });
}

async function intend(
  parts: DeskParts,
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
  parts: DeskParts,
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

/** The engine's question: what does this run do, now that nobody holds it back? */
export function createCarryOut(parts: Omit<DeskParts, 'drive' | 'ids' | 'mask'>) {
  return async (run: Run, { agentId, request, intent }: DeploymentPlan): Promise<Move | RunError> => {
    if (!intent) throw new Error('A refused transition is never carried out.');
    const { owner, principal } = run;
    const serving = await servingNow(parts as DeskParts, owner, agentId);
    const { evals, approvals } = intent;
    const proof = {
      owner,
      principal,
      claim: claimOf(agentId, request, intent.digest),
      request,
      serving,
      evals,
    };
    const unmet = await unmetEvidence(parts, proof);
    if (unmet) return unmet;
    const found = await parts.agents.find(owner, `${agentId}@${request.version}`);
    if (found && found.facts.digest !== intent.digest)
      return conflict('the agent has changed', 'agent_changed');
    const approvalGateId = approvals.at(-1)?.gateId;
    const facts = { digest: intent.digest, ...(approvalGateId && { approvalGateId }) };
    const decided = decideTransition(serving, request, facts);
    const isAsAsked =
      decided.kind === 'move' &&
      jsonEqual(decided.move.events as unknown as Json, intent.expected as unknown as Json);
    return isAsAsked ? decided.move : conflict('what serves has changed', 'deployments_moved');
  };
}

const conflict = (what: string, reason: string): RunError => ({
  code: 'conflict',
  message: `Since this was asked for, ${what}. Look at the deployments and ask again.`,
  details: { reason },
});
