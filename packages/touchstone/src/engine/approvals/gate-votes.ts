import { asId, HostError, type PrincipalId, timestampOf } from '@touchstone/protocol';
import { type NewEvent, toBody } from '@touchstone/protocol/bodies';
import type { Interrupt } from '../../ports/index.js';
import type { GateRule } from '../kinds/floor-nodes.js';
import {
  type Answer,
  type AnswerResult,
  answeredBy,
  invalid,
  membersOf,
  RESUMED,
  resolvedBy,
} from './approval-flow.js';
import { eventsOf, type History } from './history.js';

export const ACTIONS = ['accept', 'reject'] as const;
type Action = (typeof ACTIONS)[number];
const MAX_VOTER = 256;

export const REJECTED = { code: 'approval_rejected', message: 'The approval was refused.' } as const;

/**
 * One answer at the gate of a conformance workflow. Where several are needed, the answer may name its voter, because the
 * conformance suite has a single key; the audit log names whose key it was.
 */
export function decide(
  history: History,
  interrupt: Interrupt,
  { by, value }: Answer,
  rule: GateRule,
  at: number,
): AnswerResult {
  const { action, voter = by.id } = membersOf(value);
  if (action !== 'accept' && action !== 'reject')
    return { refusal: invalid('/resumeValue/action', `expected one of ${ACTIONS.join(', ')}`) };
  if (typeof voter !== 'string' || voter === '' || voter.length > MAX_VOTER)
    return { refusal: invalid('/resumeValue/voter', `expected a text of 1 to ${MAX_VOTER} characters`) };
  const isCounted = rule.requiredApprovals !== undefined;
  const decidedBy = asId<PrincipalId>(isCounted ? voter : by.id);
  const votes = eventsOf(history, 'approval.received').map(({ payload }) => payload);
  const before = votes.find((vote) => vote.decidedBy === decidedBy);
  const reason = isCounted && { reason: `${action} of ${decidedBy}` };
  const audit = [{ ...answeredBy(interrupt, by, at), ...reason }];
  // Sent once more: it is on record that it was, and counts once.
  if (before?.action === action) return { step: { events: [], audit } };
  if (before)
    return {
      refusal: new HostError('interrupt_already_resolved', 'This voter has decided otherwise already.'),
    };
  const { nodeId } = interrupt;
  const received: NewEvent = {
    type: 'approval.received',
    at,
    nodeId,
    payload: { nodeId, action, decidedBy, decidedAt: timestampOf(at) },
  };
  const count = votes.filter((vote) => vote.action === action).length + 1;
  if (count < needed(rule, action)) return { step: { events: [received], audit } };
  const events = [received, resolvedBy(interrupt, toBody({ action }), at), outcomeOf(nodeId, action, at)];
  return { step: { events, run: RESUMED, audit } };
}

function needed({ requiredApprovals = 1, rejectionPolicy }: GateRule, action: Action): number {
  if (action === 'accept') return requiredApprovals;
  return rejectionPolicy === 'majority' ? Math.floor(requiredApprovals / 2) + 1 : 1;
}

const outcomeOf = (nodeId: string, action: Action, at: number): NewEvent =>
  action === 'accept'
    ? { type: 'node.completed', at, nodeId, payload: { nodeId } }
    : { type: 'node.failed', at, nodeId, payload: { nodeId, error: REJECTED } };
