import {
  type AgentDeployments,
  type AgentId,
  AHEAD,
  type ApprovalPolicy,
  asId,
  type ChannelName,
  type DeploymentState,
  defined,
  type GatePolicy,
  type GateReview,
  type MoveReview,
  type Principal,
  type PrincipalId,
  type RequiredEval,
  type RunId,
  type Transition,
  type TransitionRequest,
  timestampOf,
  type Version,
} from '@touchstone/protocol';
import { castVote, describeReason, scopeOf, stateOf, targetState } from '../../deployments/index.js';
import type { Run } from '../../ports/index.js';
import { hasScope } from '../principal.js';
import { channelsOf } from './board.js';
import { decideProof, offeredRun, unmetEvidence } from './evidence.js';
import type { EvidenceRequest } from './evidence-facts.js';
import { agentFactsOf, decideMove } from './plan-transition.js';
import {
  claimOf,
  type DecisionParts,
  type DigestFacts,
  demandsNow,
  gatesNow,
  servingNow,
} from './serving.js';

/** A move that somebody thinks about. */
export type MoveQuestion = {
  readonly version: Version;
  /** Where to; one state ahead when absent, or where it is with another share. */
  readonly to?: DeploymentState | undefined;
  readonly channel?: ChannelName | undefined;
  readonly canaryPercent?: number | undefined;
  readonly evalRunId?: RunId | undefined;
};

/** One state on the way: what would be asked for there, and what would serve before and after. */
type Step = {
  readonly to: DeploymentState;
  readonly gates: readonly GatePolicy[];
  readonly proof: EvidenceRequest;
};

/**
 * What the host would decide about a move now. It uses the deciders of the move itself and writes nothing: no run, no audit
 * record. A promotion over several states is walked through one by one, as it would be carried out.
 */
export async function reviewMove(
  parts: DecisionParts,
  principal: Principal,
  agentId: AgentId,
  question: MoveQuestion,
): Promise<MoveReview> {
  const { owner } = principal;
  const before = await servingNow(parts, owner, agentId);
  const [first, ...rest] = requestsOf(stateOf(before, question.version), question);
  const agent = await agentFactsOf(parts, owner, agentId, first, before);
  const { steps, issue } = await walk(parts, principal, before, agent, [first, ...rest]);
  const last = steps.at(-1) as Step;
  const scope = scopeOf(first, stateOf(before, question.version));
  const after = { state: stateOf(last.proof.next, question.version), channels: channelsOf(last.proof.next) };
  const unmet = issue === undefined ? await firstUnmet(parts, steps) : undefined;
  return {
    move: { allowed: hasScope(principal, scope), scope, ...defined({ issue }) },
    steps: steps.map(({ to }) => to),
    gates: (await Promise.all(steps.map((step) => reviewGates(parts, principal, step)))).flat(),
    fits: issue === undefined ? await fittingRuns(parts, steps) : [],
    ...defined({ unmet }),
    ...(issue === undefined && { after }),
  };
}

const TRANSITIONS: { readonly [S in DeploymentState]?: Transition } = {
  paused: 'pause',
  deprecated: 'deprecate',
  'rolled-back': 'rollback',
};

/** What would be sent, one request for every state on the way. */
function requestsOf(
  from: DeploymentState,
  { version, to, channel, canaryPercent, evalRunId }: MoveQuestion,
): readonly [TransitionRequest, ...TransitionRequest[]] {
  const named = { version, ...defined({ evalRunId }) };
  const where = defined({ channel, canaryPercent });
  const leaving = to && TRANSITIONS[to];
  if (leaving) return [{ ...named, transition: leaving, ...where }];
  if (to === undefined && canaryPercent !== undefined)
    return [{ ...named, transition: 'adjust-canary', canaryPercent }];
  const promotion = { ...named, transition: 'promote' } as const;
  const way = wayTo(from, to ?? AHEAD[from]);
  const target = way.at(-1) ?? to;
  const last = { ...promotion, ...where, ...defined({ toState: target }) };
  const [head, ...tail] = [...way.slice(0, -1).map((toState) => ({ ...promotion, toState })), last];
  return [head ?? last, ...tail];
}

/** The states ahead, up to this one; nothing when no promotion leads there. */
function wayTo(from: DeploymentState, to: DeploymentState | undefined): readonly DeploymentState[] {
  const way: DeploymentState[] = [];
  for (let next = AHEAD[from]; next !== undefined; next = AHEAD[next]) {
    way.push(next);
    if (next === to) return way;
  }
  return [];
}

