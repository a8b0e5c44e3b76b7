import {
  type ApprovalPolicy,
  type AuditEntry,
  type AuthorizationDecided,
  asId,
  type Ballot,
  type DeploymentPlan,
  HostError,
  type PrincipalId,
  type ReasonLabel,
  type ResourceName,
  type Vote,
  type VoteOutcome,
} from '@touchstone/protocol';
import { type NewEvent, toBody } from '@touchstone/protocol/bodies';
import type { Interrupt, Run } from '../../ports/index.js';
import type { Parts } from '../parts.js';
import {
  type Answer,
  type Answered,
  type Chapter,
  GOING_ON,
  joined,
  RESPOND,
  resolvedBy,
} from './approval-flow.js';
import { ACTIONS, askApproval, DECISIONS, MAX_REASON } from './approvals.js';
import { invalid, membersOf } from './gate-nodes.js';
import { eventsOf, type History } from './history.js';

type Asked = {
  readonly parts: Parts;
  readonly run: Run;
  readonly plan: DeploymentPlan;
  readonly policy: ApprovalPolicy;
  readonly history: History;
  readonly interrupt: Interrupt;
};

export function answerApproval(asked: Asked, answer: Answer, now: number): Answered {
  const ballot = ballotOf(answer);
  if (ballot instanceof Error) return { refusal: ballot };
  const requester = asId<PrincipalId>(asked.run.principal);
  const outcome = asked.parts.castVote(asked.policy, requester, votesOf(asked.history), ballot);
  if (outcome.kind === 'refused') return refused(asked, ballot, outcome.why, now);
  return {
    chapter: outcome.kind === 'rejected' ? sendBack(asked, ballot, now) : count(asked, ballot, outcome, now),
  };
}

/** Both the gate's own words and those of any approval are understood. */
function ballotOf({ by, value }: Answer): Ballot | HostError {
  const { decision, action, reason, override } = membersOf(value);
  if (decision !== undefined && action !== undefined)
    return invalid('/resumeValue', 'expected "decision" or "action", not both');
  const meant = decision ?? ACTIONS[String(action)];
  if (meant !== 'granted' && meant !== 'rejected')
    return invalid('/resumeValue/decision', `expected one of ${DECISIONS.join(', ')}`);
  if (reason !== undefined && (typeof reason !== 'string' || [...reason].length > MAX_REASON))
    return invalid('/resumeValue/reason', `expected a text of at most ${MAX_REASON} characters`);
  if (override !== undefined && typeof override !== 'boolean')
    return invalid('/resumeValue/override', 'expected true or false');
  return {
    principal: asId<PrincipalId>(by.id),
    roles: by.roles,
    scopes: by.scopes,
    decision: meant,
    ...(override !== undefined && { override }),
    ...(reason !== undefined && { reason }),
  };
}

/** Votes since the question was last asked. */
function votesOf(history: History): readonly Vote[] {
  const asked = history.findLastIndex(({ type }) => type === 'interrupt.requested');
  const round = history.slice(asked);
  return (['granted', 'overridden'] as const).flatMap((kind) =>
    eventsOf(round, `approval.${kind}`).map(({ payload }) => ({ principal: payload.principal, kind })),
  );
}

const decisionOn = ({ run, interrupt, policy }: Asked, { principal }: Ballot, allowed: boolean) => ({
  principal,
  action: RESPOND,
  resource: asId<ResourceName>(`runs/${run.runId}/interrupts/${interrupt.nodeId}`),
  allowed,
  ...(!allowed && { reason: asId<ReasonLabel>(`not an approver of gate ${policy.gateId}`) }),
});

const auditOf = (
  { run }: Asked,
  decided: AuthorizationDecided,
  reason: string | undefined,
  at: number,
): readonly AuditEntry[] => [{ ...decided, at, runId: run.runId, ...(reason !== undefined && { reason }) }];

