import {
  type AgentDeployments,
  type AgentId,
  defined,
  type GatePolicy,
  isHostError,
  type Owner,
  type TransitionRequest,
  type Version,
} from '@touchstone/protocol';
import { matchingGates, noDeployments, stateOf, targetState } from '../../deployments/index.js';
import type { AgentFacts } from '../../ports/index.js';
import type { AgentVisible } from '../catalogue/entries.js';
import type { Refusals } from '../refusals.js';
import type { EvidenceParts } from './evidence-facts.js';

/** What it takes to decide about a transition. */
export type DecisionParts = EvidenceParts & {
  readonly gates: readonly GatePolicy[];
  readonly refusals: Pick<Refusals, 'take'>;
  readonly agents: {
    list(owner: Owner): Promise<readonly AgentVisible[]>;
    find(owner: Owner, reference: string): Promise<AgentVisible | undefined>;
    versions(owner: Owner, agentId: AgentId): Promise<readonly Version[]>;
    revoked(owner: Owner, agentId: AgentId): Promise<readonly Version[]>;
  };
};

/** A version as it is now; undefined when it is gone, or its files cannot be read. */
export async function agentNow(
  { agents }: Pick<DecisionParts, 'agents'>,
  owner: Owner,
  agentId: AgentId,
  version: Version,
): Promise<DigestFacts | undefined> {
  const found = await agents.find(owner, `${agentId}@${version}`).catch((error) => {
    if (!isHostError(error)) throw error;
  });
  if (!found) return undefined;
  const { digest, filesNotFollowed } = found.facts;
  return { digest, ...defined({ filesNotFollowed }) };
}

/** The bytes of an agent, and whether they are all of them. */
export type DigestFacts = Pick<AgentFacts, 'digest' | 'filesNotFollowed'>;

/**
 * What serves, as far as it concerns a version with these bytes. On its way to service a version is what it was when it
 * took its last step; with other bytes it has taken none, and begins again as a draft.
 */
export async function servingNow(
  parts: Pick<DecisionParts, 'store' | 'agents'>,
  owner: Owner,
  agentId: AgentId,
): Promise<AgentDeployments> {
  const recorded = await parts.store.deployments.get(owner, agentId);
  if (!recorded) return noDeployments(agentId);
  const versions = await Promise.all(
    recorded.versions.map(async (row) => {
      if (row.state !== 'test' && row.state !== 'staged') return [row];
      const now = await agentNow(parts, owner, agentId, row.version);
      return now === undefined || now.digest === row.digest ? [row] : [];
    }),
  );
  return { ...recorded, versions: versions.flat() };
}

export const claimOf = (
  agentId: AgentId,
  { version, evalRunId }: TransitionRequest,
  { digest, filesNotFollowed }: DigestFacts,
) => ({ agentId, version, digest, ...defined({ evalRunId, filesNotFollowed }) });

/** The gates of the configuration on the way of this request, as they are now. */
export function gatesNow(
  { gates }: Pick<DecisionParts, 'gates'>,
  { tenant }: Owner,
  serving: AgentDeployments,
  request: TransitionRequest,
): readonly GatePolicy[] {
  const to = targetState(request, stateOf(serving, request.version));
  return to ? matchingGates(gates, tenant, serving.agentId, to) : [];
}

/** What these gates ask for. */
export function demandsNow(...about: Parameters<typeof gatesNow>) {
  const matching = gatesNow(...about);
  return {
    approvals: matching.flatMap(({ approval }) => approval ?? []),
    evals: matching.flatMap(({ requiredEval }) => requiredEval ?? []),
  };
}