/** Takes the steps in thought, up to the first that is not possible. */
async function walk(
  parts: DecisionParts,
  { owner, id: principal }: Principal,
  before: AgentDeployments,
  agent: DigestFacts,
  requests: readonly TransitionRequest[],
): Promise<{ readonly steps: readonly Step[]; readonly issue?: string }> {
  const steps: Step[] = [];
  let picture = before;
  for (const request of requests) {
    const { version } = request;
    const demands = demandsNow(parts, owner, picture, request);
    const decided = await decideMove(parts, owner, picture, request, { ...demands, digest: agent.digest });
    const next = decided.kind === 'move' ? decided.move.next : picture;
    const claim = claimOf(picture.agentId, request, agent);
    const proof = { owner, principal, claim, request, before: picture, next, evals: demands.evals };
    const to = targetState(request, stateOf(picture, version)) ?? stateOf(next, version);
    steps.push({ to, gates: gatesNow(parts, owner, picture, request), proof });
    if (decided.kind === 'illegal') return { steps, issue: decided.issue.message };
    picture = next;
  }
  return { steps };
}

async function firstUnmet(
  parts: DecisionParts,
  steps: readonly Step[],
): Promise<{ readonly reason: string; readonly message: string } | undefined> {
  for (const { proof } of steps) {
    const error = await unmetEvidence(parts, proof);
    if (error) return { reason: String(error.details?.reason), message: error.message };
  }
  return undefined;
}

async function reviewGates(
  parts: DecisionParts,
  principal: Principal,
  { to, gates, proof }: Step,
): Promise<readonly GateReview[]> {
  const run = await offeredRun(parts, proof);
  return Promise.all(
    gates.map(async ({ gateId, requiredEval, approval }) => ({
      gateId,
      to,
      ...(requiredEval && { evidence: await reviewEvidence(parts, proof, requiredEval, run) }),
      ...(approval && { approval: reviewApproval(principal, approval) }),
    })),
  );
}

async function reviewEvidence(
  parts: DecisionParts,
  proof: EvidenceRequest,
  required: RequiredEval,
  run: Run | undefined,
): Promise<NonNullable<GateReview['evidence']>> {
  const { reason, report, compared } = await decideProof(parts, proof, required, run);
  const { suite, maxAgeHours, noRegression, requiredPassScore = report?.thresholds?.passScore } = required;
  return {
    suite,
    met: reason === undefined,
    ...defined({ required: requiredPassScore, reason, maxAgeHours }),
    ...(reason && { message: describeReason(reason) }),
    ...(run && { runId: run.runId }),
    ...(report && { score: report.aggregate.score, interval: report.aggregate.interval }),
    ...(run?.completedAt !== undefined && { endedAt: timestampOf(run.completedAt) }),
    ...(noRegression && { noRegression: true }),
    ...(compared.length > 0 && {
      compared: compared.flatMap(({ serving, report: { regression } }) =>
        regression
          ? [{ version: serving, change: regression.scoreDelta, ...defined({ p: regression.pValue }) }]
          : [],
      ),
    }),
  };
}

/** Whether the caller could grant it too is decided as its vote would be, after it has asked. */
function reviewApproval(principal: Principal, policy: ApprovalPolicy): NonNullable<GateReview['approval']> {
  const { quorum, excludeRequester = false, requiredRole: role, requiredScope: scope, timeoutSec } = policy;
  const id = asId<PrincipalId>(principal.id);
  const { roles, scopes } = principal;
  const vote = castVote(policy, id, [], { principal: id, roles, scopes, decision: 'granted' });
  const youMay = vote.kind === 'granted' && hasScope(principal, 'approvals:respond');
  return { quorum, excludeRequester, youMay, ...defined({ role, scope, timeoutSec }) };
}

/** How many of the agent's runs are listed, and how many of them are read whole. */
const LOOK = 100;
const READ = 10;

async function fittingRuns(parts: DecisionParts, steps: readonly Step[]): Promise<readonly RunId[]> {
  const asking = steps.filter(({ proof }) => proof.evals.length > 0).map(({ proof }) => proof);
  const [proof] = asking;
  if (!proof) return [];
  const { owner, claim } = proof;
  const { items } = await parts.store.runs.list(owner, {
    agentId: claim.agentId,
    status: 'completed',
    limit: LOOK,
  });
  const suites = asking.flatMap(({ evals }) => evals.map(({ suite }) => suite.split('@')[0]));
  const candidates = items.filter(
    ({ plan }) =>
      plan.kind === 'eval' && plan.agent.version === claim.version && suites.includes(plan.suite.suiteId),
  );
  const fits: RunId[] = [];
  for (const { runId } of candidates.slice(0, READ))
    if (await fitsAll(parts, asking, runId)) fits.push(runId);
  return fits;
}

async function fitsAll(
  parts: DecisionParts,
  proofs: readonly EvidenceRequest[],
  evalRunId: RunId,
): Promise<boolean> {
  for (const proof of proofs)
    if (await unmetEvidence(parts, { ...proof, claim: { ...proof.claim, evalRunId } })) return false;
  return true;
}
