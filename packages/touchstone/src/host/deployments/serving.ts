import type {
  AgentDeployments,
  AgentId,
  Digest,
  GatePolicy,
  Owner,
  TransitionRequest,
  Version,
} from '@touchstone/contract';
import { noDeployments } from '../../scorecard/index.js';
import type { AgentVisible } from '../touchstone.js';
import type { EvidenceParts } from './evidence.js';

/** What it takes to decide about a transition. */
export type DecisionParts = EvidenceParts & {
  readonly gates: readonly GatePolicy[];
  readonly agents: {
    find(owner: Owner, reference: string): Promise<AgentVisible | undefined>;
    versions(owner: Owner, agentId: AgentId): Promise<readonly Version[]>;
  };
};

export const servingNow = async (
  { store }: Pick<DecisionParts, 'store'>,
  owner: Owner,
  agentId: AgentId,
): Promise<AgentDeployments> => (await store.deployments.get(owner, agentId)) ?? noDeployments(agentId);

export const claimOf = (agentId: AgentId, { version, evalRunId }: TransitionRequest, digest: Digest) => ({
  agentId,
  version,
  digest,
  ...(evalRunId !== undefined && { evalRunId }),
});
