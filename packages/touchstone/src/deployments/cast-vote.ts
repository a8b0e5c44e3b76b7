import type { ApprovalPolicy, Ballot, CastVote, Vote, VoteOutcome } from '@touchstone/protocol';

type Refusal = Extract<VoteOutcome, { readonly kind: 'refused' }>['why'];

/**
 * What a vote does to the present round of an approval. The round ends with the last grant that is needed, or with the
 * first rejection: then it begins again without any votes.
 */
export const castVote: CastVote = (policy, requester, votes, ballot) => {
  const mayGrant = isRequired(policy, ballot);
  const mayOverride = policy.override !== undefined && ballot.roles.includes(policy.override.requiredRole);
  if (ballot.decision === 'rejected')
    return mayGrant || mayOverride ? { kind: 'rejected' } : refused('not_allowed');
  if (!(ballot.override ? mayOverride : mayGrant)) return refused('not_allowed');
  if (policy.excludeRequester && ballot.principal === requester) return refused('own_request');
  return ballot.override ? override(policy, votes, ballot) : grant(policy, votes, ballot);
};

const refused = (why: Refusal): VoteOutcome => ({ kind: 'refused', why });

/** Both when both are asked for. A policy that asks for neither allows no principal. */
function isRequired({ requiredRole, requiredScope }: ApprovalPolicy, { roles, scopes }: Ballot): boolean {
  const hasRole = requiredRole === undefined || roles.includes(requiredRole);
  const hasScope = requiredScope === undefined || scopes.has(requiredScope) || scopes.has('*');
  return hasRole && hasScope && (requiredRole !== undefined || requiredScope !== undefined);
}

const hasVoted = (votes: readonly Vote[], { principal }: Ballot): boolean =>
  votes.some((vote) => vote.principal === principal);

/** How many different people are for it, the one who votes now included. */
const countWith = (votes: readonly Vote[], { principal }: Ballot): number =>
  new Set([...votes.map((vote) => vote.principal), principal]).size;

function grant(policy: ApprovalPolicy, votes: readonly Vote[], ballot: Ballot): VoteOutcome {
  if (hasVoted(votes, ballot)) return refused('voted_already');
  const granted = countWith(votes, ballot);
  return { kind: 'granted', granted, released: granted >= policy.quorum };
}

/** One vote like any other, unless it stands for all of them: then it does not matter whether its author has voted. */
function override(policy: ApprovalPolicy, votes: readonly Vote[], ballot: Ballot): VoteOutcome {
  const isAlone = policy.overrideBypassesQuorum === true;
  if (!isAlone && hasVoted(votes, ballot)) return refused('voted_already');
  if (!ballot.reason?.trim()) return refused('reason_needed');
  const granted = countWith(votes, ballot);
  return { kind: 'overridden', granted, released: isAlone || granted >= policy.quorum };
}