/** Whoever may not answer leaves a trace, and the gate as closed as it was. */
function refused(
  asked: Asked,
  ballot: Ballot,
  why: Extract<VoteOutcome, { kind: 'refused' }>['why'],
  at: number,
): Answered {
  if (why === 'voted_already')
    return {
      refusal: new HostError('interrupt_already_resolved', 'You have granted this approval already.'),
    };
  if (why === 'reason_needed')
    return { refusal: invalid('/resumeValue/reason', 'an override needs a reason that is not empty') };
  const decided = decisionOn(asked, ballot, false);
  const message =
    why === 'own_request'
      ? 'Whoever asks for a deployment cannot grant it at this gate.'
      : ballot.override
        ? `You may not override at this gate${overriding(asked.policy)}.`
        : `You are not an approver of this gate${needs(asked.policy)}.`;
  return {
    refusal: new HostError('forbidden', message, { gateId: asked.policy.gateId }),
    chapter: {
      events: [noted(asked, decided, at)],
      audit: auditOf(asked, decided, decided.reason, at),
    },
  };
}

const overriding = ({ override }: ApprovalPolicy): string =>
  override ? `: it needs the role ${override.requiredRole}` : ': nobody may';

const needs = ({ requiredRole, requiredScope }: ApprovalPolicy): string => {
  const wanted = [requiredRole && `the role ${requiredRole}`, requiredScope && `the scope ${requiredScope}`];
  return `: it needs ${wanted.filter(Boolean).join(' and ')}`;
};

const noted = ({ interrupt }: Asked, payload: AuthorizationDecided, at: number): NewEvent => ({
  type: 'authorization.decided',
  at,
  nodeId: interrupt.nodeId,
  payload,
});

function count(
  asked: Asked,
  ballot: Ballot,
  outcome: Extract<VoteOutcome, { kind: 'granted' | 'overridden' }>,
  at: number,
): Chapter {
  const { policy, interrupt } = asked;
  const decided = decisionOn(asked, ballot, true);
  const who = { gateId: policy.gateId, principal: ballot.principal };
  const { granted, released } = outcome;
  const vote: NewEvent =
    outcome.kind === 'granted'
      ? {
          type: 'approval.granted',
          at,
          nodeId: interrupt.nodeId,
          payload: { ...who, quorumProgress: { granted, required: policy.quorum } },
        }
      : {
          type: 'approval.overridden',
          at,
          nodeId: interrupt.nodeId,
          payload: { ...who, reason: ballot.reason ?? '' },
        };
  const said = ballot.reason === undefined ? outcome.kind : `${outcome.kind}: ${ballot.reason}`;
  const resolution = released ? [resolvedBy(interrupt, resumeValue(ballot), at)] : [];
  return {
    events: [noted(asked, decided, at), vote, ...resolution],
    ...(released && { run: GOING_ON }),
    audit: auditOf(asked, decided, said, at),
  };
}

const resumeValue = ({ decision, reason, override }: Ballot) =>
  toBody({
    decision,
    ...(reason !== undefined && { reason }),
    ...(override !== undefined && { override }),
  });

/** A no does not end the run: its question is asked again, and every vote has to be given again. */
function sendBack(asked: Asked, ballot: Ballot, at: number): Chapter {
  const { run, plan, policy, interrupt, history } = asked;
  const { principal, reason } = ballot;
  const decided = decisionOn(asked, ballot, true);
  const rejected: NewEvent = {
    type: 'approval.rejected',
    at,
    nodeId: interrupt.nodeId,
    payload: { gateId: policy.gateId, principal, ...(reason !== undefined && { reason }) },
  };
  const closed = [noted(asked, decided, at), rejected, resolvedBy(interrupt, resumeValue(ballot), at)];
  const again = askApproval(run, plan, policy, history, at);
  return {
    ...again,
    events: joined(closed, again.events),
    audit: auditOf(asked, decided, reason === undefined ? 'rejected' : `rejected: ${reason}`, at),
  };
}
