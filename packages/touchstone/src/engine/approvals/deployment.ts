import type { AuditEntry, DeploymentPlan, RunError } from '@touchstone/protocol';
import { type NewEvent, toBody } from '@touchstone/protocol/bodies';
import type { Run } from '../../ports/index.js';
import { completion, failure } from '../log/endings.js';
import type { Parts } from '../parts.js';
import { type ApprovalFlow, joined, type LogStep } from './approval-flow.js';
import { approvalsGiven, askApproval, timeOutApproval } from './approvals.js';
import type { History } from './history.js';
import { answerApproval } from './votes.js';

/** The run of one transition: it is authorized, approved and checked against its gates before anything moves. */
export function openDeployment(parts: Parts, run: Run, plan: DeploymentPlan): ApprovalFlow {
  const approvals = plan.intent?.approvals ?? [];
  const policyOf = (history: History) => approvals[approvalsGiven(history)];
  return {
    async next(history, now) {
      const opening = history.length === 0 ? authorization(run, plan, now) : undefined;
      const policy = policyOf(history);
      const rest = plan.refused
        ? refusal(run, plan, plan.refused, now)
        : policy
          ? askApproval(run, plan, policy, history, now)
          : await carryOut(parts, run, plan, now);
      return opening ? after(opening, rest) : rest;
    },
    answer(history, interrupt, answer, now) {
      const policy = policyOf(history);
      if (!policy) throw new Error('A deployment waits for an approval that was not requested.');
      return answerApproval({ parts, run, plan, policy, history, interrupt }, answer, now);
    },
    timeout(history, interrupt, now) {
      const policy = policyOf(history);
      if (!policy) throw new Error('A deployment waited for an approval that was not requested.');
      return timeOutApproval({ run, plan, policy, interrupt }, now);
    },
  };
}

/** Records a refusal. A missing permission is already audited; every other reason gets its own audit entry. */
function refusal(
  run: Run,
  { authorization: decision }: DeploymentPlan,
  error: RunError,
  at: number,
): LogStep {
  const failed = failure(run, error, at);
  if (!decision.allowed) return failed;
  const { principal, action, resource } = decision;
  const reason = reasonOf(error);
  return {
    ...failed,
    audit: [{ at, principal, action, resource, allowed: false, reason, runId: run.runId }],
  };
}

const reasonOf = ({ code, details }: RunError): string =>
  details?.reason === undefined ? code : `${code}: ${details.reason}`;

/** The authorization was decided when the run was created; it is the first event after `run.started`. */
function authorization(run: Run, { authorization: decision }: DeploymentPlan, now: number): LogStep {
  const { principal, action, resource, allowed, reason } = decision;
  const entry: AuditEntry = {
    at: now,
    principal,
    action,
    resource,
    allowed,
    ...(reason !== undefined && { reason }),
    runId: run.runId,
  };
  return { events: [{ type: 'authorization.decided', at: now, payload: decision }], audit: [entry] };
}

const after = (first: LogStep, second: LogStep): LogStep => ({
  ...second,
  events: joined(first.events, second.events),
  run: { ...first.run, ...second.run },
  audit: [...(first.audit ?? []), ...(second.audit ?? [])],
});

async function carryOut(parts: Parts, run: Run, plan: DeploymentPlan, now: number): Promise<LogStep> {
  const decided = await parts.carryOut(run, plan);
  const { principal, action, resource } = plan.authorization;
  const entry = { at: now, principal, action, resource, runId: run.runId };
  if ('code' in decided) return refusal(run, plan, decided, now);
  const { next, events } = decided;
  const moved = events.map((event): NewEvent => ({ ...event, at: now }));
  const { agentId, request } = plan;
  const state = next.versions.find(({ version }) => version === request.version)?.state ?? 'draft';
  const outputs = toBody({ agentId, version: request.version, state });
  return {
    ...completion(run, { events: moved, outputs }, now),
    deployments: next,
    audit: [{ ...entry, allowed: true, reason: events.map(({ type }) => type).join(' ') }],
  };
}
