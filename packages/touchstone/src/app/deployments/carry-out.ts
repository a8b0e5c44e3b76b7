import {
  type AgentDeployments,
  type ApprovalPolicy,
  type DeploymentIntent,
  type DeploymentPlan,
  type Digest,
  type Json,
  jsonEqual,
  type Move,
  type RequiredEval,
  type RunError,
} from '@touchstone/protocol';
import { stateOf } from '../../deployments/index.js';
import type { Run } from '../../ports/index.js';
import { unmetEvidence } from './evidence.js';
import { decideMove } from './plan-transition.js';
import { agentNow, claimOf, type DecisionParts, demandsNow, servingNow } from './serving.js';

/** Decides the transition again at execution time: gates, evidence and what serves may have changed since it was planned. */
export function createCarryOut(parts: DecisionParts) {
  return async (run: Run, { agentId, request, intent }: DeploymentPlan): Promise<Move | RunError> => {
    if (!intent) throw new Error('A refused transition is never carried out.');
    const { owner, principal } = run;
    const before = await servingNow(parts, owner, agentId);
    const agent = await agentNow(parts, owner, agentId, request.version);
    if (isOther(intent, agent?.digest, request.transition === 'promote'))
      return conflict('the agent has changed', 'agent_changed');
    const now = demandsNow(parts, owner, before, request);
    if (now.approvals.some((policy) => !isGranted(intent, policy)))
      return conflict('its gates ask for more', 'gates_changed');
    const decided = await decideMove(parts, owner, before, request, intent);
    const isAsAsked = decided.kind === 'move' && isSame(decided.move.events, intent.expected);
    if (!isAsAsked) return conflict('what serves has changed', 'deployments_moved');
    const { move } = decided;
    const evals = [...intent.evals, ...now.evals.filter((one) => !isAmong(intent.evals, one))];
    const claim = claimOf(agentId, request, agent ?? intent);
    const unmet = await unmetEvidence(parts, {
      owner,
      principal,
      claim,
      request,
      before,
      next: move.next,
      evals,
    });
    return unmet ?? { ...move, next: dated(before, move.next, parts.clock.now()) };
  };
}

/** With the moment for every version that comes into another state. */
const dated = (before: AgentDeployments, next: AgentDeployments, since: number): AgentDeployments => ({
  ...next,
  versions: next.versions.map((row) =>
    stateOf(before, row.version) === row.state ? row : { ...row, since },
  ),
});

/** Backwards a version may go that is gone; forwards only what is there, and as it was. */
const isOther = ({ digest }: DeploymentIntent, now: Digest | undefined, isForward: boolean): boolean =>
  now === undefined ? isForward : now !== digest;

const isGranted = ({ approvals }: DeploymentIntent, policy: ApprovalPolicy): boolean =>
  approvals.some((granted) => isSame(granted, policy));

const isAmong = (evals: readonly RequiredEval[], one: RequiredEval): boolean =>
  evals.some((other) => isSame(other, one));

const isSame = (one: unknown, other: unknown): boolean => jsonEqual(written(one), written(other));
const written = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;

const conflict = (what: string, reason: string): RunError => ({
  code: 'conflict',
  message: `Since this was asked for, ${what}. Look at the deployments and ask again.`,
  details: { reason },
});
