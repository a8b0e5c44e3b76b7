import { type DeploymentPlan, type Json, jsonEqual, type Move, type RunError } from '@touchstone/contract';
import type { Run } from '@touchstone/contract/ports';
import { decideTransition } from '../../scorecard/index.js';
import { unmetEvidence } from './evidence.js';
import { claimOf, type DecisionParts, servingNow } from './serving.js';

/** The engine's question: what does this run do, now that nobody holds it back? */
export function createCarryOut(parts: DecisionParts) {
  return async (run: Run, { agentId, request, intent }: DeploymentPlan): Promise<Move | RunError> => {
    if (!intent) throw new Error('A refused transition is never carried out.');
    const { owner, principal } = run;
    const serving = await servingNow(parts, owner, agentId);
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
