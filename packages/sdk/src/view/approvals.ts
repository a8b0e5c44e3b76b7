import { defined } from '@touchstone/protocol';
import type { RunEvent } from '../types.js';

type Named = { readonly by: string; readonly at: string; readonly reason?: string };

/** What someone has said to a question. `refused`: they had nothing to say there. */
export type ApprovalAnswer = Named & { readonly kind: 'granted' | 'overridden' | 'rejected' | 'refused' };

/** A question to people, and the answers that it got. A no closes it, and the next one asks the same. */
export type ApprovalRound = {
  readonly nodeId: string;
  readonly gateId: string;
  readonly at: string;
  /** Different people who have to agree. */
  readonly required: number;
  readonly role?: string;
  readonly scope?: string;
  readonly deadline?: string;
  /** The requester may not grant. */
  readonly barsRequester?: boolean;
  /** Who has this role may pass the gate over, with a reason. */
  readonly overrideRole?: string;
  readonly said: readonly ApprovalAnswer[];
  readonly isOpen: boolean;
};

export type Movement = { readonly type: string; readonly at: string; readonly payload: RunEvent['payload'] };

/** What a run that moves a deployment has to tell. */
export type Timeline = {
  readonly asked?: Named & { readonly action: string; readonly allowed: boolean };
  readonly rounds: readonly ApprovalRound[];
  readonly moved: readonly Movement[];
  readonly endedAt?: string;
};

const EMPTY: Timeline = { rounds: [], moved: [] };
const KINDS = { granted: 'granted', overridden: 'overridden', rejected: 'rejected' } as const;
const ENDS: readonly string[] = ['run.completed', 'run.failed', 'run.cancelled'];

/** Folds the log of such a run; nothing else is asked. */
export const timelineOf = (events: readonly RunEvent[]): Timeline => events.reduce(withEvent, EMPTY);

function withEvent(story: Timeline, event: RunEvent): Timeline {
  const { type, payload, timestamp: at, nodeId } = event;
  if (type === 'authorization.decided') return withDecision(story, event);
  if (type === 'interrupt.requested') return { ...story, rounds: [...story.rounds, roundOf(event)] };
  if (type === 'interrupt.resolved') return inRound(story, nodeId, (round) => ({ ...round, isOpen: false }));
  if (type.startsWith('deployment.')) return { ...story, moved: [...story.moved, { type, at, payload }] };
  if (ENDS.includes(type)) return { ...story, endedAt: at };
  const kind = KINDS[type.replace(/^approval\./, '') as keyof typeof KINDS];
  return kind ? withSaid(story, nodeId, { kind, ...named(event) }) : story;
}

/** The first one is about the request itself; those at a gate matter when an approver was refused. */
function withDecision(story: Timeline, event: RunEvent): Timeline {
  const { payload, nodeId } = event;
  const allowed = payload.allowed === true;
  if (nodeId !== undefined)
    return allowed ? story : withSaid(story, nodeId, { kind: 'refused', ...named(event) });
  return { ...story, asked: { ...named(event), action: String(payload.action), allowed } };
}

const withSaid = (story: Timeline, nodeId: string | undefined, said: ApprovalAnswer): Timeline =>
  inRound(story, nodeId, (round) => ({ ...round, said: [...round.said, said] }));

/** Of several rounds at one gate the newest is meant. */
function inRound(
  { rounds, ...story }: Timeline,
  nodeId: string | undefined,
  change: (round: ApprovalRound) => ApprovalRound,
): Timeline {
  const at = rounds.findLastIndex((round) => round.nodeId === nodeId);
  return { ...story, rounds: rounds.map((round, index) => (index === at ? change(round) : round)) };
}

const named = ({ payload, timestamp }: RunEvent): Named => ({
  by: String(payload.principal),
  at: timestamp,
  ...(typeof payload.reason === 'string' && { reason: payload.reason }),
});

type Question = {
  readonly gateId?: string;
  readonly requiredApprovals?: number;
  readonly requiredRole?: string;
  readonly requiredScope?: string;
  readonly override?: { readonly requiredRole?: string };
  readonly excludeRequester?: boolean;
};

function roundOf({ payload, timestamp, nodeId = '' }: RunEvent): ApprovalRound {
  const question = payload.data as Question;
  const { gateId = nodeId, requiredApprovals = 1, requiredRole, requiredScope, excludeRequester } = question;
  const overrideRole = question.override?.requiredRole;
  const deadline =
    typeof payload.timeoutMs === 'number'
      ? new Date(Date.parse(timestamp) + payload.timeoutMs).toISOString()
      : undefined;
  return {
    nodeId,
    gateId,
    at: timestamp,
    required: requiredApprovals,
    ...defined({
      role: requiredRole,
      scope: requiredScope,
      deadline,
      barsRequester: excludeRequester,
      overrideRole,
    }),
    said: [],
    isOpen: true,
  };
}

/** The question that is open now. */
export const openRound = ({ rounds }: Timeline): ApprovalRound | undefined =>
  rounds.findLast(({ isOpen }) => isOpen);

/** Who has agreed in a round. */
export const grantsOf = ({ said }: ApprovalRound): readonly string[] => [
  ...new Set(said.filter(({ kind }) => kind === 'granted' || kind === 'overridden').map(({ by }) => by)),
];
