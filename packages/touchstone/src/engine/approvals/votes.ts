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
  type AnswerResult,
  invalid,
  joined,
  type LogStep,
  membersOf,
  RESPOND,
  RESUMED,
  resolvedBy,
} from './approval-flow.js';
import { ACTIONS, askApproval, DECISIONS, MAX_REASON } from './approvals.js';
import { eventsOf, type History } from './history.js';

type VoteContext = {
  readonly parts: Parts;
  readonly run: Run;
  readonly plan: DeploymentPlan;
  readonly policy: ApprovalPolicy;
  readonly history: History;
  readonly interrupt: Interrupt;
};

export function answerApproval(context: VoteContext, answer: Answer, now: number): AnswerResult {
  const ballot = ballotOf(answer);
  if (ballot instanceof Error) return { refusal: ballot };
  const requester = asId<PrincipalId>(context.run.principal);
  const outcome = context.parts.castVote(context.policy, requester, votesOf(context.history), ballot);
  if (outcome.kind === 'refused') return refused(context, ballot, outcome.why, now);
  return {
    step: outcome.kind === 'rejected' ? sendBack(context, ballot, now) : count(context, ballot, outcome, now),
  };
}

/** An answer may use the gate's own words (`decision`) or those of any approval (`action`). */
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
export function votesOf(history: History): readonly Vote[] {
  const round = history.slice(history.findLastIndex(({ type }) => type === 'interrupt.requested'));
  return (['granted', 'overridden'] as const).flatMap((kind) =>
    eventsOf(round, `approval.${kind}`).map(({ payload }) => ({ principal: payload.principal, kind })),
  );
}

const decisionOn = ({ run, interrupt, policy }: VoteContext, { principal }: Ballot, allowed: boolean) => ({
  principal,
  action: RESPOND,
  resource: asId<ResourceName>(`runs/${run.runId}/interrupts/${interrupt.nodeId}`),
  allowed,
  ...(!allowed && { reason: asId<ReasonLabel>(`not an approver of gate ${policy.gateId}`) }),
});

const auditOf = (
  { run }: VoteContext,
  decided: AuthorizationDecided,
  reason: string | undefined,
  at: number,
): readonly AuditEntry[] => [{ ...decided, at, runId: run.runId, ...(reason !== undefined && { reason }) }];

/** A refused vote is audited when permission was missing. The gate stays closed. */
function refused(
  context: VoteContext,
  ballot: Ballot,
  why: Extract<VoteOutcome, { kind: 'refused' }>['why'],
  at: number,
): AnswerResult {
  if (why === 'voted_already')
    return {
      refusal: new HostError('interrupt_already_resolved', 'You have granted this approval already.'),
    };
  if (why === 'reason_needed')
    return { refusal: invalid('/resumeValue/reason', 'an override needs a reason that is not empty') };
  const decided = decisionOn(context, ballot, false);
  const message =
    why === 'own_request'
      ? 'The requester of a deployment cannot grant it at this gate.'
      : ballot.override
        ? `You may not override at this gate${overriding(context.policy)}.`
        : `You are not an approver of this gate${needs(context.policy)}.`;
  const refusal = new HostError('forbidden', message, { gateId: context.policy.gateId });
  if (refusedBefore(context.history, ballot.principal) >= MAX_TRACES) return { refusal };
  return {
    refusal,
    step: {
      events: [noted(context, decided, at)],
      audit: auditOf(context, decided, decided.reason, at),
    },
  };
}

/** So many refused votes of a principal are written into a run; nobody can fill its log by asking again and again. */
const MAX_TRACES = 10;

const refusedBefore = (history: History, principal: PrincipalId): number =>
  eventsOf(history, 'authorization.decided').filter(
    ({ payload }) => !payload.allowed && payload.principal === principal,
  ).length;

const overriding = ({ override }: ApprovalPolicy): string =>
  override ? `: it needs the role ${override.requiredRole}` : ': it allows no override';

const needs = ({ requiredRole, requiredScope }: ApprovalPolicy): string => {
  const wanted = [requiredRole && `the role ${requiredRole}`, requiredScope && `the scope ${requiredScope}`];
  return `: it needs ${wanted.filter(Boolean).join(' and ')}`;
};

const noted = ({ interrupt }: VoteContext, payload: AuthorizationDecided, at: number): NewEvent => ({
  type: 'authorization.decided',
  at,
  nodeId: interrupt.nodeId,
  payload,
});

function count(
  context: VoteContext,
  ballot: Ballot,
  outcome: Extract<VoteOutcome, { kind: 'granted' | 'overridden' }>,
  at: number,
): LogStep {
  const { policy, interrupt } = context;
  const decided = decisionOn(context, ballot, true);
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
    events: [noted(context, decided, at), vote, ...resolution],
    ...(released && { run: RESUMED }),
    audit: auditOf(context, decided, said, at),
  };
}

const resumeValue = ({ decision, reason, override }: Ballot) =>
  toBody({
    decision,
    ...(reason !== undefined && { reason }),
    ...(override !== undefined && { override }),
  });

/** A no does not end the run: its question is asked again, and every vote has to be given again. */
function sendBack(context: VoteContext, ballot: Ballot, at: number): LogStep {
  const { run, plan, policy, interrupt, history } = context;
  const { principal, reason } = ballot;
  const decided = decisionOn(context, ballot, true);
  const rejected: NewEvent = {
    type: 'approval.rejected',
    at,
    nodeId: interrupt.nodeId,
    payload: { gateId: policy.gateId, principal, ...(reason !== undefined && { reason }) },
  };
  const closed = [noted(context, decided, at), rejected, resolvedBy(interrupt, resumeValue(ballot), at)];
  const again = askApproval(run, plan, policy, history, at);
  return {
    ...again,
    events: joined(closed, again.events),
    audit: auditOf(context, decided, reason === undefined ? 'rejected' : `rejected: ${reason}`, at),
  };
}
