import {
  type ApprovalPolicy,
  asId,
  type Ballot,
  type DeploymentPlan,
  type JsonObject,
  type PrincipalId,
  targetOf,
} from '@touchstone/protocol';
import { fromBody, type NewEvent, toBody } from '@touchstone/protocol/bodies';
import type { Interrupt, Run } from '../../ports/index.js';
import { failure } from '../log/endings.js';
import { ask, type LogStep, membersOf, resolvedBy } from './approval-flow.js';
import { eventsOf, type History, interruptsOf } from './history.js';

export const DECISIONS = ['granted', 'rejected'] as const;
export const ACTIONS: { readonly [action: string]: Ballot['decision'] } = {
  accept: 'granted',
  reject: 'rejected',
};
export const MAX_REASON = 512;

/** The principal of a rejection by timeout. */
const CLOCK = asId<PrincipalId>('touchstone');

/** How many gates the run has passed: the questions that were granted. */
export const approvalsGiven = (history: History): number =>
  eventsOf(history, 'interrupt.resolved').filter(
    ({ payload }) =>
      payload.resumeValue !== undefined && membersOf(fromBody(payload.resumeValue)).decision === 'granted',
  ).length;

export function askApproval(
  run: Run,
  plan: DeploymentPlan,
  policy: ApprovalPolicy,
  history: History,
  now: number,
): LogStep {
  const nodeId = nodeOf(plan, policy);
  const first = interruptsOf(run, history).find((one) => one.nodeId === nodeId);
  const timeoutMs = policy.timeoutSec === undefined ? undefined : policy.timeoutSec * 1_000;
  const question = {
    nodeId,
    kind: 'approval',
    data: toBody(questionOf(plan, policy)),
    resumeSchema: toBody(RESUME_SCHEMA),
    // A round that is sent back does not buy more time.
    ...(timeoutMs !== undefined && { deadline: (first?.requestedAt ?? now) + timeoutMs }),
  } as const;
  return ask(run, history, question, now);
}

const nodeOf = ({ intent }: DeploymentPlan, policy: ApprovalPolicy): string => {
  const at = intent?.approvals.indexOf(policy) ?? 0;
  return at > 0 ? `approval-${at + 1}` : 'approval';
};

const RESUME_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    decision: { type: 'string', enum: [...DECISIONS] },
    reason: { type: 'string', maxLength: MAX_REASON },
    override: { type: 'boolean' },
  },
  required: ['decision'],
};

function questionOf({ agentId, request, intent }: DeploymentPlan, policy: ApprovalPolicy): JsonObject {
  const { gateId, requiredRole, requiredScope, quorum, override, overrideBypassesQuorum, excludeRequester } =
    policy;
  const { version, transition } = request;
  const toState = targetOf(intent);
  return {
    artifactId: `${agentId}@${version}`,
    artifactType: 'deployment',
    title: `${transition} ${agentId}@${version}${toState ? ` to ${toState}` : ''}`,
    artifactData: { agentId, ...request },
    ...(intent?.filesNotFollowed && { filesNotFollowed: true }),
    actions: Object.keys(ACTIONS),
    requiredApprovals: quorum,
    gateId,
    ...(requiredRole !== undefined && { requiredRole }),
    ...(requiredScope !== undefined && { requiredScope }),
    ...(override && { override }),
    ...(overrideBypassesQuorum !== undefined && { overrideBypassesQuorum }),
    ...(excludeRequester !== undefined && { excludeRequester }),
  };
}

export function timeOutApproval(
  {
    run,
    plan,
    policy,
    interrupt,
  }: {
    readonly run: Run;
    readonly plan: DeploymentPlan;
    readonly policy: ApprovalPolicy;
    readonly interrupt: Interrupt;
  },
  at: number,
): LogStep {
  const { nodeId } = interrupt;
  const rejected: NewEvent = {
    type: 'approval.rejected',
    at,
    nodeId,
    payload: { gateId: policy.gateId, principal: CLOCK, reason: 'timeout' },
  };
  const message = `Gate ${policy.gateId} was not opened in time. Ask for the deployment again.`;
  const { events, run: row } = failure(run, { code: 'approval_timeout', message }, at, nodeId);
  const value = toBody({ decision: 'rejected', reason: 'timeout' });
  const { action, resource } = plan.authorization;
  return {
    events: [rejected, resolvedBy(interrupt, value, at), ...events],
    run: { ...row, waitUntil: null },
    audit: [{ at, principal: CLOCK, action, resource, allowed: false, reason: 'timeout', runId: run.runId }],
  };
}
