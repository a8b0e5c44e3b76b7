import {
  type ApprovalPolicy,
  asId,
  type Ballot,
  type GateId,
  type PrincipalId,
  type Vote,
  type VoteOutcome,
} from '@touchstone/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { castVote } from './cast-vote.js';

const who = (name: string) => asId<PrincipalId>(name);
const PEOPLE = ['ann', 'ben', 'cat', 'dan'].map(who);
const maybe = <T>(value: T) => fc.constantFrom(undefined, value);

const policies = fc
  .record({
    requiredRole: maybe('admin'),
    requiredScope: maybe('deploy:approve'),
    quorum: fc.integer({ min: 1, max: 3 }),
    override: maybe({ requiredRole: 'captain' }),
    overrideBypassesQuorum: fc.constantFrom(undefined, false, true),
    excludeRequester: fc.constantFrom(undefined, false, true),
  })
  .map((policy) => ({ gateId: asId<GateId>('g'), ...policy }) as ApprovalPolicy);
const ballots = fc
  .record({
    principal: fc.constantFrom(...PEOPLE),
    roles: fc.subarray(['admin', 'captain', 'runner']),
    scopes: fc
      .constantFrom<string[]>([], ['deploy:approve'], ['*'], ['runs:read'])
      .map((list) => new Set(list)),
    decision: fc.constantFrom('granted', 'granted', 'granted', 'rejected'),
    override: fc.constantFrom(undefined, false, true),
    reason: fc.constantFrom(undefined, '', '  ', 'the house is on fire'),
  })
  .map((ballot) => ballot as Ballot);

/** What a round should come to, by going through the rules one by one over the whole list of what was said. */
function judgeBallot(
  policy: ApprovalPolicy,
  requester: PrincipalId,
  votes: readonly Vote[],
  ballot: Ballot,
): VoteOutcome {
  const may = {
    grant: policy.requiredRole !== undefined || policy.requiredScope !== undefined,
    override: false,
  };
  if (policy.requiredRole && !ballot.roles.includes(policy.requiredRole)) may.grant = false;
  if (policy.requiredScope && !['*', policy.requiredScope].some((scope) => ballot.scopes.has(scope)))
    may.grant = false;
  for (const role of ballot.roles) if (role === policy.override?.requiredRole) may.override = true;
  if (ballot.decision === 'rejected' && (may.grant || may.override)) return { kind: 'rejected' };
  const wanted = ballot.override ? 'override' : 'grant';
  if (ballot.decision === 'rejected' || !may[wanted]) return { kind: 'refused', why: 'not_allowed' };
  if (ballot.principal === requester && policy.excludeRequester)
    return { kind: 'refused', why: 'own_request' };
  const ends = wanted === 'override' && policy.overrideBypassesQuorum;
  const said = PEOPLE.filter((name) => votes.some(({ principal }) => principal === name));
  if (said.includes(ballot.principal) && !ends) return { kind: 'refused', why: 'voted_already' };
  if (wanted === 'override' && !/\S/.test(ballot.reason ?? ''))
    return { kind: 'refused', why: 'reason_needed' };
  const granted = said.length + (said.includes(ballot.principal) ? 0 : 1);
  const released = ends || granted === Math.max(granted, policy.quorum);
  return { kind: wanted === 'override' ? 'overridden' : 'granted', granted, released };
}

describe('a vote', () => {
  it('does what the rules say, over whole rounds of random people', () => {
    const seen = new Set<string>();
    const rounds = fc.property(
      policies,
      fc.array(ballots, { minLength: 1, maxLength: 12 }),
      (policy, said) => {
        const requester = who('ann');
        let votes: readonly Vote[] = [];
        for (const ballot of said) {
          const outcome = castVote(policy, requester, votes, ballot);
          expect(outcome).toEqual(judgeBallot(policy, requester, votes, ballot));
          seen.add('why' in outcome ? outcome.why : outcome.kind);
          if (outcome.kind === 'rejected') votes = [];
          if (outcome.kind !== 'granted' && outcome.kind !== 'overridden') continue;
          if (outcome.released) break;
          votes = [...votes, { principal: ballot.principal, kind: outcome.kind }];
          expect(new Set(votes.map(({ principal }) => principal)).size).toBe(votes.length);
          expect(votes.length).toBeLessThan(policy.quorum);
        }
      },
    );
    fc.assert(rounds, { numRuns: 2000, seed: 7 });
    expect([...seen].sort()).toEqual([
      'granted',
      'not_allowed',
      'overridden',
      'own_request',
      'reason_needed',
      'rejected',
      'voted_already',
    ]);
  });

  const policy: ApprovalPolicy = {
    gateId: asId<GateId>('g'),
    requiredRole: 'admin',
    quorum: 2,
    override: { requiredRole: 'captain' },
  };
  const ballot = (name: string, roles: string[], extra: Partial<Ballot> = {}): Ballot => ({
    principal: who(name),
    roles,
    scopes: new Set(['*']),
    decision: 'granted',
    ...extra,
  });
  const ask = (votes: readonly Vote[], given: Ballot) => castVote(policy, who('ann'), votes, given);
  const byBen: Vote = { principal: who('ben'), kind: 'granted' };

  it('of every scope is still not the vote of every role', () => {
    expect(ask([], ballot('cat', ['runner']))).toEqual({ kind: 'refused', why: 'not_allowed' });
  });

  it('of a captain who is no admin can only be an override, and counts once', () => {
    expect(ask([], ballot('cat', ['captain']))).toEqual({ kind: 'refused', why: 'not_allowed' });
    const override = ballot('cat', ['captain'], { override: true, reason: 'urgent' });
    expect(ask([], override)).toEqual({ kind: 'overridden', granted: 1, released: false });
    expect(ask([byBen], override)).toEqual({ kind: 'overridden', granted: 2, released: true });
  });

  it('is counted once, also as an override by someone who has granted', () => {
    const twice = ballot('ben', ['admin', 'captain'], { override: true, reason: 'urgent' });
    expect(ask([byBen], twice)).toEqual({ kind: 'refused', why: 'voted_already' });
  });
});
